/**
 * The columns of `calls` and of the tables beside it. Inserts, updates, reads and the PostgreSQL function that inserts
 * calls are made of these lists; only the migrations repeat them, since a migration is never edited.
 */
import * as DateTime from "effect/DateTime"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import type { CallRecord, Recording } from "../../calls/CallRecord.js"
import { RedactionCount } from "@earshot/redaction"
import { redactionCharge } from "../../calls/RedactionCharge.js"
import type { ChargeReason } from "../../credits/LedgerEntry.js"
import { AgentId, CallId, MetricId, OrganizationId, ProjectId } from "../../kernel/Ids.js"
import type { Json } from "../../kernel/Json.js"
import { StoredTranscript } from "../../transcripts/StoredTranscript.js"
import { documentText, Instant, jsonColumn } from "./Rows.js"
import { Flag, flag } from "./Storing.js"

/** What writes a column: an insert alone, inserts and redeliveries, or reviews and evaluations; the database makes ids. */
type Writer = "database" | "insert" | "delivery" | "review"

/** The types of columns as PostgreSQL's `json_to_recordset` declares them. */
const POSTGRES_TYPES = {
  integer: "bigint",
  real: "double precision",
  text: "text",
  flag: "smallint",
  json: "jsonb"
} as const
type ColumnType = keyof typeof POSTGRES_TYPES

const column = <A, I>(
  schema: Schema.Schema<A, I>,
  type: ColumnType,
  writer: Writer,
  value: (call: CallRecord) => Json
) => ({ schema, type, writer, value })

/** A document that was validated when it came in; what the database gives back is JSON. */
const Document: Schema.Schema<Json, string> = Schema.parseJson(
  Schema.declare((_value): _value is Json => true, { identifier: "StoredJson" })
)

const NullableText = Schema.NullOr(Schema.String)

const CALL_COLUMNS = {
  id: column(CallId, "integer", "database", ({ id }) => id),
  organization_id: column(OrganizationId, "integer", "insert", ({ organizationId }) => organizationId),
  project_id: column(ProjectId, "integer", "insert", ({ projectId }) => projectId),
  agent_id: column(AgentId, "integer", "insert", ({ agentId }) => agentId),
  timestamp_ms: column(Instant, "integer", "delivery", ({ timestamp }) => DateTime.toEpochMillis(timestamp)),
  duration_s: column(Schema.NullOr(Schema.Number), "real", "delivery", ({ durationSeconds }) => durationSeconds),
  stated_duration_s: column(
    Schema.NullOr(Schema.Number),
    "real",
    "delivery",
    ({ statedDurationSeconds }) => statedDurationSeconds
  ),
  success: column(Schema.NullOr(Flag), "flag", "review", ({ success }) => (success === null ? null : flag(success))),
  is_reviewed: column(Flag, "flag", "insert", ({ isReviewed }) => flag(isReviewed)),
  call_id: column(Schema.String, "text", "insert", ({ callId }) => callId),
  trace_id: column(Schema.String, "text", "delivery", ({ traceId }) => traceId),
  customer_number: column(NullableText, "text", "delivery", ({ customerNumber }) => customerNumber),
  call_ended_reason: column(NullableText, "text", "delivery", ({ callEndedReason }) => callEndedReason),
  dropoff_point: column(NullableText, "text", "review", ({ dropoffPoint }) => dropoffPoint),
  topic: column(NullableText, "text", "review", ({ topic }) => topic),
  feedback: column(NullableText, "text", "delivery", ({ feedback }) => feedback),
  feedback_by_person: column(Flag, "flag", "insert", ({ feedbackByPerson }) => flag(feedbackByPerson)),
  error_message: column(NullableText, "text", "delivery", ({ errorMessage }) => errorMessage),
  evaluation: column(NullableText, "text", "review", ({ evaluation }) => evaluation),
  created_ms: column(Instant, "integer", "insert", ({ createdAt }) => DateTime.toEpochMillis(createdAt)),
  updated_ms: column(Instant, "integer", "delivery", ({ updatedAt }) => DateTime.toEpochMillis(updatedAt)),
  redact_fields: column(Schema.String, "text", "delivery", ({ redactFields }) => redactFields.join(",")),
  redactions: column(jsonColumn(Schema.Array(RedactionCount)), "text", "delivery", ({ redactions }) =>
    JSON.stringify(redactions)
  ),
  asked_metrics: column(Schema.NullOr(jsonColumn(Schema.Array(MetricId))), "text", "delivery", ({ requestedMetrics }) =>
    documentText(requestedMetrics)
  ),
  metadata: column(Schema.NullOr(Document), "json", "delivery", ({ metadata }) => metadata),
  dynamic_variables: column(Schema.NullOr(Document), "json", "delivery", ({ dynamicVariables }) => dynamicVariables)
}
export type CallColumn = keyof typeof CALL_COLUMNS

const columnsWrittenBy = (...writers: ReadonlyArray<Writer>): ReadonlyArray<CallColumn> =>
  Record.keys(CALL_COLUMNS).filter((name) => writers.includes(CALL_COLUMNS[name].writer))

/** The columns of an insert, in its order. */
export const INSERTED = columnsWrittenBy("insert", "delivery")

