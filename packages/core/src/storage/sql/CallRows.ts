/** How calls are read: their rows, and the records these make. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { inInterfaceOrder } from "@earshot/redaction"
import * as Effect from "effect/Effect"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { CallMetric, CallRecord, Recording } from "../../calls/CallRecord.js"
import { CallId, MetricId } from "../../kernel/Ids.js"
import { CallRow, SELECTED } from "./CallColumns.js"
import type { DialectFragments } from "./Dialect.js"
import { readRows } from "./Rows.js"

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
  requestedMetrics: row.asked_metrics,
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

export type ReadError = SqlError | ParseResult.ParseError

/** Readers of whole records. */
export interface CallReader {
  /**
   * The records that a condition on `calls c` selects, in its order. `tail` follows the FROM in a subquery that selects
   * ids alone, so that transcripts are read for the rows of the page and no others.
   */
  readonly where: (tail: Fragment, newestFirst: boolean) => Effect.Effect<ReadonlyArray<CallRecord>, ReadError>
}

const calls = readRows(CallRow, toRecord)
const metrics = readRows(MetricRow, toMetric)

export const makeReader = (sql: SqlClient, { integers, tables }: DialectFragments): CallReader => {
  const columns = sql.literal(SELECTED)

  const withMetrics = (found: ReadonlyArray<CallRecord>) =>
    found.length === 0
      ? Effect.succeed(found)
      : sql`SELECT e.call_id, e.metric_id, m.name, m.type, e.value_kind, e.value_number, e.value_text
            FROM ${tables.metric_evaluations} e JOIN ${tables.metrics} m ON m.id = e.metric_id
            WHERE e.call_id IN ${integers(found.map((call) => call.id))} AND m.deleted_ms IS NULL
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
      sql`SELECT ${columns}
          FROM (SELECT c.id FROM ${tables.calls} c ${tail}) page
          JOIN ${tables.calls} c ON c.id = page.id
          JOIN ${tables.agents} a ON a.id = c.agent_id
          LEFT JOIN ${tables.call_transcripts} t ON t.call_id = c.id
          LEFT JOIN ${tables.call_recordings} r ON r.call_id = c.id
          ORDER BY c.id ${sql.literal(newestFirst ? "DESC" : "ASC")}`.pipe(calls.all, Effect.flatMap(withMetrics))
  }
}
