/**
 * Widgets over many calls compared with DuckDB, an analytical database, on the same rows. Both sides must return the same
 * numbers before they are timed.
 *
 * Environment: `EARSHOT_BENCH_CALLS` (default: 1,000,000), `EARSHOT_BENCH_ROUNDS` (default: 7), `EARSHOT_BENCH_DATABASE`
 * (sqlite or postgres; default: both).
 */
import { Dashboards, type WidgetData, Widgets, untrusted } from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { benchmark, type DatabaseName, type Environment, numberFrom } from "./Benchmark.js"
import { load, loadDuckDb, type Owner } from "./calls/load.js"
import { alternate, format, timed } from "./measure.js"

interface Size {
  readonly calls: number
  readonly rounds: number
}

export const WEEK = 7 * 86_400_000

interface Case {
  readonly title: string
  readonly widget: object
  /** The equivalent DuckDB query over the calls that match `where`. The last column of its rows is the number. */
  readonly duckDb: (where: string) => string
}

const DAY_OF = "c.timestamp_ms // 86400000 * 86400000"

/** Counts of the 50 most frequent values; the data has fewer. */
const shares = (value: string) => (where: string) =>
  `SELECT value, count(*) FROM (SELECT ${value} AS value FROM calls c WHERE ${where})
    WHERE value IS NOT NULL GROUP BY value ORDER BY 2 DESC, 1 LIMIT 51`

const daily = (aggregate: string, of: string) => (where: string) =>
  `SELECT ${DAY_OF}, ${aggregate} FROM calls c WHERE ${where} AND ${of} IS NOT NULL GROUP BY 1 ORDER BY 1`

export const cases = (owner: Owner): ReadonlyArray<Case> => [
  {
    title: "stat",
    widget: { chart_type: "stat" },
    duckDb: (where) =>
      `SELECT unnest([count(*), avg(success), avg(duration_s), (
        SELECT quantile_cont(e.value_number, 0.95) FROM metric_evaluations e JOIN calls c ON c.id = e.call_id
        WHERE e.metric_id = ${owner.metric} AND ${where}), (
        SELECT quantile_cont(latency, 0.95) FROM (
          SELECT unnest(e.latencies) AS latency FROM answer_latencies e JOIN calls c ON c.id = e.call_id
          WHERE e.metric_id = ${owner.metric} AND ${where}))]) FROM calls c WHERE ${where}`
  },
  {
    title: "bar, mean duration per day",
    widget: { chart_type: "bar", field: "duration", aggregation_function: "avg", time_period: "day" },
    duckDb: daily("avg(duration_s)", "duration_s")
  },
  {
    title: "bar, p95 of duration per day",
    widget: { chart_type: "bar", field: "duration", aggregation_function: "p95", time_period: "day" },
    duckDb: daily("quantile_cont(duration_s, 0.95)", "duration_s")
  },
  {
    title: "bar, calls per day by reason",
    widget: {
      chart_type: "bar",
      field: "id",
      aggregation_function: "count",
      time_period: "day",
      group_by: { type: "field", field: "call_ended_reason" }
    },
    duckDb: (where) =>
      `SELECT ${DAY_OF}, call_ended_reason, count(*) FROM calls c WHERE ${where} GROUP BY ALL ORDER BY ALL`
  },
  {
    title: "line, duration",
    widget: {
      chart_type: "line",
      field: "duration",
      group_by: { type: "bucket", interval: 86_400_000 }
    },
    duckDb: daily("avg(duration_s)", "duration_s")
  },
  {
    title: "line, a metric",
    widget: {
      chart_type: "line",
      field: "metric_evaluations.value",
      metric: owner.metric,
      group_by: { type: "bucket", interval: 86_400_000 }
    },
    duckDb: (where) =>
      `SELECT ${DAY_OF}, avg(e.value_number) FROM calls c JOIN metric_evaluations e ON e.call_id = c.id
        WHERE e.metric_id = ${owner.metric} AND ${where} GROUP BY 1 ORDER BY 1`
  },
  {
    title: "pie, reasons",
    widget: { chart_type: "pie", field: "call_ended_reason" },
    duckDb: shares("call_ended_reason")
  },
  {
    title: "pie, metadata.region",
    widget: { chart_type: "pie", field: "metadata.region" },
    duckDb: shares("metadata ->> '$.region'")
  }
]

