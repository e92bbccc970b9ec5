/** Column stores in tests, filled from the primary database. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  AgentId,
  AnalyticsStore,
  authorize,
  CallId,
  ColumnStore,
  ColumnStoreUnavailable,
  hostActor,
  MetricId,
  OrganizationId,
  ProjectId,
  type ProjectedCall,
  ResourceNames
} from "@earshot/core"
import * as Arr from "effect/Array"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ClickHouseColumnStore } from "../../../src/storage/clickhouse/index.js"

/** A directory that is removed with the scope. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "earshot-columns-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
)

/** An embedded column store of its own. */
export const embedded = Layer.unwrapScoped(
  Effect.map(temporaryFolder, (directory) =>
    ClickHouseColumnStore.layerEmbedded({ directory, queryTimeout: "10 minutes" })
  )
)

const organizationId = OrganizationId.make(1)
const projectId = ProjectId.make(2)
export const permit = Either.getOrThrow(authorize(hostActor(organizationId), "widgets.data"))

/** A call with a value under `metadata.n`, which is its id. */
export const projectedCall = (id: number, given: Partial<ProjectedCall> = {}): ProjectedCall => ({
  id: CallId.make(id),
  organizationId,
  projectId,
  agentId: AgentId.make(3),
  timestampMs: id * 1000,
  durationSeconds: 10,
  success: true,
  isReviewed: false,
  callId: `call ${id}`,
  traceId: "",
  customerNumber: null,
  callEndedReason: null,
  dropoffPoint: null,
  topic: null,
  feedback: null,
  metadata: `{"n":${id}}`,
  dynamicVariables: null,
  evaluations: [
    { metricId: MetricId.make(4), valueKind: "number", valueNumber: id, valueText: null, answerLatenciesMs: [id] }
  ],
  version: 1,
  ...given
})

const NullableText = Schema.NullOr(Schema.String)
const NullableNumber = Schema.NullOr(Schema.Number)

const CallRow = Schema.Struct({
  id: CallId,
  organization_id: OrganizationId,
  project_id: ProjectId,
  agent_id: AgentId,
  timestamp_ms: Schema.Number,
  duration_s: NullableNumber,
  success: NullableNumber,
  is_reviewed: Schema.Number,
  call_id: Schema.String,
  trace_id: Schema.String,
  customer_number: NullableText,
  call_ended_reason: NullableText,
  dropoff_point: NullableText,
  topic: NullableText,
  feedback: NullableText,
  metadata: NullableText,
  dynamic_variables: NullableText
})

const EvaluationRow = Schema.Struct({
  call_id: CallId,
  metric_id: MetricId,
  value_kind: Schema.Literal("number", "boolean", "text", "null"),
  value_number: NullableNumber,
  value_text: NullableText,
  latencies: Schema.NullOr(Schema.parseJson(Schema.Array(Schema.Number)))
})

/** The calls of an organization in an SQLite database, as they are projected. */
const callsOf = (organizationId: OrganizationId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const calls = yield* Effect.flatMap(
      sql`SELECT * FROM calls WHERE organization_id = ${organizationId}`,
      Schema.decodeUnknown(Schema.Array(CallRow))
    )
    const evaluations = yield* Effect.flatMap(
      sql`SELECT e.*, l.latencies FROM metric_evaluations e JOIN calls c ON c.id = e.call_id
        LEFT JOIN answer_latencies l ON l.call_id = e.call_id AND l.metric_id = e.metric_id
        WHERE c.organization_id = ${organizationId}`,
      Schema.decodeUnknown(Schema.Array(EvaluationRow))
    )
    const byCall = Arr.groupBy(evaluations, ({ call_id }) => String(call_id))
    return calls.map((row): ProjectedCall => ({
      id: row.id,
      organizationId: row.organization_id,
      projectId: row.project_id,
      agentId: row.agent_id,
      timestampMs: row.timestamp_ms,
      durationSeconds: row.duration_s,
      success: row.success === null ? null : row.success === 1,
      isReviewed: row.is_reviewed === 1,
      callId: row.call_id,
      traceId: row.trace_id,
      customerNumber: row.customer_number,
      callEndedReason: row.call_ended_reason,
      dropoffPoint: row.dropoff_point,
      topic: row.topic,
      feedback: row.feedback,
      metadata: row.metadata,
      dynamicVariables: row.dynamic_variables,
      evaluations: (byCall[String(row.id)] ?? []).map((one) => ({
        metricId: one.metric_id,
        valueKind: one.value_kind,
        valueNumber: one.value_number,
        valueText: one.value_text,
        answerLatenciesMs: one.latencies ?? []
      })),
      version: 1
    }))
  }).pipe(Effect.orDie)

const NameRow = Schema.Struct({ id: Schema.Number, name: Schema.String })

/** The names in the primary database. */
export const resourceNames = Layer.effect(
  ResourceNames,
  Effect.map(SqlClient, (sql) => {
    const of = (table: "agents" | "metrics") => (organizationId: OrganizationId) =>
      sql`SELECT id, name FROM ${sql(table)} WHERE organization_id = ${organizationId}`.pipe(
        Effect.flatMap(Schema.decodeUnknown(Schema.Array(NameRow))),
        Effect.map((rows) => new Map(rows.map(({ id, name }) => [id, name]))),
        Effect.orDie
      )
    return ResourceNames.of({ agents: of("agents"), metrics: of("metrics") })
  })
)

const asStorageError = <A, E, R>(effect: Effect.Effect<A, E | ColumnStoreUnavailable, R>): Effect.Effect<A, E, R> =>
  Effect.catchIf(
    effect,
    (error): error is ColumnStoreUnavailable => error instanceof ColumnStoreUnavailable,
    (error) => Effect.die(error)
  ) as Effect.Effect<A, E, R>

/**
 * The analytics store of a column store. The calls of an organization are applied with its first question, half of them
 * twice: first without their evaluations, and then replaced.
 */
export const projected = Layer.effect(
  AnalyticsStore,
  Effect.gen(function* () {
    const columns = yield* ColumnStore
    const sql = yield* SqlClient
    yield* Effect.orDie(columns.prepare("test"))
    const known = new Set<OrganizationId>()
    const applied = ({ organizationId }: { readonly organizationId: OrganizationId }) =>
      Effect.gen(function* () {
        if (known.has(organizationId)) return
        known.add(organizationId)
        const calls = yield* Effect.provideService(callsOf(organizationId), SqlClient, sql)
        const replaced = calls.filter((_, index) => index % 2 === 0)
        const earlier = replaced.map((call) => ({ ...call, topic: "replaced", metadata: null, evaluations: [] }))
        yield* columns.apply({ upserts: earlier, deletes: [] })
        yield* columns.apply({ upserts: calls, deletes: [] })
      })
    const { analytics } = columns
    const ask =
      <Query, A, E>(question: (permit: Parameters<typeof analytics.totals>[0], query: Query) => Effect.Effect<A, E>) =>
      (permit: Parameters<typeof analytics.totals>[0], query: Query) =>
        Effect.zipRight(Effect.orDie(applied(permit)), Effect.orDie(question(permit, query)))
    return AnalyticsStore.of({
      inSnapshot: (permit, of, questions) =>
        Effect.zipRight(Effect.orDie(applied(permit)), asStorageError(analytics.inSnapshot(permit, of, questions))),
      totals: ask(analytics.totals),
      typeCounts: ask(analytics.typeCounts),
      timeRange: ask(analytics.timeRange),
      timeline: ask(analytics.timeline),
      shares: ask(analytics.shares)
    })
  })
)
