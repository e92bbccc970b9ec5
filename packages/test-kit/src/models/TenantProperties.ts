/** Isolation of organizations. */
import { at, listAt } from "../Documents.js"
import { asyncInvariant, type AsyncProperty, expectEqual, once } from "../Property.js"
import { type Driver, createEmptyProject } from "./Drivers.js"

/** Two organizations on one engine. */
export interface TwoTenants {
  readonly mine: Driver
  readonly theirs: Driver
  readonly project: number
  readonly agent: number
}

const CALLS = "/observability/v1/call-logs/"
const DASHBOARDS = "/dashboards/dashboards/"
const WIDGETS = "/dashboards/widgets/"
const USER = "/user/v1/"
const TESTS = "/test_framework/v1/"
const EVALUATORS = `${TESTS}scenarios/`
const RUN_SUITE = "/test_framework/v2/scenarios/run_scenarios_json/"

/** Creates a resource through a driver; returns its id. */
const make = async (driver: Driver, path: string, json: object): Promise<number> => {
  const { body, errors, outcome } = await driver("POST", path, json)
  const id = at(body, "id")
  if (typeof id !== "number") throw new Error(`POST ${path} was ${outcome} (${errors.join(", ")})`)
  return id
}

/** A driver with a project and an agent. */
export interface Home {
  readonly driver: Driver
  readonly project: number
  readonly agent: number
}

let made = 0

/** A name that no other resource has: properties share organizations. */
const secret = (): string => `secret-${++made}`

/** Creates each kind of resource that a body may refer to. */
export const makers = {
  project: ({ driver }: Home) => make(driver, `${USER}projects/`, { name: secret() }),
  agent: ({ driver, project }: Home) => make(driver, `${TESTS}agents/`, { project, name: secret() }),
  call: ({ agent, driver }: Home) => make(driver, "/observability/v1/observe/", { call_id: secret(), agent }),
  dashboard: ({ driver, project }: Home) => make(driver, DASHBOARDS, { project, name: secret() }),
  widget: async (home: Home) =>
    make(home.driver, WIDGETS, { dashboard: await makers.dashboard(home), chart_type: "stat" }),
  metric: ({ agent, driver }: Home) =>
    make(driver, `${TESTS}metrics/`, {
      agent,
      name: secret(),
      type: "llm_judge",
      eval_type: "numeric",
      prompt: "Many?"
    }),
  evaluator: ({ agent, driver }: Home) =>
    make(driver, EVALUATORS, { agent, name: secret(), scenario_type: "instruction", instructions: "Hi" }),
  folder: ({ driver, project }: Home) => make(driver, `${TESTS}folders/`, { project, path: secret() }),
  tool: ({ driver, project }: Home) => make(driver, `${TESTS}tools/`, { project, name: secret() }),
  profile: ({ driver, project }: Home) => make(driver, `${TESTS}test_profiles/`, { project, name: secret() }),
  personality: ({ driver, project }: Home) =>
    make(driver, `${TESTS}personalities/`, { project, name: secret(), language: "en" }),
  number: ({ driver, project }: Home) =>
    make(driver, `${TESTS}phone_numbers/`, { project, number: `+1555${String(++made).padStart(7, "0")}` }),
  result: ({ agent, driver }: Home) =>
    make(driver, RUN_SUITE, {
      spec: {
        version: "1",
        suite: { name: secret() },
        scenarios: [{ key: "a", name: "A", type: "instruction", instructions: "Ask." }]
      },
      agent_id: agent
    }),
  run: async (home: Home) => {
    const result = await makers.result(home)
    return Number(at((await home.driver("GET", `${TESTS}runs/?result=${result}`)).body, "results", 0, "id"))
  },
  key: ({ driver }: Home) => make(driver, `${USER}api_keys/`, { name: secret() }),
  link: ({ driver, project }: Home) =>
    make(driver, `${USER}shareable_links/`, { name: secret(), bounds: [{ type: "project", id: project }] }),
  user: ({ driver }: Home) => make(driver, `${USER}users/`, { email: `${secret()}@example.org` })
}

export type Thing = keyof typeof makers

/** A request on one resource: a method, the path after the id, and a valid body. */
type Request = readonly [method: "GET" | "POST" | "PATCH" | "DELETE", rest?: string, json?: object]

