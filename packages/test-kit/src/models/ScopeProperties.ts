/** Limits of credentials: one that is limited to a project does not reach another project of its organization. */
import { type Operation, type OperationRule, operations } from "@earshot/core"
import { at, listAt } from "../Documents.js"
import { asyncInvariant, type AsyncProperty, expectEqual, once } from "../Property.js"
import type { Driver } from "./Drivers.js"
import { type Home, idsOf, isThing, makers, namings, type Thing, things } from "./TenantProperties.js"

/** Two projects of one organization. */
export interface ScopedFixture {
  /** One project, and a driver of an unlimited credential. */
  readonly owner: Home
  /** The other project, and a driver of a credential that is limited to it. */
  readonly limited: Home
  /** What the credential is limited to: that project, or its agent, so that the rest of the project is out of reach too. */
  readonly to: "project" | "agent"
  /** A user of the organization whom the limited credential does not name. */
  readonly user: number
}

/**
 * How an operation is tested: it is about the whole organization and rejects limited credentials; it takes the id of a thing
 * in its path; its body refers to things (`in`, see `namings`); it lists; it has a property of its own; or it takes no id.
 */
type Coverage =
  | "organization"
  | "lists"
  | { readonly path: Thing; readonly request: string }
  | { readonly in: string }
  | { readonly own: (typeof OWN)[number] }
  | { readonly noId: string }

const OWN = ["simplifications", "credentials", "previews", "results", "ledger"] as const

const path = (thing: Thing, request: string): Coverage => ({ path: thing, request })

