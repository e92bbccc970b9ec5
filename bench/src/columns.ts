/**
 * Widgets on the embedded column store compared with DuckDB on the same rows: as loaded, after changes of one call in a
 * hundred, and after what they replaced has been erased. Both sides must return the same numbers before they are timed.
 *
 * Environment: `EARSHOT_BENCH_CALLS` (default: 1,000,000), `EARSHOT_BENCH_ROUNDS` (default: 7).
 */
import { readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import {
  authorize,
  chartData,
  ColumnStore,
  type AnalyticsSource,
  type ColumnStoreUnavailable,
  hostActor,
  MetricId,
  OrganizationId,
  ProjectId,
  ResourceNames,
  type StorageError
} from "@earshot/core"
import { ClickHouseColumnStore } from "@earshot/core/clickhouse"
import { AnalyticsKit } from "@earshot/test-kit/plain"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { benchmark, type Environment, numberFrom } from "./Benchmark.js"
import { type Amount, loadDuckDb, type Owner, projectedCalls, temporaryFolder } from "./calls/load.js"
import { timeOfProcesses } from "./ingest/processorTime.js"
import { alternate, format, median, timed } from "./measure.js"
import { areClose, cases, numbersOf, sorted, WEEK } from "./widgets.js"

interface Size {
  readonly calls: number
  readonly rounds: number
  /** How many of the widgets are compared again after the calls have changed. */
  readonly again: number
}

const OWNER: Owner = { organization: 1, project: 1, agents: [1, 2, 3], metric: 1, quietProject: 2, quietAgent: 4 }

/** Calls that are applied at a time: as many as the projector applies, or more where there are more than a million. */
const batchOf = (calls: number): number => Math.max(5000, Math.ceil(calls / 200))

const noNames = Layer.succeed(
  ResourceNames,
  ResourceNames.of({ agents: () => Effect.succeed(new Map()), metrics: () => Effect.succeed(new Map()) })
)

const permit = Either.getOrThrow(authorize(hostActor(OrganizationId.make(OWNER.organization)), "widgets.data"))

/** Bytes of all files in a folder. */
const sizeOf = (folder: string) =>
  Effect.promise(async () => {
    let bytes = 0
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      // Files of merged parts go meanwhile.
      if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }))).size
    }
    return bytes
  })

/** Resident memory of the engine's process, in megabytes. */
const memoryOf = (folder: string) =>
  Effect.promise(async () => {
    const pid = /"pid":(\d+)/.exec(await readFile(join(folder, "endpoint.json"), "utf8"))?.[1]
    const status = await readFile(`/proc/${pid ?? "none"}/status`, "utf8").catch(() => "")
    return `${Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)} MB now, ${Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024)} MB at most`
  })

