/** Lists and their pages. */
import { type Fixture, PATHS } from "../Fixture.js"
import {
  bodyOf,
  expectFieldErrors,
  expectEqual,
  expectShape,
  expectStatus,
  expectTrue,
  list,
  orNull,
  Skipped,
  text
} from "../Expect.js"
import { at, listAt } from "../../Documents.js"
import { checksOf } from "../Check.js"

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

export const pages = checksOf("pages", {
  traversal: [
    "paging forward and back returns every row once, newest first, while rows are inserted",
    async (fixture) => {
      const { add, ids, page } = await fiveDashboards(fixture)
      const newestFirst = [...ids].reverse()
      const seen: Array<unknown> = []
      let current = await page("limit=2")
      expectEqual("previous of the first page", current.previous, null)
      for (let n = 0; n < 10; n++) {
        seen.push(...idsOf(current))
        if (current.next === null) break
        await add()
        current = await page(`limit=2&${cursor(current.next)}`)
      }
      expectEqual("the rows", seen, newestFirst)
      const back = await page(`limit=2&${cursor(current.previous)}`)
      expectEqual("the page before the last one", idsOf(back), newestFirst.slice(2, 4))
    }
  ],
  limits: [
    "accepts a limit of 1 to 200, and rejects an unknown cursor",
    async (fixture) => {
      const { ids, page, project } = await fiveDashboards(fixture)
      expectEqual("the rows of limit=200", idsOf(await page("limit=200")).length, ids.length)
      expectEqual("the rows of limit=1", idsOf(await page("limit=1")), [ids[4]])
      const list = `${PATHS.dashboards}?project=${project}`
      for (const limit of ["0", "201", "-1", "some", "1.5"]) {
        expectFieldErrors(await fixture.get(`${list}&limit=${limit}`), "limit")
      }
      for (const cursor of ["x", "b0", "YjA", "%00"]) expectStatus(await fixture.get(`${list}&cursor=${cursor}`), 400)
    }
  ]
})

export const lists = checksOf("lists", {
  limits: [
    "every list is a page of next, previous and results, accepts a limit of 1 to 200 and rejects an unknown cursor",
    async (fixture) => {
      let tried = 0
      for (const path of otherLists) {
        if (!(await isThere(fixture, path))) continue
        tried++
        const page = bodyOf(await fixture.get(`${path}?limit=200`), 200)
        expectShape(`the page ${path}`, page, { next: orNull(text), previous: orNull(text), results: list })
        expectEqual(`previous of the first page ${path}`, page.previous, null)
        const one = bodyOf(await fixture.get(`${path}?limit=1`), 200)
        expectEqual(`the page ${path} of one`, listAt(one, "results"), listAt(page, "results").slice(0, 1))
        for (const limit of ["0", "201", "some"])
          expectFieldErrors(await fixture.get(`${path}?limit=${limit}`), "limit")
        for (const cursor of ["x", "b0"]) expectFieldErrors(await fixture.get(`${path}?cursor=${cursor}`), "cursor")
      }
      if (tried === 0) throw new Skipped("the server has no other lists")
    }
  ],
  traversal: [
    "paging through every list of a project returns each row once, newest first, and none of another project",
    async (fixture) => {
      const [here, there] = [await fixture.otherProject(), await fixture.otherProject()]
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
        expectEqual(`rows at ${path} that are there twice`, seen.length - new Set(seen).size, 0)
        expectEqual(`what was made at ${path}`, seen.slice(0, ids.length), [...ids].reverse())
        expectTrue(`${path}?project=${here.project} shows what is another's`, !seen.includes(foreign))
        expectFieldErrors(await fixture.get(`${path}?project=word`), "project")
      }
    }
  ]
})
