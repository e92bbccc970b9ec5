/** What holds for requests and lists in general. */
import { at, isObject, listAt } from "../../Documents.js"
import { type Check, checksOf } from "../Check.js"
import {
  bodyOf,
  expectDetail,
  expectFaults,
  expectSame,
  expectShape,
  expectStatus,
  expectTrue,
  list,
  Mismatch,
  orNull,
  Skipped,
  text
} from "../Expect.js"
import { PATHS, type Fixture } from "../Fixture.js"

const JSON_TYPE = { "content-type": "application/json" }

/** Bodies that no endpoint takes, and what each is answered with. */
const messages: ReadonlyArray<
  readonly [what: string, status: number, type: string, body: string | Uint8Array<ArrayBuffer>]
> = [
  ["no JSON", 400, "application/json", "{"],
  ["nothing", 400, "application/json", ""],
  ["a list", 400, "application/json", "[]"],
  ["null", 400, "application/json", "null"],
  ["a text", 400, "application/json", '"x"'],
  ["malformed UTF-8", 400, "application/json", Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
  ["JSON nested 100,000 deep", 400, "application/json", "[".repeat(100_000) + "]".repeat(100_000)],
  ["a key __proto__", 400, "application/json", '{"__proto__": {"call_id": "x"}}'],
  ["a text", 415, "text/plain", "call_id=x"],
  ["XML", 415, "application/xml", "<a/>"],
  ["a multipart body without a boundary", 400, "multipart/form-data", "x"]
]

/** An endpoint of the interface that takes a body, with something there that it is about. */
interface Taking {
  readonly method: "POST" | "PATCH"
  readonly path: string
  /** Whether it takes multipart bodies; others answer them with 415. Source: interface, Endpoints, and docs/ingest.md. */
  readonly multipart: boolean
}

/** The endpoint, and a field that a body without any lacks; none where every field may be left out. */
type TakingFields = Taking & { readonly lacks: string | null }

/** All but E2 and E9, for which more has to be there. */
const takingBodies = async (fixture: Fixture): Promise<ReadonlyArray<TakingFields>> => {
  const dashboard = await fixture.dashboard()
  const widget = await fixture.makeId(PATHS.widgets, { dashboard, chart_type: "stat" })
  const enable = `${PATHS.projects}${await fixture.project()}/enable_personalities/`
  const metric = await fixture.numericMetric()
  return [
    { method: "POST", path: PATHS.validate, multipart: true, lacks: "spec" },
    { method: "PATCH", path: `${PATHS.widgets}${widget}/`, multipart: false, lacks: null },
    { method: "POST", path: PATHS.bulkUpdate, multipart: false, lacks: "scenarios" },
    { method: "POST", path: PATHS.dashboards, multipart: true, lacks: "name" },
    { method: "POST", path: PATHS.simplify, multipart: true, lacks: "original_prompt" },
    { method: "POST", path: enable, multipart: true, lacks: "personalities" },
    { method: "POST", path: PATHS.bulkDelete, multipart: true, lacks: "result_ids" },
    { method: "POST", path: PATHS.observe, multipart: true, lacks: "call_id" },
    { method: "PATCH", path: `${PATHS.metrics}${metric}/`, multipart: false, lacks: null }
  ]
}

/** Sends each body that no endpoint takes. */
const tryMessages = async (
  fixture: Fixture,
  { method, multipart, path }: Taking,
  headers: Readonly<Record<string, string>> = {}
): Promise<void> => {
  for (const [what, status, type, body] of messages) {
    // An empty body leaves every field out, which changes nothing.
    if (method === "PATCH" && body === "") continue
    const reply = await fixture.ask(method, path, { headers: { "content-type": type, ...headers }, body })
    const expected = type.startsWith("multipart") && !multipart ? 415 : status
    if (reply.status !== expected)
      throw new Mismatch(`${what} at ${method} ${path} answered ${reply.status}; expected ${expected}`)
    if (!isObject(reply.json)) throw new Mismatch(`${what} at ${path} is answered without a reason`)
  }
}

/** Every path of the interface's endpoints, with the method that the interface has there. */
const pathsOf = async (fixture: Fixture): Promise<ReadonlyArray<readonly [method: string, path: string]>> => [
  ...(await takingBodies(fixture)).map(({ method, path }) => [method, path] as const),
  ["POST", PATHS.checkout],
  ["POST", `${PATHS.results}${fixture.nobody}/delete_runs/`],
  ["GET", PATHS.predefined]
]

const withoutSlash = (path: string): string => path.slice(0, -1)

const expectNotAllowed = async (fixture: Fixture, method: string, path: string, allowed: string): Promise<void> => {
  const reply = await fixture.ask(method, path)
  expectDetail(reply, 405)
  const allow = (reply.headers.get("allow") ?? "").split(",").map((one) => one.trim())
  expectTrue(`${method} ${path} answers 405 with Allow: ${allow.join(", ")}`, allow.includes(allowed))
  expectTrue(`${method} ${path} answers 405 and is in Allow`, !allow.includes(method))
}

const message = checksOf("messages", {
  bodies: [
    "a body that is malformed, of another type or no object is refused with 400 or 415 and a reason, never with 500, at every endpoint but E2 and E9",
    async (fixture) => {
      for (const endpoint of await takingBodies(fixture)) await tryMessages(fixture, endpoint)
    }
  ],
  "bodies-E2": [
    "the same holds for E2, with an agent's session beside the key",
    async (fixture) => {
      const session = await fixture.credential("agent_session")
      await tryMessages(fixture, { method: "POST", path: PATHS.checkout, multipart: true }, session)
    }
  ],
  "bodies-E9": [
    "the same holds for E9",
    async (fixture) => {
      const { path } = await fixture.result(1)
      await tryMessages(fixture, { method: "POST", path: `${path}delete_runs/`, multipart: true })
    }
  ],
  "trailing-slash": [
    "every path answers with and without its last slash",
    async (fixture) => {
      for (const path of [PATHS.predefined, PATHS.dashboards, PATHS.calls]) {
        expectStatus(await fixture.get(path), 200)
        expectStatus(await fixture.get(withoutSlash(path)), 200)
      }
      for (const { lacks, method, path } of await takingBodies(fixture)) {
        for (const either of [path, withoutSlash(path)]) {
          const reply = await fixture.ask(method, either, { json: {} })
          if (lacks === null) expectStatus(reply, 200)
          else expectFaults(reply, lacks)
        }
      }
      // A path that there is not is 404, one that there is says which methods it has.
      for (const [method, path] of await pathsOf(fixture))
        await expectNotAllowed(fixture, "PUT", withoutSlash(path), method)
    }
  ],
  methods: [
    "a method that a path does not have is 405 with those that it has in Allow, and a path that there is not is 404",
    async (fixture) => {
      for (const [method, path] of await pathsOf(fixture)) await expectNotAllowed(fixture, "PUT", path, method)
      await expectNotAllowed(fixture, "GET", PATHS.observe, "POST")
      await expectNotAllowed(fixture, "PATCH", PATHS.observe, "POST")
      await expectNotAllowed(fixture, "GET", PATHS.checkout, "POST")
      await expectNotAllowed(fixture, "DELETE", PATHS.predefined, "GET")
      await expectNotAllowed(fixture, "POST", PATHS.predefined, "GET")
      await expectNotAllowed(fixture, "GET", `${PATHS.projects}1/enable_personalities/`, "POST")
      expectDetail(await fixture.get("/no/such/path/"), 404)
    }
  ],
  types: [
    "answers are JSON, and numbers beyond 2^53 and NUL are faults of their field wherever they stand",
    async (fixture) => {
      const reply = await fixture.get(PATHS.predefined)
      expectTrue("the type of an answer", /^application\/json\b/.test(reply.headers.get("content-type") ?? ""))
      const body = `{"call_id": "x", "agent": 9007199254740993, "metadata": {"n": 9007199254740993}, "feedback": "\\u0000"}`
      expectFaults(
        await fixture.ask("POST", PATHS.observe, { headers: JSON_TYPE, body }),
        "agent",
        "metadata",
        "feedback"
      )
    }
  ]
})

/** Five dashboards of a project of their own, oldest first. */
const fiveDashboards = async (fixture: Fixture) => {
  const project = await fixture.makeId(PATHS.projects, { name: "Paged" })
  const add = () => fixture.dashboard({ project })
  const ids = [await add(), await add(), await add(), await add(), await add()]
  const page = async (query: string) =>
    bodyOf(await fixture.get(`${PATHS.dashboards}?project=${project}&${query}`), 200)
  return { add, ids, page, project }
}

const cursor = (of: unknown): string => `cursor=${typeof of === "string" ? encodeURIComponent(of) : ""}`

const idsOf = (page: unknown) => listAt(page, "results").map((one) => at(one, "id"))

const pages = checksOf("pages", {
  walk: [
    "a walk through a list meets every row once, newest first, while rows are inserted, and leads back the same way",
    async (fixture) => {
      const { add, ids, page } = await fiveDashboards(fixture)
      const newestFirst = [...ids].reverse()
      const seen: Array<unknown> = []
      let current = await page("limit=2")
      expectSame("previous of the first page", current.previous, null)
      for (let n = 0; n < 10; n++) {
        seen.push(...idsOf(current))
        if (current.next === null) break
        await add()
        current = await page(`limit=2&${cursor(current.next)}`)
      }
      expectSame("the rows", seen, newestFirst)
      const back = await page(`limit=2&${cursor(current.previous)}`)
      expectSame("the page before the last one", idsOf(back), newestFirst.slice(2, 4))
    }
  ],
  limits: [
    "limit is 1 to 200, and a cursor that no page gave out is a fault",
    async (fixture) => {
      const { ids, page, project } = await fiveDashboards(fixture)
      expectSame("the rows of limit=200", idsOf(await page("limit=200")).length, ids.length)
      expectSame("the rows of limit=1", idsOf(await page("limit=1")), [ids[4]])
      const list = `${PATHS.dashboards}?project=${project}`
      for (const limit of ["0", "201", "-1", "some", "1.5"]) {
        expectFaults(await fixture.get(`${list}&limit=${limit}`), "limit")
      }
      for (const cursor of ["x", "b0", "YjA", "%00"]) expectStatus(await fixture.get(`${list}&cursor=${cursor}`), 400)
    }
  ]
})

/** Lists beyond that of dashboards; those that a server lacks are passed over. Source: docs/http.md, Filters of lists. */
const otherLists = [
  PATHS.calls,
  PATHS.widgets,
  PATHS.projects,
  PATHS.agents,
  PATHS.evaluators,
  PATHS.metrics,
  PATHS.personalities,
  PATHS.profiles,
  PATHS.tools,
  PATHS.numbers,
  PATHS.folders,
  PATHS.results,
  PATHS.runs,
  PATHS.keys,
  PATHS.links,
  PATHS.ledger
]

const isThere = async (fixture: Fixture, path: string): Promise<boolean> =>
  ![404, 405].includes((await fixture.get(`${path}?limit=1`)).status)

/** What makes a thing in a project, by the list that it is in. */
const things: ReadonlyArray<
  readonly [path: string, body: (fixture: Fixture, project: number, agent: number) => Readonly<Record<string, unknown>>]
> = [
  [PATHS.agents, (_, project) => ({ project, name: "Listed" })],
  [
    PATHS.evaluators,
    (_, _project, agent) => ({ agent, name: "Listed", scenario_type: "instruction", instructions: "Say hello." })
  ],
  [
    PATHS.metrics,
    (_, _project, agent) => ({ agent, name: "Listed", type: "llm_judge", eval_type: "binary", prompt: "Is it so?" })
  ],
  [PATHS.personalities, (_, project) => ({ project, name: "Listed", language: "en" })],
  [PATHS.profiles, (_, project) => ({ project, name: "Listed" })],
  [PATHS.tools, ({ callId }, project) => ({ project, name: callId() })],
  [
    PATHS.numbers,
    ({ callId }, project) => ({ project, number: `+1555${String(Date.now()).slice(-7)}${callId().split("-").at(-1)}` })
  ],
  [PATHS.folders, ({ callId }, project) => ({ project, path: callId() })]
]

/** More than a new project's list has. */
const MOST_PAGES = 40

const lists = checksOf("lists", {
  limits: [
    "every list is a page of next, previous and results, with limit from 1 to 200, and a cursor that no page gave out is a fault",
    async (fixture) => {
      let tried = 0
      for (const path of otherLists) {
        if (!(await isThere(fixture, path))) continue
        tried++
        const page = bodyOf(await fixture.get(`${path}?limit=200`), 200)
        expectShape(`the page ${path}`, page, { next: orNull(text), previous: orNull(text), results: list })
        expectSame(`previous of the first page ${path}`, page.previous, null)
        const one = bodyOf(await fixture.get(`${path}?limit=1`), 200)
        expectSame(`the page ${path} of one`, listAt(one, "results"), listAt(page, "results").slice(0, 1))
        for (const limit of ["0", "201", "some"]) expectFaults(await fixture.get(`${path}?limit=${limit}`), "limit")
        for (const cursor of ["x", "b0"]) expectFaults(await fixture.get(`${path}?cursor=${cursor}`), "cursor")
      }
      if (tried === 0) throw new Skipped("the server has no other lists")
    }
  ],
  walk: [
    "a walk through any list of a project's things meets each once, newest first, and none of another project's",
    async (fixture) => {
      const [here, there] = [await fixture.elsewhere(), await fixture.elsewhere()]
      for (const [path, body] of things) {
        if (!(await isThere(fixture, path))) continue
        const make = ({ agent, project }: typeof here) => fixture.makeId(path, body(fixture, project, agent))
        const ids = [await make(here), await make(here)]
        const foreign = await make(there)
        ids.push(await make(here))
        const seen: Array<unknown> = []
        let query = `project=${here.project}&limit=2`
        // An agent brings metrics along, which are in the list too.
        for (let pages = 0; pages < MOST_PAGES; pages++) {
          const page = bodyOf(await fixture.get(`${path}?${query}`), 200)
          const found = idsOf(page)
          expectTrue(`a page of ${found.length} at ${path}?${query}`, found.length <= 2)
          seen.push(...found)
          if (page.next === null) break
          query = `project=${here.project}&limit=2&${cursor(page.next)}`
        }
        expectSame(`rows at ${path} that are there twice`, seen.length - new Set(seen).size, 0)
        expectSame(`what was made at ${path}`, seen.slice(0, ids.length), [...ids].reverse())
        expectTrue(`${path}?project=${here.project} shows what is another's`, !seen.includes(foreign))
        expectFaults(await fixture.get(`${path}?project=word`), "project")
      }
    }
  ]
})

export const general: ReadonlyArray<Check> = [...message, ...pages, ...lists]