const measure = (size: Size, environment: Environment) =>
  Effect.gen(function* () {
    const now = DateTime.toEpochMillis(yield* DateTime.now)
    const amount: Amount = { count: size.calls, now }
    const directory = yield* temporaryFolder
    const started = performance.now()
    const context = yield* Layer.build(
      ClickHouseColumnStore.layerEmbedded({ directory, queryTimeout: "10 minutes" }).pipe(Layer.provide(noNames))
    )
    const store = yield* Effect.provide(ColumnStore, context)
    yield* store.prepare("bench")
    environment.print(`column store: prepared in ${Math.round(performance.now() - started)} ms`)
    const batch = batchOf(size.calls)
    const loading = performance.now()
    for (let first = 1; first <= size.calls; first += batch) {
      const calls = projectedCalls(OWNER, amount, [first, Math.min(size.calls, first + batch - 1)])
      yield* store.apply({ upserts: calls, deletes: [] })
    }
    const seconds = (performance.now() - loading) / 1000
    environment.print(`column store: ${size.calls} calls applied at ${Math.round(size.calls / seconds)} calls a second`)
    const duckDb = yield* loadDuckDb(OWNER, amount)
    const processorTime = timeOfProcesses(process.pid)
    const source: AnalyticsSource<ColumnStoreUnavailable | StorageError> = {
      totals: (query) => store.analytics.totals(permit, query),
      typeCounts: (query) => store.analytics.typeCounts(permit, query),
      timeRange: (query) => store.analytics.timeRange(permit, query),
      timeline: (query) => store.analytics.timeline(permit, query),
      shares: (query) => store.analytics.shares(permit, query)
    }
    const of = {
      projectId: ProjectId.make(OWNER.project),
      metric: (id: number) => MetricId.make(id),
      renumber: <Filter>(filter: Filter) => filter
    }

    const compareAll = (state: string, count: number) =>
      Effect.gen(function* () {
        environment.print(
          `widgets over ${size.calls} calls on the column store vs DuckDB, ${state}, ${size.rounds} rounds`
        )
        const ratios: Array<number> = []
        for (const { duckDb: statement, title, widget } of cases(OWNER).slice(0, count)) {
          for (const [span, since] of [
            ["all", now - 100 * WEEK],
            ["7 days", now - WEEK]
          ] as const) {
            const filters =
              span === "all" ? null : { field: "timestamp", op: "gte", value: new Date(since).toISOString() }
            const latencyMetrics = [OWNER.metric]
            const query = AnalyticsKit.widgetQuery({ dashboard: 1, ...widget, filters }, { latencyMetrics, of })
            const ours = store.analytics.inSnapshot(permit, "chart", chartData(query, source))
            const scope = `organization_id = ${OWNER.organization} AND project_id = ${OWNER.project}`
            const theirs = duckDb.query(statement(`${scope} AND c.timestamp_ms >= ${since}`))
            const [data, rows] = yield* Effect.all([ours, theirs])
            const [found, expected] = [sorted(numbersOf(data)), sorted(rows.map((row) => row.at(-1)))]
            if (!areClose(found, expected)) {
              return yield* Effect.dieMessage(`${title}, ${span}: got ${found.join()}, expected ${expected.join()}`)
            }
            // The first answers have warmed both sides up.
            const comparison = yield* alternate(size.rounds, timed(ours, processorTime), timed(theirs))
            ratios.push(comparison.ratio)
            environment.print(`  ${`${title}, ${span}`.padEnd(40)} ${format(comparison)}`)
          }
        }
        environment.print(`  ${"median of the ratios".padEnd(40)} ${median(ratios).toFixed(2)}x`)
      })

    yield* compareAll("as loaded", Infinity)
    const changed = Array.from({ length: Math.ceil(size.calls / 100) }, (_, index) => 1 + ((index * 7919) % size.calls))
    const changing = performance.now()
    for (let first = 0; first < changed.length; first += batch) {
      const calls = [...new Set(changed.slice(first, first + batch))].flatMap((i) =>
        projectedCalls(OWNER, amount, [i, i])
      )
      yield* store.apply({ upserts: calls.map((call) => ({ ...call, version: 2 })), deletes: [] })
    }
    environment.print(`column store: ${changed.length} calls changed in ${Math.round(performance.now() - changing)} ms`)
    yield* compareAll("after changes of one call in a hundred", size.again)
    const erasing = performance.now()
    yield* store.eraseFiles
    environment.print(`column store: erased in ${Math.round(performance.now() - erasing)} ms`)
    yield* compareAll("after erasure", size.again)
    environment.print(
      `column store: ${Math.round((yield* sizeOf(directory)) / 1e6)} MB on disk, ${yield* memoryOf(directory)}`
    )
  })

export const columnsBenchmark = benchmark<Size>({
  name: "columns",
  full: {
    calls: numberFrom("EARSHOT_BENCH_CALLS", 1_000_000),
    rounds: numberFrom("EARSHOT_BENCH_ROUNDS", 7),
    again: Infinity
  },
  // A statement takes the engine some 30 ms to plan, however few calls there are.
  tiny: { calls: 500, rounds: 1, again: 2 },
  run: (size, environment) => Effect.runPromise(Effect.scoped(measure(size, environment)))
})