/** The columns that a redelivery may change. */
export const REDELIVERED = columnsWrittenBy("delivery")

/** The columns that a person's review sets, and those that an evaluation sets. */
export const REVIEWED = [
  "success",
  "is_reviewed",
  "feedback",
  "feedback_by_person",
  "dropoff_point",
  "topic",
  "updated_ms"
] as const satisfies ReadonlyArray<CallColumn>
export const EVALUATED = [
  "success",
  "dropoff_point",
  "topic",
  "evaluation",
  "updated_ms"
] as const satisfies ReadonlyArray<CallColumn>

export const isJson = (name: CallColumn): boolean => CALL_COLUMNS[name].type === "json"

export const valueOf = (call: CallRecord, name: CallColumn): Json => CALL_COLUMNS[name].value(call)

/** Some columns of a call with their values. */
export const columnsOf = <Name extends CallColumn>(
  call: CallRecord,
  names: ReadonlyArray<Name>
): { readonly [N in Name]: Json } =>
  // eslint-disable-next-line typescript/consistent-type-assertions -- Object.fromEntries forgets the names of the keys
  Object.fromEntries(names.map((name) => [name, valueOf(call, name)])) as { readonly [N in Name]: Json }

/** Columns with their types, as PostgreSQL reads them out of JSON. */
export const declared = (names: ReadonlyArray<CallColumn>): string =>
  names.map((name) => `${name} ${POSTGRES_TYPES[CALL_COLUMNS[name].type]}`).join(", ")

/** The columns of `call_transcripts`, beside the call's id. */
const TRANSCRIPT_COLUMNS = { transcript_type: NullableText, transcript: Schema.NullOr(StoredTranscript) }
export const TRANSCRIPT = Record.keys(TRANSCRIPT_COLUMNS)

/** The columns of `call_recordings`, beside the call's id. */
const RECORDING_COLUMNS = {
  blob_key: { type: "text", value: ({ blobKey }: Recording) => blobKey },
  content_type: { type: "text", value: ({ contentType }: Recording) => contentType },
  size_bytes: { type: "bigint", value: ({ sizeBytes }: Recording) => sizeBytes },
  sha256: { type: "text", value: ({ sha256 }: Recording) => sha256 },
  duration_s: { type: "double precision", value: ({ durationSeconds }: Recording) => durationSeconds },
  channels: { type: "bigint", value: ({ channels }: Recording) => channels },
  main_agent_channel_index: {
    type: "bigint",
    value: ({ mainAgentChannelIndex }: Recording) => mainAgentChannelIndex
  },
  created_ms: { type: "bigint", value: (_: Recording, at: DateTime.Utc) => DateTime.toEpochMillis(at) }
}
export const RECORDING = Record.keys(RECORDING_COLUMNS)

export const declaredRecording = RECORDING.map((name) => `${name} ${RECORDING_COLUMNS[name].type}`).join(", ")

export const recordingRow = (callId: CallId, recording: Recording, at: DateTime.Utc) => ({
  call_id: callId,
  ...Record.map(RECORDING_COLUMNS, ({ value }) => value(recording, at))
})

/** What is read of a call: its own columns, its agent's name, its transcript and its recording. */
export const CallRow = Schema.Struct({
  // eslint-disable-next-line typescript/consistent-type-assertions -- Record.map gives all keys one type
  ...(Record.map(CALL_COLUMNS, ({ schema }) => schema) as {
    readonly [Name in CallColumn]: (typeof CALL_COLUMNS)[Name]["schema"]
  }),
  agent_name: Schema.String,
  ...TRANSCRIPT_COLUMNS,
  blob_key: NullableText,
  content_type: NullableText,
  size_bytes: Schema.NullOr(Schema.Number),
  sha256: NullableText,
  recording_duration_s: Schema.NullOr(Schema.Number),
  channels: Schema.NullOr(Schema.Number),
  main_agent_channel_index: Schema.NullOr(Schema.Literal(0, 1))
})
export type CallRow = typeof CallRow.Type

/** The columns of `CallRow`, of `calls c`, `agents a`, `call_transcripts t` and `call_recordings r`. */
export const SELECTED = [
  ...Record.keys(CALL_COLUMNS).map((name) => `c.${name}`),
  "a.name AS agent_name",
  ...TRANSCRIPT.map((name) => `t.${name}`),
  ...RECORDING.filter((name) => name !== "duration_s" && name !== "created_ms").map((name) => `r.${name}`),
  "r.duration_s AS recording_duration_s"
].join(", ")

export const REDACTION_CHARGE: ChargeReason = "redaction"

/** What a call's redaction costs, as a row of the ledger; undefined where it costs nothing. */
export const chargeRow = (call: CallRecord) => {
  const charge = redactionCharge(call)
  return charge === undefined
    ? undefined
    : {
        organization_id: call.organizationId,
        project_id: call.projectId,
        agent_id: call.agentId,
        call_id: call.id,
        reason: REDACTION_CHARGE,
        charge_key: charge.key,
        seconds: charge.seconds,
        amount_micros: Number(charge.amount),
        created_ms: DateTime.toEpochMillis(call.updatedAt)
      }
}
