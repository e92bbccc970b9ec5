/**
 * What a page of calls costs in a large database in proportion to a small one. Pages are found by key, so that the size
 * should make no difference.
 *
 * `EARSHOT_BENCH_CALLS` (1,000,000 against 10,000), `EARSHOT_BENCH_ROUNDS` (21) and `EARSHOT_BENCH_DATABASE` (sqlite or
 * postgres; both) change what is asked.
 */
import { Calls, Pages } from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { type Database, DATABASES, load, type Loaded } from "./calls/load.js"
import { interleaved, numberFrom, say } from "./calls/rounds.js"

export const name = "pages"

const FEW = 10_000
const MANY = numberFrom("EARSHOT_BENCH_CALLS", 1_000_000)
const ROUNDS = numberFrom("EARSHOT_BENCH_ROUNDS", 21)
const PAGES_A_ROUND = 5
const TARGET = 2

/** The cursor of the page of calls older than this one. */
const olderThan = (id: number): string | null =>
  Pages.pageOf({ cursor: Pages.firstPage, limit: 1 }, [id, id - 1], (one) => one).next

const QUERIES: Readonly<Record<string, (loaded: Loaded, count: number) => object>> = {
  "the newest": () => ({}),
  "in the middle": (_, count) => ({ cursor: olderThan(count / 2) }),
  "of a project": ({ owner }) => ({ project: owner.project }),
  "of an agent, in the middle": ({ owner }, count) => ({ agent_id: owner.agents[0], cursor: olderThan(count / 2) }),
  "of a project with few calls, all old": ({ owner }) => ({ project: owner.quietProject }),
  "of an agent with few calls, all old": ({ owner }) => ({ agent_id: owner.quietAgent }),
  "of failed calls": ({ owner }) => ({
    project: owner.project,
    filters_v2: JSON.stringify({ field: "success", op: "eq", value: false })
  })
}

const compare = (database: Database) =>
  Effect.gen(function* () {
    const now = DateTime.toEpochMillis(yield* DateTime.now)
    const few = yield* load(database, { count: FEW, now })
    const many = yield* load(database, { count: MANY, now })
    yield* say(`pages of 50 calls on ${database}, of ${MANY} against ${FEW}, ${ROUNDS} interleaved rounds`)
    for (const [title, query] of Object.entries(QUERIES)) {
      const pages = (loaded: Loaded, count: number) =>
        Effect.repeatN(
          loaded.ask(Effect.flatMap(Calls, (calls) => calls.list(query(loaded, count)))),
          PAGES_A_ROUND - 1
        )
      const { ours, ratio, theirs } = yield* interleaved(ROUNDS, pages(many, MANY), pages(few, FEW))
      yield* say(
        `  ${title.padEnd(40)} ${(ours / PAGES_A_ROUND).toFixed(2).padStart(7)} ms against ` +
          `${(theirs / PAGES_A_ROUND).toFixed(2).padStart(6)} ms: median ratio ${ratio.toFixed(2)} (target ${TARGET})`
      )
    }
  })

export const run = (): Promise<void> => {
  const only = process.env.EARSHOT_BENCH_DATABASE
  const asked = DATABASES.filter((one) => only === undefined || only === one)
  return Effect.runPromise(Effect.forEach(asked, (database) => Effect.scoped(compare(database)), { discard: true }))
}