/** Every operation; the compiler requires an entry for a new one. */
const coverage: Readonly<Record<Operation, Coverage>> = {
  "access.createApiKey": "organization",
  "access.listApiKeys": "organization",
  "access.revokeApiKey": "organization",
  "access.issueToken": { own: "credentials" },
  "access.revokeToken": "organization",
  "access.createSignInLink": "organization",
  "access.createLink": { own: "credentials" },
  "access.listLinks": "organization",
  "access.revokeLink": "organization",
  "users.create": "organization",
  "users.list": "organization",
  "projects.create": "organization",
  "projects.list": "lists",
  "projects.read": path("project", "GET "),
  "projects.update": path("project", "PATCH "),
  "projects.delete": path("project", "DELETE "),
  "agents.create": { in: "a new agent" },
  "agents.list": "lists",
  "agents.read": path("agent", "GET "),
  "agents.update": path("agent", "PATCH "),
  "agents.delete": path("agent", "DELETE "),
  "agents.checkVoice": path("agent", "POST check_voice/"),
  "personalities.create": { in: "a new personality" },
  "personalities.list": "lists",
  "personalities.read": path("personality", "GET "),
  "personalities.update": path("personality", "PATCH "),
  "personalities.delete": path("personality", "DELETE "),
  "personalities.enable": path("project", "POST enable_personalities/"),
  "testProfiles.create": { in: "a new profile" },
  "testProfiles.list": "lists",
  "testProfiles.read": path("profile", "GET "),
  "testProfiles.update": path("profile", "PATCH "),
  "testProfiles.delete": path("profile", "DELETE "),
  "phoneNumbers.create": { in: "a new number" },
  "phoneNumbers.list": "lists",
  "phoneNumbers.read": path("number", "GET "),
  "phoneNumbers.update": path("number", "PATCH "),
  "phoneNumbers.delete": path("number", "DELETE "),
  "tools.create": { in: "a new tool" },
  "tools.list": "lists",
  "tools.read": path("tool", "GET "),
  "tools.update": path("tool", "PATCH "),
  "tools.delete": path("tool", "DELETE "),
  "folders.create": { in: "a new folder" },
  "folders.list": "lists",
  "folders.read": path("folder", "GET "),
  "folders.update": path("folder", "PATCH "),
  "folders.delete": path("folder", "DELETE "),
  "evaluators.create": { in: "a new evaluator" },
  "evaluators.list": "lists",
  "evaluators.read": path("evaluator", "GET "),
  "evaluators.update": path("evaluator", "PATCH "),
  "evaluators.delete": path("evaluator", "DELETE "),
  "evaluators.bulkUpdate": { in: "a bulk update" },
  "suites.validate": { noId: "It plans as suites.run does, and creates nothing." },
  "suites.run": { in: "a suite" },
  "results.list": "lists",
  "results.read": path("result", "GET "),
  "results.compare": path("result", "GET compare/"),
  "results.repeats": path("result", "GET repeats/"),
  "results.export": path("result", "GET export/"),
  "results.junit": path("result", "GET junit/"),
  "results.report": path("result", "GET report/"),
  "results.bulkDelete": { own: "results" },
  "results.deleteRuns": path("result", "POST delete_runs/"),
  "results.cancel": path("result", "POST cancel/"),
  "results.capacity": "organization",
  "runs.list": "lists",
  "runs.read": path("run", "GET "),
  "runs.recording": path("run", "GET recording/"),
  "runs.listen": path("run", "GET live/"),
  "runs.cancel": path("run", "POST cancel/"),
  "runs.claim": { own: "results" },
  "runs.heartbeat": path("run", "POST heartbeat/"),
  "runs.complete": path("run", "POST complete/"),
  "runs.fail": path("run", "POST fail/"),
  "integrations.create": "organization",
  "integrations.list": "organization",
  "integrations.read": "organization",
  "integrations.update": "organization",
  "integrations.rotate": "organization",
  "integrations.delete": "organization",
  "connections.create": "organization",
  "connections.list": "organization",
  "connections.read": "organization",
  "connections.test": "organization",
  "connections.activate": "organization",
  "connections.revoke": "organization",
  "checkouts.create": { noId: "It names a repository, and its additional credential the agent." },
  "calls.ingest": { in: "a call" },
  "calls.observe": { in: "a call" },
  "traces.receive": {
    noId: "Its query names the agent of the call that a job ingests, within the scopes of the sender."
  },
  "traces.list": "organization",
  "traces.read": "organization",
  "calls.list": "lists",
  "calls.facets": { noId: "It counts the calls that calls.list lists, which has a test of its own for scopes." },
  "calls.read": path("call", "GET "),
  "calls.review": path("call", "PATCH "),
  "calls.delete": path("call", "DELETE "),
  "calls.export": "lists",
  "recordings.read": path("call", "GET recording/"),
  "recordings.sign": path("call", "POST recording/url/"),
  "recordings.peaks": path("call", "GET recording/peaks/"),
  "metrics.predefined": { noId: "The list is the same for everybody." },
  "metrics.create": { in: "a new metric" },
  "metrics.list": "lists",
  "metrics.read": path("metric", "GET "),
  "metrics.update": path("metric", "PATCH "),
  "metrics.delete": path("metric", "DELETE "),
  "simplifications.request": { own: "simplifications" },
  "simplifications.progress": { own: "simplifications" },
  "calls.evaluate": path("call", "POST evaluate_metrics/"),
  "calls.evaluations": path("call", "GET evaluations/"),
  "jobs.list": "organization",
  "jobs.retry": "organization",
  "credits.list": { own: "ledger" },
  "credits.totals": { own: "ledger" },
  "dashboards.create": { in: "a new dashboard" },
  "dashboards.list": "lists",
  "dashboards.read": path("dashboard", "GET "),
  "dashboards.update": path("dashboard", "PATCH "),
  "dashboards.delete": path("dashboard", "DELETE "),
  "dashboards.data": path("dashboard", "GET data/"),
  "widgets.create": { in: "a new widget" },
  "widgets.list": "lists",
  "widgets.read": path("widget", "GET "),
  "widgets.update": path("widget", "PATCH "),
  "widgets.delete": path("widget", "DELETE "),
  "widgets.data": path("widget", "GET data/"),
  "widgets.preview": { own: "previews" }
}

/** Whether a request was denied: a limited token is not accepted where only API keys are. */
const isUnreachable = (outcome: string): boolean => outcome === "missing" || outcome === "denied"

const SCOPED: ReadonlyArray<Thing> = Object.keys(things)
  .filter(isThing)
  .filter((thing) => !["key", "link", "user"].includes(thing))

const SIMPLIFY = "/test_framework/v1/metrics/simplify_prompt/"
const PROGRESS = "/test_framework/v1/metrics/simplify_prompt_progress/"
const PROMPT = "Please could you kindly tell whether the agent said hello to the caller. ".repeat(8)

