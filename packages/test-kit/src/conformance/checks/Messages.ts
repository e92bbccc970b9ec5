/** What holds for requests and lists in general. */
import { at, isObject, listAt } from "../../Documents.js"
import { type Check, checksOf } from "../Check.js"
import { bodyOf, expectDetail, expectFaults, expectSame, expectStatus, expectTrue, Mismatch } from "../Expect.js"
import { PATHS, type World } from "../World.js"

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

const posts = [PATHS.observe, PATHS.dashboards, PATHS.bulkUpdate]

const message = checksOf("messages", {
  bodies: [
    "a body that is malformed, of another type or no object is refused with 400 or 415 and a reason, never with 500",
    async (world) => {
      for (const path of posts) {
        for (const [what, status, type, body] of messages) {
          const reply = await world.ask("POST", path, { headers: { "content-type": type }, body })
          // E4 takes no multipart body at all.
          const expected = path === PATHS.bulkUpdate && type.startsWith("multipart") ? 415 : status
          if (reply.status !== expected)
            throw new Mismatch(`${what} at ${path} answered ${reply.status}; expected ${expected}`)
          if (!isObject(reply.json)) throw new Mismatch(`${what} at ${path} is answered without a reason`)
        }
      }
    }
  ],
  "trailing-slash": [
    "every path answers with and without its last slash",
    async (world) => {
      for (const path of [PATHS.predefined, PATHS.dashboards, PATHS.calls]) {
        expectStatus(await world.get(path), 200)
        expectStatus(await world.get(path.slice(0, -1)), 200)
      }
      expectFaults(await world.post(PATHS.observe.slice(0, -1), {}), "call_id")
      expectFaults(await world.post(PATHS.bulkUpdate.slice(0, -1), {}), "scenarios")
    }
  ],
  methods: [
    "a method that a path does not have is 405 with Allow, and a path that there is not is 404",
    async (world) => {
      for (const [method, path] of [
        ["GET", PATHS.observe],
        ["PUT", PATHS.dashboards],
        ["DELETE", PATHS.predefined],
        ["GET", `${PATHS.projects}1/enable_personalities/`]
      ] as const) {
        const reply = await world.ask(method, path)
        expectDetail(reply, 405)
        expectTrue(`${method} ${path} answers 405 without Allow`, reply.headers.has("allow"))
      }
      expectDetail(await world.get("/no/such/path/"), 404)
    }
  ],
  types: [
    "answers are JSON, and numbers beyond 2^53 and NUL are faults of their field wherever they stand",
    async (world) => {
      const reply = await world.get(PATHS.predefined)
      expectTrue("the type of an answer", /^application\/json\b/.test(reply.headers.get("content-type") ?? ""))
      const body = `{"call_id": "x", "agent": 9007199254740993, "metadata": {"n": 9007199254740993}, "feedback": "\\u0000"}`
      expectFaults(
        await world.ask("POST", PATHS.observe, { headers: JSON_TYPE, body }),
        "agent",
        "metadata",
        "feedback"
      )
    }
  ]
})

/** Five dashboards of a project of their own, oldest first. */
const fiveDashboards = async (world: World) => {
  const project = await world.makeId(PATHS.projects, { name: "Paged" })
  const add = () => world.dashboard({ project })
  const ids = [await add(), await add(), await add(), await add(), await add()]
  const page = async (query: string) => bodyOf(await world.get(`${PATHS.dashboards}?project=${project}&${query}`), 200)
  return { add, ids, page, project }
}

const cursor = (of: unknown): string => `cursor=${typeof of === "string" ? encodeURIComponent(of) : ""}`

const idsOf = (page: unknown) => listAt(page, "results").map((one) => at(one, "id"))

const pages = checksOf("pages", {
  walk: [
    "a walk through a list meets every row once, newest first, while rows are inserted, and leads back the same way",
    async (world) => {
      const { add, ids, page } = await fiveDashboards(world)
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
    async (world) => {
      const { ids, page, project } = await fiveDashboards(world)
      expectSame("the rows of limit=200", idsOf(await page("limit=200")).length, ids.length)
      expectSame("the rows of limit=1", idsOf(await page("limit=1")), [ids[4]])
      const list = `${PATHS.dashboards}?project=${project}`
      for (const limit of ["0", "201", "-1", "some", "1.5"]) {
        expectFaults(await world.get(`${list}&limit=${limit}`), "limit")
      }
      for (const cursor of ["x", "b0", "YjA", "%00"]) expectStatus(await world.get(`${list}&cursor=${cursor}`), 400)
    }
  ]
})

export const general: ReadonlyArray<Check> = [...message, ...pages]