/** The list of a kind of resources, and every request on one of them. */
interface Asked {
  readonly path: string
  readonly requests: ReadonlyArray<Request>
}

const kept = (path: string, patch: object = { name: "Mine" }): Asked => ({
  path,
  requests: [["GET"], ["PATCH", "", patch], ["DELETE"]]
})

export const things: Readonly<Record<Thing, Asked>> = {
  project: {
    path: `${USER}projects/`,
    requests: [
      ["GET"],
      ["PATCH", "", { name: "Mine" }],
      ["POST", "enable_personalities/", { personalities: "all" }],
      ["DELETE"]
    ]
  },
  agent: {
    path: `${TESTS}agents/`,
    requests: [["GET"], ["PATCH", "", { name: "Mine" }], ["POST", "check_voice/"], ["DELETE"]]
  },
  call: {
    path: CALLS,
    requests: [
      ["GET"],
      ["GET", "evaluations/"],
      ["POST", "evaluate_metrics/", {}],
      ["GET", "recording/"],
      ["POST", "recording/url/", {}],
      ["GET", "recording/peaks/"],
      ["PATCH", "", { topic: "Mine" }],
      ["DELETE"]
    ]
  },
  dashboard: {
    path: DASHBOARDS,
    requests: [["GET"], ["GET", "data/"], ["PATCH", "", { name: "Mine" }], ["DELETE"]]
  },
  widget: { path: WIDGETS, requests: [["GET"], ["GET", "data/"], ["PATCH", "", { name: "Mine" }], ["DELETE"]] },
  metric: kept(`${TESTS}metrics/`),
  evaluator: kept(EVALUATORS),
  folder: kept(`${TESTS}folders/`, { path: "mine" }),
  tool: kept(`${TESTS}tools/`),
  profile: kept(`${TESTS}test_profiles/`),
  personality: kept(`${TESTS}personalities/`),
  number: kept(`${TESTS}phone_numbers/`),
  result: {
    path: `${TESTS}results/`,
    requests: [
      ["GET"],
      ["GET", "compare/?base=1"],
      ["GET", "repeats/"],
      ["GET", "export/"],
      ["GET", "junit/"],
      ["GET", "report/"],
      ["POST", "cancel/"],
      ["POST", "delete_runs/", { run_ids: [1] }]
    ]
  },
  run: {
    path: `${TESTS}runs/`,
    requests: [
      ["GET"],
      ["GET", "recording/"],
      ["GET", "live/"],
      ["POST", "cancel/"],
      ["POST", "heartbeat/", { lease: "x" }],
      ["POST", "complete/", { lease: "x", transcript_type: "service", transcript_json: [], success: true }],
      ["POST", "fail/", { lease: "x", error: "x" }]
    ]
  },
  key: { path: `${USER}api_keys/`, requests: [["DELETE"]] },
  link: { path: `${USER}shareable_links/`, requests: [["DELETE"]] },
  user: { path: `${USER}users/`, requests: [] }
}

/** A request that refers to another organization's resource, and the field with the error. */
interface Naming {
  /** The request in words. */
  readonly to: string
  readonly names: Thing
  readonly field: string
  readonly send: (
    home: Home,
    named: object,
    id: number
  ) => Promise<readonly [method: "POST" | "PATCH", path: string, json: object]>
  /** The value of the field. */
  readonly as: (id: number) => unknown
}

const list = (id: number) => [id]

/** Posts a body with a field that refers to a resource. */
const posts =
  (path: string, fields: (home: Home) => object): Naming["send"] =>
  (home, named) =>
    Promise.resolve(["POST", path.replace(":project", String(home.project)), { ...fields(home), ...named }])

/** Patches an own resource. */
const patches =
  (thing: Thing): Naming["send"] =>
  async (home, named) => ["PATCH", `${things[thing].path}${await makers[thing](home)}/`, named]

/** A kind of resource, the field that refers to it, and the value of that field. */
type Name = readonly [names: Thing, field: string, as?: (id: number) => unknown]

const namesIn = (to: string, send: Naming["send"], ...names: ReadonlyArray<Name>): ReadonlyArray<Naming> =>
  names.map(([thing, field, as = (id) => id]) => ({ to, send, names: thing, field, as }))

