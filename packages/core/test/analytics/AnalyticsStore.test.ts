import { AnalyticsStore, chartData, authorize, hostActor, OrganizationId } from "@earshot/core"
import { AnalyticsKit, FilterKit, TestEngine } from "@earshot/test-kit"
import { SqlClient } from "@effect/sql/SqlClient"
import { layer } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import { stores } from "../../src/Engine.js"
import { Dialect } from "../../src/storage/sql/Dialect.js"

/** More cells than a chart has: one a call. */
const DEEP = 52_000

const [like] = fc.sample(FilterKit.filterableCall(), { numRuns: 1, seed: 20260331 })

const deep: ReadonlyArray<FilterKit.FilterableCall> = Array.from({ length: DEEP }, (_, i) => ({
  ...like!,
  id: i + 1,
  callId: `call ${i}`,
  timestamp: DateTime.unsafeMake(i * 60_000),
  duration: i,
  evaluations: []
}))

/** The calls of `deep`, in one statement, since delivering so many takes minutes. */
const storeDeep = Effect.gen(function* () {
  yield* FilterKit.storeCalls({ agents: FilterKit.AGENTS, metrics: [], calls: [] })
  const sql = yield* SqlClient
  const { integers } = yield* Dialect
  yield* sql`INSERT INTO calls (organization_id, project_id, agent_id, timestamp_ms, duration_s, is_reviewed, call_id,
      trace_id, feedback_by_person, created_ms, updated_ms)
    SELECT 1, 1, 1, i.value * 60000, i.value, 0, 'call ' || i.value, '', 0, 0, 0
    FROM ${integers(deep.map((_, i) => i))} i`
})

const permit = Either.getOrThrow(authorize(hostActor(OrganizationId.make(1)), "widgets.data"))

for (const database of TestEngine.databases) {
  const stored = Layer.effectDiscard(storeDeep).pipe(
    Layer.provideMerge(stores),
    Layer.provideMerge(TestEngine.storage(database))
  )
  layer(stored, { timeout: "2 minutes" })(`a timeline with 52,000 groups on ${database}`, (it) => {
    it.effect("is grouped as by the reference implementation", () =>
      Effect.gen(function* () {
        const asked = AnalyticsKit.checkedSource(yield* AnalyticsStore, permit, deep)
        const group_by = { type: "field", field: "call_id" }
        const widget = {
          dashboard: 1,
          chart_type: "bar",
          field: "duration",
          aggregation_function: "max",
          time_period: "day",
          group_by
        }
        yield* chartData(AnalyticsKit.widgetQuery(widget), asked)
      })
    )
  })
}