const progressOf = async (driver: Driver, prompt: string): Promise<string> =>
  String(at((await driver("POST", SIMPLIFY, { original_prompt: prompt })).body, "progress_id"))

const ownProperties = (
  fixture: () => Promise<ScopedFixture>
): Readonly<Record<(typeof OWN)[number], AsyncProperty>> => ({
  simplifications: asyncInvariant("a limited credential cannot read the simplification of another one", async () => {
    const { limited, owner } = await fixture()
    const prompt = `${PROMPT}Project ${owner.project}.`
    const theirs = await progressOf(owner.driver, prompt)
    expectEqual(
      "progress of another's",
      (await limited.driver("GET", `${PROGRESS}?progress_id=${theirs}`)).outcome,
      "missing"
    )
    const mine = await progressOf(limited.driver, prompt)
    expectEqual("an own request for the same prompt", mine === theirs, false)
    expectEqual("progress of the own", (await limited.driver("GET", `${PROGRESS}?progress_id=${mine}`)).outcome, "done")
    expectEqual("the owner's view", (await owner.driver("GET", `${PROGRESS}?progress_id=${mine}`)).outcome, "done")
    const metric = await makers.metric(owner)
    expectEqual("its metric", (await limited.driver("POST", SIMPLIFY, { metric_id: metric })).errors, ["metric_id"])
  }),
  credentials: asyncInvariant(
    "a limited credential grants no access beyond its own and names no other user",
    async () => {
      const { limited, owner, user } = await fixture()
      const issued = async (where: string, json: object) => (await limited.driver("POST", where, json)).errors
      const bounds = [{ type: "project", id: owner.project }]
      const tokens = "/user/v1/tokens/"
      expectEqual("a user", await issued(tokens, { kind: "dashboard_session", user }), ["user"])
      expectEqual("a missing user", await issued(tokens, { kind: "dashboard_session", user: 999_999_999 }), ["user"])
      expectEqual("bounds", await issued(tokens, { kind: "embedded_session", bounds }), ["bounds[0]"])
      expectEqual("bounds of a link", await issued("/user/v1/shareable_links/", { name: "x", bounds }), ["bounds[0]"])
      const agents = [{ type: "agent", id: owner.agent }]
      expectEqual("an agent", await issued(tokens, { kind: "agent_session", bounds: agents }), ["bounds[0]"])
    }
  ),
  previews: asyncInvariant("a limited credential's previews show none of another project's calls", async () => {
    const { limited, owner, to } = await fixture()
    await makers.call(owner)
    const metric = await makers.metric(owner)
    const stat = { chart_type: "stat", field: "calls.id", aggregation: "count" }
    const dashboard = await makers.dashboard({ ...limited, driver: owner.driver })
    const { body, outcome } = await limited.driver("POST", "/dashboards/widgets/preview_data/", { dashboard, ...stat })
    if (outcome === "done") expectEqual("a count", JSON.stringify(body).includes('"value":1'), false)
    const theirs = await makers.dashboard(owner)
    const named = async (json: object) =>
      (await limited.driver("POST", "/dashboards/widgets/preview_data/", json)).errors
    expectEqual("a dashboard", await named({ dashboard: theirs, chart_type: "stat" }), ["dashboard"])
    const plotted = { dashboard, chart_type: "line", field: "metric_evaluations.value", metric }
    expectEqual("a metric", await named(plotted), [to === "project" ? "metric" : "dashboard"])
  }),
  results: asyncInvariant(
    "a limited credential neither deletes, compares nor claims another project's results",
    async () => {
      const { limited, owner } = await fixture()
      const [theirs, mine] = [await makers.result(owner), await makers.result(limited)]
      const shown = async () => (await owner.driver("GET", `/test_framework/v1/results/${theirs}/`)).body
      const before = await shown()
      await limited.driver("POST", "/test_framework/v1/results/bulk_delete/", { result_ids: [theirs] })
      const compared = await limited.driver("GET", `/test_framework/v1/results/${mine}/compare/?base=${theirs}`)
      expectEqual("a comparison", compared.errors, ["base"])
      const claimed = await limited.driver("POST", "/test_framework/v1/runs/claim/", { channel: "voice", limit: 100 })
      const results = listAt(claimed.body, "results").map((run) => at(run, "result"))
      expectEqual("claimed runs", results.includes(theirs), false)
      expectEqual("the owner's result afterwards", await shown(), before)
    }
  ),
  ledger: asyncInvariant("a limited credential sees no charges of another project", async () => {
    const { limited, owner } = await fixture()
    const theirs = `/credits/totals/?project=${owner.project}`
    expectEqual("totals", at((await limited.driver("GET", theirs)).body, "entries"), 0)
    const { body } = await limited.driver("GET", "/credits/ledger/?limit=200")
    expectEqual(
      "projects",
      listAt(body, "results").some((entry) => at(entry, "project") === owner.project),
      false
    )
  })
})