const ofEvaluator: ReadonlyArray<Name> = [
  ["agent", "agent"],
  ["personality", "personality"],
  ["profile", "test_profile"],
  ["number", "phone_number"],
  ["number", "inbound_phone_number"],
  ["metric", "metrics", list],
  ["tool", "tool_ids", list]
]
const newEvaluator = { name: "x", scenario_type: "instruction", instructions: "x" }
const newMetric = { name: "x", type: "llm_judge", eval_type: "binary", prompt: "x" }
const plotted = { chart_type: "line", field: "metric_evaluations.value" }

const newWidget =
  (fields: object): Naming["send"] =>
  async (home, named) => ["POST", WIDGETS, { dashboard: await makers.dashboard(home), ...fields, ...named }]

const suite = (scenario: object) => ({
  version: "1",
  suite: { name: "x" },
  scenarios: [{ key: "a", name: "A", type: "instruction", instructions: "Ask.", ...scenario }]
})

/** A scenario of a suite that refers to a resource. */
const inSuite =
  (scenario: (id: number) => object): Naming["send"] =>
  ({ agent }, _, id) =>
    Promise.resolve(["POST", RUN_SUITE, { agent_id: agent, spec: suite(scenario(id)) }])

const PROJECT: Name = ["project", "project"]

export const namings: ReadonlyArray<Naming> = [
  ...namesIn(
    "a new agent",
    posts(`${TESTS}agents/`, () => ({ name: "x" })),
    PROJECT
  ),
  ...namesIn(
    "a new personality",
    posts(`${TESTS}personalities/`, () => ({ name: "x", language: "en" })),
    PROJECT
  ),
  ...namesIn(
    "a new profile",
    posts(`${TESTS}test_profiles/`, () => ({ name: "x" })),
    PROJECT
  ),
  ...namesIn(
    "a new number",
    posts(`${TESTS}phone_numbers/`, () => ({ number: "+15550100" })),
    PROJECT
  ),
  ...namesIn(
    "a new tool",
    posts(`${TESTS}tools/`, () => ({ name: "x" })),
    PROJECT
  ),
  ...namesIn(
    "a new folder",
    posts(`${TESTS}folders/`, () => ({ path: "x" })),
    PROJECT
  ),
  ...namesIn(
    "a new dashboard",
    posts(DASHBOARDS, () => ({ name: "x" })),
    PROJECT
  ),
  ...namesIn(
    "a new evaluator",
    posts(EVALUATORS, ({ agent }) => ({ agent, ...newEvaluator })),
    ...ofEvaluator
  ),
  ...namesIn("an evaluator", patches("evaluator"), ...ofEvaluator),
  ...namesIn(
    "a bulk update",
    async (home, named) => [
      "POST",
      `${EVALUATORS}adv_update/`,
      { agent: home.agent, scenarios: [await makers.evaluator(home)], ...named }
    ],
    ["agent", "agent"],
    ["project", "project"],
    ["evaluator", "scenarios", list],
    ["personality", "personality"],
    ["profile", "test_profile"],
    ["number", "phone_number"],
    ["number", "inbound_phone_number"],
    ["metric", "metric_ids_to_add", list],
    ["tool", "tool_ids_to_add", list]
  ),
  ...namesIn(
    "a new metric",
    posts(`${TESTS}metrics/`, () => newMetric),
    ["agent", "agent"]
  ),
  ...namesIn("a metric", patches("metric"), ["agent", "agent"]),
  ...namesIn(
    "a call",
    posts("/observability/v1/observe/", ({ agent }) => ({ call_id: "x", agent })),
    ["agent", "agent"],
    ["metric", "metric_ids", String]
  ),
  ...namesIn("a new widget", newWidget({ chart_type: "stat" }), ["dashboard", "dashboard"]),
  ...namesIn("a new widget", newWidget(plotted), ["metric", "metric"]),
  ...namesIn("a widget", patches("widget"), ["dashboard", "dashboard"]),
  ...namesIn("a widget", (home, named, id) => patches("widget")(home, { ...plotted, ...named }, id), [
    "metric",
    "metric"
  ]),
  ...namesIn(
    "the personalities of a project",
    posts(`${USER}projects/:project/enable_personalities/`, () => ({})),
    ["personality", "personalities", list]
  ),
  ...namesIn(
    "a suite",
    posts(RUN_SUITE, ({ agent }) => ({ agent_id: agent, spec: suite({}) })),
    ["agent", "agent_id"],
    ["number", "phone_number"]
  ),
  ...namesIn(
    "a suite",
    inSuite((id) => ({ metrics: [id] })),
    ["metric", "scenarios[0].metrics[0]"]
  ),
  ...namesIn(
    "a suite",
    inSuite((id) => ({ tools: [id] })),
    ["tool", "scenarios[0].tools[0]"]
  ),
  ...namesIn(
    "a suite",
    inSuite((id) => ({ personality: id })),
    ["personality", "scenarios[0].personality"]
  ),
  ...namesIn(
    "a suite",
    inSuite((id) => ({ test_profile: id })),
    ["profile", "scenarios[0].test_profile"]
  ),
  ...namesIn(
    "the deletion of runs",
    async (home, named) => ["POST", `${TESTS}results/${await makers.result(home)}/delete_runs/`, named],
    ["run", "run_ids", list]
  )
]

