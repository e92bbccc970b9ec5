/**
 * A page of calls in a large database compared with a small one. Pages are found by key, so that the size should make no
 * difference.
 *
 * Environment: `EARSHOT_BENCH_CALLS` (default: 1,000,000, compared with 10,000), `EARSHOT_BENCH_ROUNDS` (default: 21),
 * `EARSHOT_BENCH_DATABASE` (sqlite or postgres; default: both).
 */
import { Calls, Pages } from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { benchmark, type DatabaseName, type Environment, numberFrom } from "./Benchmark.js"
import { load, type LoadedCalls } from "./calls/load.js"
import { compare, format } from "./measure.js"

/** Numbers of calls in the two databases. */
interface Size {
  readonly few: number
  readonly many: number
  readonly rounds: number
}

const PAGES_PER_ROUND = 5
const TARGET = 2

/** The cursor of the page of calls that are older than this id. */
const olderThan = (id: number): string | null =>
  Pages.pageOf({ cursor: Pages.firstPage, limit: 1 }, { rows: [id], hasMore: true, bytes: 0 }, (one) => one).next

const QUERIES: Readonly<Record<string, (loaded: LoadedCalls, count: number) => object>> = {
  newest: () => ({}),
  "in the middle": (_, count) => ({ cursor: olderThan(Math.floor(count / 2)) }),
  "by project": ({ owner }) => ({ project: owner.project }),
  "by agent, in the middle": ({ owner }, count) => ({
    agent_id: owner.agents[0],
    cursor: olderThan(Math.floor(count / 2))
  }),
  "by project with few calls, all old": ({ owner }) => ({ project: owner.quietProject }),
  "by agent with few calls, all old": ({ owner }) => ({ agent_id: owner.quietAgent }),
  "by success, failed calls": ({ owner }) => ({
    project: owner.project,
    filters_v2: JSON.stringify({ field: "success", op: "eq", value: false })
  })
}

const measure = (database: DatabaseName, size: Size, environment: Environment) =>
  Effect.gen(function* () {
    const now = DateTime.toEpochMillis(yield* DateTime.now)
    const few = yield* load(database, { count: size.few, now }, environment)
    const many = yield* load(database, { count: size.many, now }, environment)
    environment.print(`pages of 50 calls on ${database}, ${size.many} vs ${size.few} calls, ${size.rounds} rounds`)
    for (const [title, query] of Object.entries(QUERIES)) {
      const pages = (loaded: LoadedCalls, count: number) =>
        Effect.repeatN(
          loaded.run(Effect.flatMap(Calls, (calls) => calls.list(query(loaded, count)))),
          PAGES_PER_ROUND - 1
        )
      const comparison = yield* compare(size.rounds, pages(many, size.many), pages(few, size.few))
      environment.print(`  ${title.padEnd(40)} ${format(comparison, PAGES_PER_ROUND)} (target: at most ${TARGET})`)
    }
  })

export const pagesBenchmark = benchmark<Size>({
  name: "pages",
  full: {
    few: 10_000,
    many: numberFrom("EARSHOT_BENCH_CALLS", 1_000_000),
    rounds: numberFrom("EARSHOT_BENCH_ROUNDS", 21)
  },
  tiny: { few: 200, many: 400, rounds: 1 },
  run: (size, environment) =>
    Effect.runPromise(
      Effect.forEach(environment.databases, (database) => Effect.scoped(measure(database, size, environment)), {
        discard: true
      })
    )
})
