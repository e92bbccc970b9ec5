/** Engines with a column store in memory, and what the primary database has. */
import {
  type Actor,
  type AgentId,
  AnalyticsListener,
  Dashboards,
  type Engine,
  type ProjectedCall,
  type ProjectId,
  Projections,
  untrusted,
  Widgets
} from "@earshot/core"
import { AnalyticsKit, TestEngine } from "@earshot/test-kit"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"

export const nothing = () => Effect.void

export type Everything = Engine.Services | Engine.Storage

/** Runs a test with an engine on a fresh database, and its column store. */
export const withColumns = <A, E>(
  database: TestEngine.DatabaseName,
  test: (store: AnalyticsKit.MemoryColumnStore) => Effect.Effect<A, E, Everything | Scope.Scope>,
  projection: Engine.Ports["projection"] = {}
) => {
  const store = AnalyticsKit.memoryColumnStore()
  return Effect.provide(Effect.scoped(test(store)), TestEngine.layer(database, { analytics: store.layer, projection }))
}

/** The projections of another process on the same database. */
export const anotherProcess = (store: AnalyticsKit.MemoryColumnStore, projection: Engine.Ports["projection"] = {}) =>
  Effect.map(Layer.build(Layer.fresh(TestEngine.engine({ analytics: store.layer, projection }))), (context) =>
    Effect.provide(Projections, context)
  ).pipe(Effect.flatten)

export const project = Effect.flatMap(Projections, (projections) => projections.project)

/** Lets the time pass after which a column store that failed is tried again, and leases have expired. */
export const later = TestClock.adjust("1 minute")

const number = (value: unknown) => (value === null ? null : Number(value))

/** The calls of the primary database with their evaluations, read by plain statements. */
export const stored = Effect.gen(function* () {
  const sql = yield* SqlClient
  const calls = yield* sql<Readonly<Record<string, unknown>>>`SELECT * FROM calls ORDER BY id`
  const evaluations = yield* sql<Readonly<Record<string, unknown>>>`SELECT * FROM metric_evaluations ORDER BY metric_id`
  const latencies = yield* sql<Readonly<Record<string, unknown>>>`SELECT * FROM answer_latencies`
  const latenciesOf = (one: Readonly<Record<string, unknown>>) => {
    const found = latencies.find(
      ({ call_id: call, metric_id: metric }) => call === one.call_id && metric === one.metric_id
    )
    return typeof found?.latencies === "string" ? JSON.parse(found.latencies) : (found?.latencies ?? [])
  }
  return calls.map((call) => ({
    id: Number(call.id),
    callId: call.call_id,
    projectId: Number(call.project_id),
    timestampMs: Number(call.timestamp_ms),
    success: call.success === null ? null : call.success === 1,
    isReviewed: call.is_reviewed === 1,
    callEndedReason: call.call_ended_reason,
    feedback: call.feedback,
    metadata: typeof call.metadata === "string" ? JSON.parse(call.metadata) : call.metadata,
    evaluations: evaluations
      .filter((one) => Number(one.call_id) === Number(call.id))
      .map((one) => [Number(one.metric_id), one.value_kind, number(one.value_number), one.value_text, latenciesOf(one)])
  }))
  // Statements of the test itself fail only where the test is wrong.
}).pipe(Effect.orDie)

/** The same of the projection. */
export const projected = (store: AnalyticsKit.MemoryColumnStore) =>
  [...store.calls().values()]
    .sort((a, b) => a.id - b.id)
    .map((call: ProjectedCall) => ({
      id: call.id,
      callId: call.callId,
      projectId: call.projectId,
      timestampMs: call.timestampMs,
      success: call.success,
      isReviewed: call.isReviewed,
      callEndedReason: call.callEndedReason,
      feedback: call.feedback,
      metadata: call.metadata === null ? null : JSON.parse(call.metadata),
      evaluations: call.evaluations
        .map((one) => [one.metricId, one.valueKind, one.valueNumber, one.valueText, one.answerLatenciesMs])
        .sort(([a], [b]) => Number(a) - Number(b))
    }))

/** A dashboard whose number of calls is asked for. */
export const statOf = (actor: Actor, project: ProjectId) =>
  Effect.gen(function* () {
    const dashboards = yield* Dashboards
    const widgets = yield* Widgets
    const dashboard = yield* dashboards.create({ name: "Calls", project }).pipe(TestEngine.as(actor))
    return Effect.gen(function* () {
      const answers: Array<string> = []
      const data = yield* widgets.preview(untrusted({ dashboard: dashboard.id, chart_type: "stat" })).pipe(
        TestEngine.as(actor),
        Effect.provideService(AnalyticsListener, (answer) => void answers.push(answer))
      )
      return { calls: data.chartType === "stat" ? data.totalCalls : -1, by: answers }
    })
  })

export const call = (agent: { readonly id: AgentId }, id: string, more: object = {}) => ({
  call_id: id,
  agent: agent.id,
  ...more
})