/** The numbers of a chart, without periods that have no calls. */
export const numbersOf = (data: WidgetData): ReadonlyArray<number | null> => {
  switch (data.chartType) {
    case "stat":
      return [data.totalCalls, data.successRate, data.avgDuration, data.p95CallLatency, data.p95Latency]
    case "line":
    case "bar":
      return data.series.flatMap(({ points }) => points.filter(({ count }) => count > 0).map(({ value }) => value))
    case "pie":
      return data.series.flatMap(({ points }) => points.map(({ value }) => value))
  }
}

export const sorted = (numbers: ReadonlyArray<unknown>): ReadonlyArray<number> =>
  numbers.map(Number).sort((a, b) => a - b)

export const areClose = (some: ReadonlyArray<number>, others: ReadonlyArray<number>): boolean =>
  some.length === others.length &&
  some.every((one, i) => Math.abs(one - (others[i] ?? Number.NaN)) <= 1e-9 * Math.max(1, Math.abs(one)))

const measure = (database: DatabaseName, size: Size, environment: Environment) =>
  Effect.gen(function* () {
    const now = DateTime.toEpochMillis(yield* DateTime.now)
    const amount = { count: size.calls, now }
    const { owner, processorTime, run } = yield* load(database, amount, environment)
    const duckDb = yield* loadDuckDb(owner, amount)
    const dashboard = yield* run(
      Effect.flatMap(Dashboards, (dashboards) => dashboards.create({ name: "Bench", project: owner.project }))
    )
    environment.print(`widgets over ${size.calls} calls on ${database} vs DuckDB, ${size.rounds} rounds`)
    for (const { duckDb: statement, title, widget } of cases(owner)) {
      for (const [span, since] of [
        ["all", now - 100 * WEEK],
        ["7 days", now - WEEK]
      ] as const) {
        const filters = span === "all" ? null : { field: "timestamp", op: "gte", value: new Date(since).toISOString() }
        const ours = run(
          Effect.flatMap(Widgets, (widgets) =>
            widgets.preview(untrusted({ dashboard: dashboard.id, ...widget, filters }))
          )
        )
        const scope = `organization_id = ${owner.organization} AND project_id = ${owner.project}`
        const theirs = duckDb.query(statement(`${scope} AND c.timestamp_ms >= ${since}`))
        const [data, rows] = yield* Effect.all([ours, theirs])
        const [found, expected] = [sorted(numbersOf(data)), sorted(rows.map((row) => row.at(-1)))]
        if (!areClose(found, expected)) {
          return yield* Effect.dieMessage(`${title}, ${span}: got ${found.join()}, expected ${expected.join()}`)
        }
        // The first answers have warmed both sides up.
        const comparison = yield* alternate(size.rounds, timed(ours, processorTime), timed(theirs))
        environment.print(`  ${`${title}, ${span}`.padEnd(40)} ${format(comparison)}`)
      }
    }
  })

export const widgetsBenchmark = benchmark<Size>({
  name: "widgets",
  full: { calls: numberFrom("EARSHOT_BENCH_CALLS", 1_000_000), rounds: numberFrom("EARSHOT_BENCH_ROUNDS", 7) },
  tiny: { calls: 500, rounds: 1 },
  run: (size, environment) =>
    Effect.runPromise(
      Effect.forEach(environment.databases, (database) => Effect.scoped(measure(database, size, environment)), {
        discard: true
      })
    )
})
