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

/** Of one day, lasting 1 to 20 seconds, in no order; every other one has a latency of ten times that. */
const twenty = Array.from({ length: 20 }, (_, i) => {
  const seconds = ((i * 7) % 20) + 1
  const latency = { metricId: 2, metricName: "Latency", value: seconds * 10 }
  return blankCall(i + 1, { duration: seconds, success: i % 4 === 0, evaluations: seconds % 2 === 0 ? [latency] : [] })
})

/** More periods, groups and slices than a chart shows. */
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

/** Every aggregate of every period, of each kind of field, divided in every way. */
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
        // Each divided kind with some period; undivided with all of them.
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
 * What every `AnalyticsStore` has to do: answer every question of a widget as the functions of `Answer` do of the same
 * calls in memory. The calls come to it through the other stores' ports.
 */
export const analyticsStoreContract = <E>(
  subject: string,
  stores: Layer.Layer<AnalyticsStore | CallFixtureStores, E>
): void => {
  /** Asks the store and memory, which have to agree. */
  const ask = (stored: StoredCalls, widget: unknown) =>
    Effect.gen(function* () {
      const asked = checkedSource(yield* AnalyticsStore, permit(stored.organizationId, "widgets.data"), stored.calls)
      return yield* chartData(widgetQuery(widget, { latencyMetrics: LATENCIES, of: stored }), asked)
    })

  layer(stores, { timeout: "5 minutes" })(`widgets answered by ${subject}`, (it) => {
    it.effect(
      "show what they show of the same calls in memory",
      () =>
        Effect.gen(function* () {
          const stored = yield* storeCalls(fixture ?? fixtureOf([]))
          const run = Runtime.runPromise(yield* Effect.runtime<AnalyticsStore>())
          const { check } = asyncProperty(
            "a widget shows what it shows of the same calls in memory",
            [widgetJson()],
            async (widget) => {
              await run(ask(stored, widget))
              return true
            },
            150
          )
          yield* Effect.promise(check)
        }),
      TAKES_LONG
    )

    it.effect(
      "show every aggregate of every period, whatever divides them",
      () =>
        Effect.gen(function* () {
          const stored = yield* storeCalls(fixture ?? fixtureOf([]))
          for (const widget of bars) {
            const shown = yield* ask(stored, widget)
            expect(shown.chartType === "bar" && shown.series.length, JSON.stringify(widget)).toBeGreaterThan(0)
          }
        }),
      TAKES_LONG
    )

    it.effect("show the percentiles, averages and rates that are worked out here by hand", () =>
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
          const shown = yield* ask(stored, { ...bar, aggregation_function })
          if (shown.chartType !== "bar") return expect.fail("A bar is no bar")
          expect(shown.series).toHaveLength(1)
          expect(shown.series[0]?.points, aggregation_function).toMatchObject([{ count: 20 }])
          expect(shown.series[0]?.points[0]?.value, aggregation_function).toBeCloseTo(value, 9)
        }
        const stat = yield* ask(stored, { dashboard: 1, chart_type: "stat" })
        if (stat.chartType !== "stat") return expect.fail("A stat is no stat")
        expect(stat).toMatchObject({ totalCalls: 20, successRate: 0.25, avgDuration: 10.5 })
        // Of 20, 40, ... 200 the position 0.95 * 9 lies between 180 and 200.
        expect(stat.p95Latency).toBeCloseTo(191, 9)
      })
    )

    it.effect(
      "show of more than a chart shows what is left in memory",
      () =>
        Effect.gen(function* () {
          const stored = yield* storeCalls(fixtureOf(wide))
          for (const widget of overflowing) yield* ask(stored, widget)
        }),
      TAKES_LONG
    )

    it.effect("show of another project or organisation nothing", () =>
      Effect.gen(function* () {
        const [mine, theirs] = [yield* storeCalls(fixtureOf(twenty)), yield* storeCalls(fixtureOf(twenty.slice(0, 3)))]
        const own = yield* ask(theirs, { dashboard: 1, chart_type: "stat" })
        expect(own).toMatchObject({ totalCalls: 3 })
        // Memory has no calls of a project that is not the organisation's.
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
          yield* ask(foreign, widget)
      })
    )
  })
}

/** On a busy machine. */
const TAKES_LONG = { timeout: 3_600_000 }
