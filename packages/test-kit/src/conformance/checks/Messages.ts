/** HTTP messages: bodies, methods, paths and content types. */
import { type Fixture, PATHS } from "../Fixture.js"
import { expectDetail, expectFieldErrors, expectStatus, expectTrue, Mismatch } from "../Expect.js"
import { isObject } from "../../Documents.js"
import { checksOf } from "../Check.js"

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
  ["POST", `${PATHS.results}${fixture.unknownId}/delete_runs/`],
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

export const httpMessages = checksOf("messages", {
  bodies: [
    "answers 400 or 415 with a reason to malformed bodies at every endpoint but E2 and E9, never 500",
    async (fixture) => {
      for (const endpoint of await takingBodies(fixture)) await tryMessages(fixture, endpoint)
    }
  ],
  "bodies-E2": [
    "answers 400 or 415 to malformed bodies at E2, with an agent session beside the key",
    async (fixture) => {
      const session = await fixture.credential("agent_session")
      await tryMessages(fixture, { method: "POST", path: PATHS.checkout, multipart: true }, session)
    }
  ],
  "bodies-E9": [
    "answers 400 or 415 to malformed bodies at E9",
    async (fixture) => {
      const { path } = await fixture.result(1)
      await tryMessages(fixture, { method: "POST", path: `${path}delete_runs/`, multipart: true })
    }
  ],
  "trailing-slash": [
    "every path answers with and without its trailing slash",
    async (fixture) => {
      for (const path of [PATHS.predefined, PATHS.dashboards, PATHS.calls]) {
        expectStatus(await fixture.get(path), 200)
        expectStatus(await fixture.get(withoutSlash(path)), 200)
      }
      for (const { lacks, method, path } of await takingBodies(fixture)) {
        for (const either of [path, withoutSlash(path)]) {
          const reply = await fixture.ask(method, either, { json: {} })
          if (lacks === null) expectStatus(reply, 200)
          else expectFieldErrors(reply, lacks)
        }
      }
      // A path that there is not is 404, one that there is says which methods it has.
      for (const [method, path] of await pathsOf(fixture))
        await expectNotAllowed(fixture, "PUT", withoutSlash(path), method)
    }
  ],
  methods: [
    "answers 405 with Allow to another method, and 404 to an unknown path",
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
    "answers JSON, and reports numbers beyond 2^53 and NUL under their field",
    async (fixture) => {
      const reply = await fixture.get(PATHS.predefined)
      expectTrue("the type of an answer", /^application\/json\b/.test(reply.headers.get("content-type") ?? ""))
      const body = `{"call_id": "x", "agent": 9007199254740993, "metadata": {"n": 9007199254740993}, "feedback": "\\u0000"}`
      expectFieldErrors(
        await fixture.ask("POST", PATHS.observe, { headers: JSON_TYPE, body }),
        "agent",
        "metadata",
        "feedback"
      )
    }
  ]
})
