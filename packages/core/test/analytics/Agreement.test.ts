import {
  AnalyticsStore,
  answerChart,
  authorize,
  type Filters,
  hostActor,
  MetricId,
  OrganizationId
} from "@earshot/core"
import { DashboardKit, FilterKit, TestEngine } from "@earshot/test-kit"
import { SqlClient } from "@effect/sql/SqlClient"
import { layer } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import { expect } from "vitest"
import * as AnalyticsStoreSql from "../../src/storage/sql/AnalyticsStoreSql.js"
import { Dialect } from "../../src/storage/sql/Dialect.js"
import { storeWorld } from "../filters/storeWorld.js"
import { agreeing } from "./agreeing.js"
import { questionOf } from "./widgetModel.js"

/** Widgets asked of each database; `EARSHOT_TEST_RUNS=1000` asks for a thousand, `EARSHOT_TEST_SEED` for others. */
const WIDGETS = Number(process.env.EARSHOT_TEST_RUNS ?? 200)
const CALLS = 120

const [world] = fc.sample(FilterKit.callWorld(CALLS), { numRuns: 1, seed: 20260331 })

/** More of everything than a chart shows. */
const wide: FilterKit.CallWorld = {
  ...world!,
  calls: Array.from({ length: 1100 }, (_, i) => ({
    ...world!.calls[0]!,
    id: i + 1,
    callId: `call ${i}`,
    timestamp: DateTime.unsafeMake(Date.UTC(2026, 0, 1, i)),
    duration: i % 7,
    topic: i % 5 === 0 ? null : `topic ${i % 61}`,
    metadata: { n: i % 53, mixed: i % 3 === 0 ? i % 2 === 0 : i % 3 === 1 ? (i % 60) / 8 : `t${i % 60}` },
    evaluations: []
  }))
}

const overflowing = [
  { chart_type: "bar", field: "duration", aggregation_function: "avg", time_period: "hour" },
  ...["topic", "metadata.n", "metadata.mixed", "timestamp"].flatMap((field) => {
    const group_by = { type: "field", field }
    return [
      { chart_type: "bar", field: "duration", aggregation_function: "p95", time_period: "month", group_by },
      { chart_type: "bar", field: "duration", aggregation_function: "count", time_period: "hour", group_by },
      { chart_type: "line", field: "metadata.mixed", group_by },
      { chart_type: "pie", field },
      { chart_type: "pie", field: "metadata.mixed", group_by }
    ]
  })
]

/** More cells than a chart has: one a call. */
const DEEP = 52_000

const deep: ReadonlyArray<Filters.FilterableCall> = Array.from({ length: DEEP }, (_, i) => ({
  ...wide.calls[0]!,
  id: i + 1,
  callId: `call ${i}`,
  timestamp: DateTime.unsafeMake(i * 60_000),
  duration: i
}))

/** The calls of `deep` in a database that holds a world of none. */
const storeDeep = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { integers } = yield* Dialect
  yield* sql`INSERT INTO calls (organization_id, project_id, agent_id, timestamp_ms, duration_s, is_reviewed, call_id,
      trace_id, feedback_by_person, created_ms, updated_ms)
    SELECT 1, 1, 1, i.value * 60000, i.value, 0, 'call ' || i.value, '', 0, 0, 0
    FROM ${integers(deep.map((_, i) => i))} i`
})

const permit = Either.getOrThrow(authorize(hostActor(OrganizationId.make(1)), "widgets.data"))
const latencyMetrics = [MetricId.make(2), MetricId.make(3)]

const storeOf = (database: TestEngine.DatabaseName, world: FilterKit.CallWorld) =>
  AnalyticsStoreSql.layer.pipe(
    Layer.provideMerge(Layer.effectDiscard(storeWorld(world))),
    Layer.provideMerge(TestEngine.storage(database))
  )

for (const database of TestEngine.databases) {
  layer(storeOf(database, world!), { timeout: "2 minutes" })(`widgets on ${database}`, (it) => {
    it.effect(
      `show what they show of the same calls in memory, for ${WIDGETS} random widgets`,
      () =>
        Effect.gen(function* () {
          const asked = agreeing(yield* AnalyticsStore, permit, world!.calls)
          const shown = new Set<string>()
          yield* Effect.promise(() =>
            fc.assert(
              fc.asyncProperty(DashboardKit.widgetJson(), async (widget) => {
                shown.add(
                  JSON.stringify(await Effect.runPromise(answerChart(questionOf(widget, latencyMetrics), asked)))
                )
              }),
              { numRuns: WIDGETS, seed: Number(process.env.EARSHOT_TEST_SEED ?? 5) }
            )
          )
          // Widgets that mostly showed nothing would show nothing.
          expect(shown.size).toBeGreaterThan(WIDGETS / 2)
        }),
      { timeout: 300_000 }
    )
  })

  const stored = Layer.effectDiscard(storeDeep).pipe(Layer.provideMerge(storeOf(database, { ...world!, calls: [] })))
  layer(stored, { timeout: "2 minutes" })(`more cells than a chart has, on ${database},`, (it) => {
    it.effect("are put together by groups as they are in memory", () =>
      Effect.gen(function* () {
        const asked = agreeing(yield* AnalyticsStore, permit, deep)
        const group_by = { type: "field", field: "call_id" }
        const widget = {
          chart_type: "bar",
          field: "duration",
          aggregation_function: "max",
          time_period: "day",
          group_by
        }
        yield* answerChart(questionOf({ dashboard: 1, ...widget }), asked)
      })
    )
  })

  layer(storeOf(database, wide), { timeout: "2 minutes" })(`more than a chart shows, on ${database},`, (it) => {
    it.effect("is cut down as it is in memory", () =>
      Effect.gen(function* () {
        const asked = agreeing(yield* AnalyticsStore, permit, wide.calls)
        for (const widget of overflowing) yield* answerChart(questionOf({ dashboard: 1, ...widget }), asked)
      })
    )
  })
}
