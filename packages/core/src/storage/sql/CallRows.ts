/** How calls are read: the columns, their row schema, and the record they make. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { CallMetric, CallRecord, Recording } from "../../calls/CallRecord.js"
import { AgentId, CallId, MetricId, OrganizationId, ProjectId } from "../../kernel/Ids.js"
import type { Json } from "../../kernel/Json.js"
import { inInterfaceOrder } from "../../redaction/SensitiveField.js"
import { StoredTranscript } from "../../transcripts/StoredTranscript.js"
import type { DialectFragments } from "./Dialect.js"
import { Instant, jsonColumn, readRows } from "./Rows.js"
import { Flag } from "./Storing.js"

/** A document that was judged when it came in; what the database gives back is JSON. */
const Document: Schema.Schema<Json, string> = Schema.parseJson(
  Schema.declare((_value): _value is Json => true, { identifier: "StoredJson" })
)

const CallRow = Schema.Struct({
  id: CallId,
  organization_id: OrganizationId,
  project_id: ProjectId,
  agent_id: AgentId,
  agent_name: Schema.String,
  timestamp_ms: Instant,
  duration_s: Schema.NullOr(Schema.Number),
  success: Schema.NullOr(Flag),
  is_reviewed: Flag,
  call_id: Schema.String,
  trace_id: Schema.String,
  customer_number: Schema.NullOr(Schema.String),
  call_ended_reason: Schema.NullOr(Schema.String),
  dropoff_point: Schema.NullOr(Schema.String),
  topic: Schema.NullOr(Schema.String),
  feedback: Schema.NullOr(Schema.String),
  feedback_by_person: Flag,
  error_message: Schema.NullOr(Schema.String),
  evaluation: Schema.NullOr(Schema.String),
  created_ms: Instant,
  updated_ms: Instant,
  metadata: Schema.NullOr(Document),
  dynamic_variables: Schema.NullOr(Document),
  asked_metrics: Schema.NullOr(jsonColumn(Schema.Array(MetricId))),
  redact_fields: Schema.String,
  transcript_type: Schema.NullOr(Schema.String),
  transcript: Schema.NullOr(StoredTranscript),
  blob_key: Schema.NullOr(Schema.String),
  content_type: Schema.NullOr(Schema.String),
  size_bytes: Schema.NullOr(Schema.Number),
  sha256: Schema.NullOr(Schema.String),
  recording_duration_s: Schema.NullOr(Schema.Number),
  main_agent_channel_index: Schema.NullOr(Schema.Literal(0, 1))
})
type CallRow = typeof CallRow.Type

const recordingOf = (row: CallRow): Recording | null =>
  row.blob_key === null || row.content_type === null || row.size_bytes === null || row.sha256 === null
    ? null
    : {
        blobKey: row.blob_key,
        contentType: row.content_type,
        sizeBytes: row.size_bytes,
        sha256: row.sha256,
        durationSeconds: row.recording_duration_s,
        mainAgentChannelIndex: row.main_agent_channel_index
      }

const noFields: CallRecord["redactFields"] = []

/** The fields that a call is redacted by, as its row has them. */
export const fieldsOf = (text: string): CallRecord["redactFields"] =>
  text === "" ? noFields : inInterfaceOrder(text.split(","))

const toRecord = (row: CallRow): CallRecord => ({
  id: row.id,
  organizationId: row.organization_id,
  projectId: row.project_id,
  agentId: row.agent_id,
  agentName: row.agent_name,
  callId: row.call_id,
  traceId: row.trace_id,
  timestamp: row.timestamp_ms,
  durationSeconds: row.duration_s,
  success: row.success,
  isReviewed: row.is_reviewed,
  feedback: row.feedback,
  feedbackByPerson: row.feedback_by_person,
  customerNumber: row.customer_number,
  callEndedReason: row.call_ended_reason,
  dropoffPoint: row.dropoff_point,
  topic: row.topic,
  errorMessage: row.error_message,
  evaluation: row.evaluation,
  metadata: row.metadata,
  dynamicVariables: row.dynamic_variables,
  transcriptType: row.transcript_type,
  transcript: row.transcript,
  recording: recordingOf(row),
  redactFields: fieldsOf(row.redact_fields),
  metrics: [],
  askedMetrics: row.asked_metrics,
  createdAt: row.created_ms,
  updatedAt: row.updated_ms
})

