import {
  type Actor,
  type AgentId,
  type ResourceScope,
  CallId,
  type Json,
  type OrganizationId,
  type Permission,
  type ProjectId
} from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { Dialect } from "../../src/storage/sql/Dialect.js"
import * as EvaluationStoreSql from "../../src/storage/sql/EvaluationStoreSql.js"
import * as MetricStoreSql from "../../src/storage/sql/MetricStoreSql.js"

export const NOW = DateTime.unsafeMake("2026-03-31T10:20:30.456Z")

/** The engine, with the stores of metrics and evaluations to insert rows directly. */
export const engine = (database: TestEngine.DatabaseName) =>
  Layer.mergeAll(MetricStoreSql.layer, EvaluationStoreSql.layer).pipe(Layer.provideMerge(TestEngine.layer(database)))

/** A new organization at `NOW`. */
export const fixture = Effect.gen(function* () {
  yield* TestClock.setTime(DateTime.toEpochMillis(NOW))
  const { actor, agent, organization, project } = yield* TestEngine.fixture
  return { actor, agent, organization, project, as: TestEngine.as(actor) }
})

/** An embedded session with a resource scope. */
export const bound = (
  actor: Actor,
  bounds: ReadonlyArray<ResourceScope>,
  permissions: Iterable<Permission> = actor.permissions
): Actor => ({ ...actor, credential: "embedded_session", permissions: new Set(permissions), bounds })

/** The field errors that an input is rejected with. */
export const errorsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) =>
    typeof error === "object" && error !== null && "errors" in error ? error.errors : error
  )

export interface CallFacts {
  readonly timestamp: string
  readonly duration?: number
  readonly success?: boolean
  readonly reason?: string
  readonly metadata?: Json
}

/** Inserts calls as ingestion stores them; returns their ids in the same order. */
export const insertCalls = (
  owner: {
    readonly organization: { readonly id: OrganizationId }
    readonly project: { readonly id: ProjectId }
    readonly agent: { readonly id: AgentId }
  },
  calls: ReadonlyArray<CallFacts>
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const { json } = yield* Dialect
    return yield* Effect.forEach(calls, (call, i) =>
      Effect.gen(function* () {
        const [row] = yield* sql<{ readonly id: number }>`INSERT INTO calls ${sql.insert({
          organization_id: owner.organization.id,
          project_id: owner.project.id,
          agent_id: owner.agent.id,
          timestamp_ms: new Date(call.timestamp).getTime(),
          duration_s: call.duration ?? null,
          success: call.success === undefined ? null : Number(call.success),
          is_reviewed: 0,
          call_id: `call ${i}`,
          trace_id: "",
          call_ended_reason: call.reason ?? null,
          feedback_by_person: 0,
          created_ms: 0,
          updated_ms: 0
        })} RETURNING id`
        const id = CallId.make(row!.id)
        yield* sql`UPDATE calls SET metadata = ${json(call.metadata ?? null)} WHERE id = ${id}`
        return id
      })
    )
  })