const sentAs = (thing: Thing): ReadonlySet<string> =>
  new Set(things[thing].requests.map(([method, rest = ""]) => `${method} ${rest.replace(/\?.*/, "")}`))

/** The operations whose entry says something that is not tested; empty. */
const untested = (): ReadonlyArray<string> =>
  Object.entries(coverage).flatMap(([operation, how]) => {
    const rule: OperationRule | undefined = Object.entries(operations).find(([name]) => name === operation)?.[1]
    const isOrganizationWide = rule?.organizationWide === true
    const holds =
      how === "organization"
        ? isOrganizationWide
        : !isOrganizationWide &&
          (how === "lists" ||
            ("path" in how
              ? sentAs(how.path).has(how.request)
              : "in" in how
                ? namings.some(({ to }) => to === how.in)
                : "own" in how || how.noId !== ""))
    return holds ? [] : [operation]
  })

/** What must not change anything is asked in the same two projects, each time about new resources. */
export const scopeProperties = (fixture: () => Promise<ScopedFixture>): ReadonlyArray<AsyncProperty> => {
  const shared = once(fixture)
  return [
    asyncInvariant("every operation is tested with the ids of another project", () => {
      expectEqual("untested operations", untested(), [])
      return Promise.resolve()
    }),
    ...SCOPED.map((thing) =>
      asyncInvariant(`another project's ${thing} is not found, in lists and by every request`, async () => {
        const { limited, owner } = await shared()
        const { path: base, requests } = things[thing]
        const id = await makers[thing](owner)
        const shown = async () => (await owner.driver("GET", `${base}${id}/`)).body
        const before = await shown()
        const first = at((await owner.driver("GET", `${base}?limit=1`)).body, "next")
        const cursor = typeof first === "string" ? `&${new URL(first, "http://earshot").searchParams.toString()}` : ""
        for (const filter of [
          "",
          `&project=${owner.project}`,
          `&agent=${owner.agent}`,
          `&agent_id=${owner.agent}`,
          cursor
        ]) {
          const { body } = await limited.driver("GET", `${base}?limit=200${filter}`)
          if (idsOf(body).includes(id)) throw new Error(`A limited list (${filter}) shows ${thing} ${id}`)
        }
        for (const [method, rest = "", json] of requests) {
          const { body, outcome } = await limited.driver(method, `${base}${id}/${rest}`, json)
          expectEqual(`${method} ${rest} of another project's ${thing}`, isUnreachable(outcome), true)
          const absent = await limited.driver(method, `${base}999999999/${rest}`, json)
          expectEqual(`${method} ${rest} of a missing ${thing}`, [absent.outcome, absent.body], [outcome, body])
        }
        expectEqual(`the owner's ${thing} afterwards`, await shown(), before)
      })
    ),
    ...namings
      .filter(({ names }) => SCOPED.includes(names))
      .map(({ as, field, names, send, to }) =>
        asyncInvariant(`another project's ${names} is rejected as ${field} of ${to}`, async () => {
          const { limited, owner, to: bound } = await shared()
          const id = await makers[names](owner)
          // What is referred to beside it is the limited credential's own.
          const [method, where, json] = await send({ ...limited, driver: owner.driver }, { [field]: as(id) }, id)
          const { errors, outcome } = await limited.driver(method, where, json)
          if (outcome === "denied") return
          if (bound === "project") expectEqual(`${method} ${where}`, [outcome, errors], ["refused", [field]])
          else expectEqual(`${method} ${where}`, outcome === "missing" || outcome === "refused", true)
        })
      ),
    ...Object.values(ownProperties(fixture))
  ]
}