const MetricRow = Schema.Struct({
  call_id: CallId,
  metric_id: MetricId,
  name: Schema.String,
  type: Schema.String,
  value_kind: Schema.Literal("number", "boolean", "text", "null"),
  value_number: Schema.NullOr(Schema.Number),
  value_text: Schema.NullOr(Schema.String)
})

const toMetric = (row: typeof MetricRow.Type): readonly [CallId, CallMetric] => [
  row.call_id,
  {
    id: row.metric_id,
    name: row.name,
    type: row.type,
    score: row.value_number,
    enum: row.value_kind === "text" ? row.value_text : null,
    value:
      row.value_kind === "number"
        ? row.value_number
        : row.value_kind === "boolean"
          ? row.value_number === 1
          : row.value_kind === "text"
            ? row.value_text
            : null
  }
]

export type ReadFault = SqlError | ParseResult.ParseError

/** Readers of whole records. */
export interface CallReader {
  /**
   * The records that a condition on `calls c` asks for, in its order. `tail` follows FROM calls c in a subquery that
   * answers their ids alone, so that transcripts are read for the rows of the page and no others.
   */
  readonly where: (tail: Fragment, newestFirst: boolean) => Effect.Effect<ReadonlyArray<CallRecord>, ReadFault>
}

const calls = readRows(CallRow, toRecord)
const metrics = readRows(MetricRow, toMetric)

export const makeReader = (sql: SqlClient, dialect: DialectFragments): CallReader => {
  const withMetrics = (found: ReadonlyArray<CallRecord>) =>
    found.length === 0
      ? Effect.succeed(found)
      : sql`SELECT e.call_id, e.metric_id, m.name, m.type, e.value_kind, e.value_number, e.value_text
            FROM metric_evaluations e JOIN metrics m ON m.id = e.metric_id
            WHERE e.call_id IN ${dialect.integers(found.map((call) => call.id))} AND m.deleted_ms IS NULL
            ORDER BY e.call_id, e.metric_id`.pipe(
          metrics.all,
          Effect.map((scored) => {
            if (scored.length === 0) return found
            const byCall = new Map<number, Array<CallMetric>>()
            for (const [id, metric] of scored) {
              const known = byCall.get(id)
              if (known === undefined) byCall.set(id, [metric])
              else known.push(metric)
            }
            return found.map((call) => ({ ...call, metrics: byCall.get(call.id) ?? call.metrics }))
          })
        )

  return {
    where: (tail, newestFirst) =>
      sql`SELECT c.id, c.organization_id, c.project_id, c.agent_id, a.name AS agent_name, c.timestamp_ms, c.duration_s,
            c.success, c.is_reviewed, c.call_id, c.trace_id, c.customer_number, c.call_ended_reason, c.dropoff_point,
            c.topic, c.feedback, c.feedback_by_person, c.error_message, c.evaluation, c.created_ms, c.updated_ms,
            c.metadata, c.dynamic_variables, c.asked_metrics, c.redact_fields, t.transcript_type, t.transcript,
            r.blob_key, r.content_type, r.size_bytes, r.sha256, r.duration_s AS recording_duration_s,
            r.main_agent_channel_index
          FROM (SELECT c.id FROM calls c ${tail}) page
          JOIN calls c ON c.id = page.id
          JOIN agents a ON a.id = c.agent_id
          LEFT JOIN call_transcripts t ON t.call_id = c.id
          LEFT JOIN call_recordings r ON r.call_id = c.id
          ORDER BY c.id ${sql.literal(newestFirst ? "DESC" : "ASC")}`.pipe(calls.all, Effect.flatMap(withMetrics))
  }
}