export const idsOf = (body: unknown): ReadonlyArray<unknown> => listAt(body, "results").map((one) => at(one, "id"))

export const isThing = (name: string): name is Thing => Object.hasOwn(makers, name)

/** The owner of the resources, and another organization. */
const homes = async (fixture: () => Promise<TwoTenants>): Promise<{ readonly mine: Home; readonly theirs: Home }> => {
  const { agent, mine, project, theirs } = await fixture()
  return {
    mine: { driver: mine, project, agent },
    theirs: { driver: theirs, ...(await createEmptyProject(theirs)) }
  }
}

/** What must not change anything is asked in the same two organizations, each time about new resources. */
export const tenantProperties = (fixture: () => Promise<TwoTenants>): ReadonlyArray<AsyncProperty> => {
  const shared = once(() => homes(fixture))
  return [
    ...Object.keys(things)
      .filter(isThing)
      .map((thing) =>
        asyncInvariant(`another organization's ${thing} is not found, in lists and by every request`, async () => {
          const { mine, theirs } = await shared()
          const { path, requests } = things[thing]
          const id = await makers[thing](mine)
          const canBeRead = requests.some(([method, rest]) => method === "GET" && rest === undefined)
          const shown = async () => (await mine.driver("GET", canBeRead ? `${path}${id}/` : `${path}?limit=200`)).body
          const before = await shown()
          for (const filter of ["", `&project=${mine.project}`, `&agent=${mine.agent}`, `&agent_id=${mine.agent}`]) {
            const { body } = await theirs.driver("GET", `${path}?limit=200${filter}`)
            if (idsOf(body).includes(id))
              throw new Error(`Another organization's list (${filter}) shows ${thing} ${id}`)
          }
          for (const [method, rest = "", json] of requests) {
            const { outcome } = await theirs.driver(method, `${path}${id}/${rest}`, json)
            expectEqual(`${method} ${rest} of another organization's ${thing}`, outcome, "missing")
          }
          expectEqual(`the owner's ${thing} afterwards`, await shown(), before)
        })
      ),
    ...namings.map(({ as, field, names, send, to }) =>
      asyncInvariant(`another organization's ${names} is rejected as ${field} of ${to}`, async () => {
        const { mine, theirs } = await shared()
        const id = await makers[names](mine)
        const [method, path, json] = await send(theirs, { [field]: as(id) }, id)
        const { errors, outcome } = await theirs.driver(method, path, json)
        expectEqual(`${method} ${path}`, [outcome, errors], ["refused", [field]])
      })
    ),
    asyncInvariant("another organization's results and runs are neither deleted nor claimed", async () => {
      const { mine, theirs } = await homes(fixture)
      const result = await makers.result(mine)
      const shown = async () => (await mine.driver("GET", `${TESTS}results/${result}/`)).body
      const before = await shown()
      const { outcome } = await theirs.driver("POST", `${TESTS}results/bulk_delete/`, { result_ids: [result] })
      expectEqual("a deletion of another organization's results", outcome, "done")
      const claimed = await theirs.driver("POST", `${TESTS}runs/claim/`, { channel: "voice", limit: 100 })
      expectEqual("what another organization's worker claims", claimed.body, { results: [] })
      expectEqual("the owner's result afterwards", await shown(), before)
    })
  ]
}
