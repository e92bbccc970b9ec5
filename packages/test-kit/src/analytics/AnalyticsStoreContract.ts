import { Aggregate, AnalyticsStore, chartData, type Json, TimePeriod } from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import * as fc from "fast-check"
import { permit } from "../catalog/Permits.js"
import { type WidgetJson, widgetJson } from "../dashboards/WidgetArbitraries.js"
import { AGENTS, blankCall, callFixture, METRICS } from "../filters/FilterableCalls.js"
import { type CallFixtureStores, storeCalls, type StoredCalls } from "../filters/StoredCalls.js"
import { asyncProperty } from "../Property.js"
import { checkedSource } from "./AgreementCheck.js"
import { widgetQuery } from "./WidgetQueries.js"
import type { FilterableCall } from "../filters/FilterableCall.js"

const CALLS = 120
const [fixture] = fc.sample(callFixture(CALLS), { numRuns: 1, seed: 20_260_331 })

const fixtureOf = (calls: ReadonlyArray<FilterableCall>) => ({ agents: AGENTS, metrics: METRICS, calls })

/** Calls of one day with durations of 1 to 20 seconds, unordered; every other one has a latency of ten times that, over two answers. */
const twenty = Array.from({ length: 20 }, (_, i) => {
  const seconds = ((i * 7) % 20) + 1
  const answerLatencies = [seconds * 10 - 9, seconds * 10 + 9]
  const latency = { metricId: 2, metricName: "Latency", value: seconds * 10, answerLatencies }
  return blankCall(i + 1, { duration: seconds, success: i % 4 === 0, evaluations: seconds % 2 === 0 ? [latency] : [] })
})

/** Calls with more periods, groups and slices than a chart can have. */
const wide = Array.from({ length: 1100 }, (_, i): FilterableCall => {
  const mixed: Json = i % 3 === 0 ? i % 2 === 0 : i % 3 === 1 ? (i % 60) / 8 : `t${i % 60}`
  return blankCall(i + 1, {
    timestamp: DateTime.unsafeMake(Date.UTC(2026, 0, 1, i)),
    duration: i % 7,
    callEndedReason: i % 5 === 0 ? null : `reason ${i % 61}`,
    metadata: { n: i % 53, mixed }
  })
})

const overflowing: ReadonlyArray<WidgetJson> = [
  { dashboard: 1, chart_type: "bar", field: "duration", aggregation_function: "avg", time_period: "hour" },
  ...["call_ended_reason", "metadata.n", "metadata.mixed", "timestamp"].flatMap((field): ReadonlyArray<WidgetJson> => {
    const divided = { dashboard: 1, group_by: { type: "field", field } }
    const bar = { ...divided, chart_type: "bar", field: "duration" }
    return [
      { ...bar, aggregation_function: "p95", time_period: "month" },
      { ...bar, aggregation_function: "count", time_period: "hour" },
      { ...divided, chart_type: "line", field: "metadata.mixed" },
      { ...divided, chart_type: "pie", field: "metadata.mixed" },
      { dashboard: 1, chart_type: "pie", field }
    ]
  })
]

/** Every aggregate of every period, for each kind of field and grouping. */
const bars: ReadonlyArray<WidgetJson> = [
  { field: "duration" },
  { field: "metadata.region" },
  { field: "metric_evaluations.value", metric: 2 }
].flatMap((field) =>
  Aggregate.literals.flatMap((aggregation_function, a) =>
    [
      null,
      { type: "field", field: "call_ended_reason" },
      { type: "field", field: "metadata.region" },
      { type: "field", field: "metric_evaluations.metric.name" },
      { type: "bucket", interval: 90_000_000 }
    ].flatMap((group_by, g) =>
      TimePeriod.literals
        // Each grouping with one period; ungrouped with all of them.
        .filter((_, p) => group_by === null || p === (a + g) % TimePeriod.literals.length)
        .map((time_period) => ({
          dashboard: 1,
          chart_type: "bar",
          ...field,
          aggregation_function,
          time_period,
          group_by
        }))
    )
  )
)

const LATENCIES = [2, 3]

/**
 * The contract of every `AnalyticsStore`: it answers every query of a widget as `ReferenceAnalytics` does over the same
 * calls in memory. The calls are stored through the other stores' ports.
 */
export const analyticsStoreContract = <E>(
  subject: string,
  stores: Layer.Layer<AnalyticsStore | CallFixtureStores, E>
): void => {
  /** Queries the store and the reference implementation, and compares their results. */
  const query = (stored: StoredCalls, widget: unknown) =>
    Effect.gen(function* () {
      const source = checkedSource(yield* AnalyticsStore, permit(stored.organizationId, "widgets.data"), stored.calls)
      return yield* chartData(widgetQuery(widget, { latencyMetrics: LATENCIES, of: stored }), source)
    })

  layer(stores, { timeout: "5 minutes" })(`widgets answered by ${subject}`, (it) => {
    it.effect(
      "show the same as the reference implementation",
      () =>
        Effect.gen(function* () {
          const stored = yield* storeCalls(fixture ?? fixtureOf([]))
          const run = Runtime.runPromise(yield* Effect.runtime<AnalyticsStore>())
          const { check } = asyncProperty(
            "a widget shows the same as the reference implementation",
            [widgetJson()],
            async (widget) => {
              await run(query(stored, widget))
            },
            150
          )
          yield* Effect.promise(check)
        }),
      TAKES_LONG
    )

    it.effect(
      "show every aggregate of every period and grouping",
      () =>
        Effect.gen(function* () {
          const stored = yield* storeCalls(fixture ?? fixtureOf([]))
          for (const widget of bars) {
            const shown = yield* query(stored, widget)
            expect(shown.chartType === "bar" && shown.series.length, JSON.stringify(widget)).toBeGreaterThan(0)
          }
        }),
      TAKES_LONG
    )

    it.effect("show percentiles, averages and rates that are computed by hand", () =>
      Effect.gen(function* () {
        const stored = yield* storeCalls(fixtureOf(twenty))
        const bar = { dashboard: 1, chart_type: "bar", field: "duration", time_period: "day" }
        for (const [aggregation_function, value] of [
          ["count", 20],
          ["sum", 210],
          ["avg", 10.5],
          ["min", 1],
          ["max", 20],
          ["p50", 10.5],
          ["p95", 19.05],
          ["p99", 19.81]
        ] as const) {
          const shown = yield* query(stored, { ...bar, aggregation_function })
          if (shown.chartType !== "bar") return expect.fail("Expected a bar chart")
          expect(shown.series).toHaveLength(1)
          expect(shown.series[0]?.points, aggregation_function).toMatchObject([{ count: 20 }])
          expect(shown.series[0]?.points[0]?.value, aggregation_function).toBeCloseTo(value, 9)
        }
        const stat = yield* query(stored, { dashboard: 1, chart_type: "stat" })
        if (stat.chartType !== "stat") return expect.fail("Expected a stat chart")
        expect(stat).toMatchObject({ totalCalls: 20, successRate: 0.25, avgDuration: 10.5 })
        // Of 20, 40, ... 200 the position 0.95 * 9 is between 180 and 200.
        expect(stat.p95CallLatency).toBeCloseTo(191, 9)
        // Of 11, 29, 31, 49, ... 191, 209 the position 0.95 * 19 is between 191 and 209.
        expect(stat.p95Latency).toBeCloseTo(191.9, 9)
      })
    )

    it.effect(
      "limit periods, groups and slices as the reference implementation does",
      () =>
        Effect.gen(function* () {
          const stored = yield* storeCalls(fixtureOf(wide))
          for (const widget of overflowing) yield* query(stored, widget)
        }),
      TAKES_LONG
    )

    it.effect("show nothing of another project or organization", () =>
      Effect.gen(function* () {
        const [mine, theirs] = [yield* storeCalls(fixtureOf(twenty)), yield* storeCalls(fixtureOf(twenty.slice(0, 3)))]
        const own = yield* query(theirs, { dashboard: 1, chart_type: "stat" })
        expect(own).toMatchObject({ totalCalls: 3 })
        // A project of another organization has no calls.
        const foreign: StoredCalls = { ...mine, organizationId: theirs.organizationId, calls: [] }
        for (const widget of [
          { dashboard: 1, chart_type: "stat" },
          { dashboard: 1, chart_type: "line", field: "duration" },
          { dashboard: 1, chart_type: "line", field: "metadata.region" },
          { dashboard: 1, chart_type: "pie", field: "success" },
          { dashboard: 1, chart_type: "pie", field: "metric_evaluations.value", metric: 2 },
          {
            dashboard: 1,
            chart_type: "bar",
            field: "duration",
            aggregation_function: "count",
            time_period: "day",
            group_by: { type: "field", field: "call_id" }
          }
        ])
          yield* query(foreign, widget)
      })
    )
  })
}

/** A generous limit for busy machines. */
const TAKES_LONG = { timeout: 3_600_000 }
