import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import { statusOf } from "../filters/Filter.js"
import type { AgentId, CallId, MetricId, OrganizationId, ProjectId } from "../kernel/Ids.js"
import type { Json } from "../kernel/Json.js"
import { RedactionCount, type SensitiveField } from "@earshot/redaction"
import type { PrintedTranscript } from "../transcripts/PrintedTranscript.js"
import { type RedactedTranscript, roleNames } from "../transcripts/Transcript.js"
import { printClock, type TranscriptItem, transcriptObject, transcriptText } from "../transcripts/TranscriptView.js"

/** Characters that a call's texts may have. Source: interface, Limits. */
export const CallLimits = {
  callId: 100,
  traceId: 32,
  callEndedReason: 100,
  customerNumber: 100,
  dropoffPoint: 1000,
  topic: 1000,
  /** The interface sets none. */
  feedback: 10_000,
  assistantId: 255,
  url: 2048
} as const

/** A stored recording. */
export interface Recording {
  /** The key in the blob store; never shared between calls. */
  readonly blobKey: string
  readonly contentType: string
  readonly sizeBytes: number
  /** Lower-case hex. */
  readonly sha256: string
  readonly durationSeconds: number | null
  readonly channels: number | null
  /** The main agent's channel in a stereo recording; null when not given. */
  readonly mainAgentChannelIndex: 0 | 1 | null
}

/** The result of a metric for a call. Source: interface, Call record, `metrics`. */
export interface CallMetric {
  readonly id: MetricId
  readonly name: string
  readonly type: string
  /** Numbers, and booleans as 0 and 1; otherwise null. */
  readonly score: number | null
  /** The chosen value of an `enum` metric, otherwise null. */
  readonly enum: string | null
  readonly value: number | boolean | string | null
}

/** A stored production call. Null means unknown. Source: interface, Call record. */
export interface CallRecord {
  readonly id: CallId
  readonly organizationId: OrganizationId
  readonly projectId: ProjectId
  readonly agentId: AgentId
  readonly agentName: string
  /** The client's id of the call, unique within its agent. */
  readonly callId: string
  /** Empty if there is none. */
  readonly traceId: string
  readonly timestamp: DateTime.Utc
  /** The greatest of the last end time of the transcript, the recording's duration and the stated duration. */
  readonly durationSeconds: number | null
  /** The length of the call as the platform states it. */
  readonly statedDurationSeconds: number | null
  readonly success: boolean | null
  readonly isReviewed: boolean
  readonly feedback: string | null
  /** A person wrote the feedback; deliveries do not change it anymore. */
  readonly feedbackByPerson: boolean
  readonly customerNumber: string | null
  readonly callEndedReason: string | null
  readonly dropoffPoint: string | null
  readonly topic: string | null
  readonly errorMessage: string | null
  readonly evaluation: string | null
  readonly metadata: Json
  readonly dynamicVariables: Json
  /** The transcript and its format; both null until a delivery brings one. */
  readonly transcript: RedactedTranscript | null
  readonly transcriptType: string | null
  readonly recording: Recording | null
  /** The fields that any delivery asked to redact in transcript and recording; they accumulate. */
  readonly redactFields: ReadonlyArray<SensitiveField>
  /** What was redacted, counted by field, place and recognizer. */
  readonly redactions: ReadonlyArray<RedactionCount>
  readonly metrics: ReadonlyArray<CallMetric>
  /** The metrics that deliveries requested; null means all that the agent has enabled for production calls. */
  readonly requestedMetrics: ReadonlyArray<MetricId> | null
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

const Role = Schema.Literal(roleNames.testing_agent, roleNames.main_agent)

/** The JSON form of a Call record. Source: interface, Call record. */
export const CallRecordJson = Schema.Struct({
  id: Schema.Int,
  call_id: Schema.String.pipe(Schema.maxLength(CallLimits.callId)),
  duration: Schema.String.annotations({ description: "Minutes and seconds, MM:SS; 00:00 while unknown." }),
  success: Schema.NullOr(Schema.Boolean),
  is_reviewed: Schema.Boolean,
  status: Schema.NullOr(Schema.Literal("success", "failure", "reviewed_success", "reviewed_failure")),
  feedback: Schema.String,
  metrics: Schema.Array(
    Schema.Struct({
      id: Schema.Int,
      name: Schema.String,
      type: Schema.String,
      score: Schema.NullOr(Schema.Number),
      enum: Schema.NullOr(Schema.String),
      value: Schema.NullOr(Schema.Union(Schema.Number, Schema.Boolean, Schema.String))
    })
  ),
  call_ended_reason: Schema.String,
  customer_number: Schema.String,
  agent: Schema.NullOr(Schema.Int),
  agent_name: Schema.String,
  trace_id: Schema.String,
  timestamp: Schema.String.annotations({ jsonSchema: { type: "string", format: "date-time" } }),
  error_message: Schema.NullOr(Schema.String),
  dropoff_point: Schema.String,
  topic: Schema.String,
  transcript: Schema.String.annotations({ description: "Lines of the form [MM:SS] <role>: <text>." }),
  transcript_object: Schema.NullOr(
    Schema.Array(
      Schema.Struct({
        role: Role,
        content: Schema.String,
        start_time: Schema.NullOr(Schema.Number),
        end_time: Schema.NullOr(Schema.Number)
      })
    )
  ),
  evaluation: Schema.String,
  redactions: Schema.Array(RedactionCount).annotations({
    description: "What was redacted, counted by field, place in the call and recognizer; never a value."
  }),
  created_at: Schema.String.annotations({ jsonSchema: { type: "string", format: "date-time" } }),
  updated_at: Schema.String.annotations({ jsonSchema: { type: "string", format: "date-time" } })
}).annotations({ identifier: "CallRecord" })

export interface CallRecordJson extends Schema.Schema.Type<typeof CallRecordJson> {}

const noItems: ReadonlyArray<TranscriptItem> | null = null

/**
 * The JSON form of a call. Written by hand because every ingest responds with one and a schema's encoder takes many times
 * as long; a test compares it with `CallRecordJson`. Unknown texts are empty, as the interface types them.
 */
export const encodeCallRecord = (call: CallRecord): CallRecordJson => ({
  ...beforeTranscript(call),
  transcript: call.transcript === null ? "" : transcriptText(call.transcript),
  transcript_object: call.transcript === null ? noItems : transcriptObject(call.transcript),
  ...afterTranscript(call)
})

/** The text of `encodeCallRecord` for a call whose transcript is printed already. */
export const printCallRecord = (call: CallRecord, { items, text }: PrintedTranscript): string =>
  `${JSON.stringify(beforeTranscript(call)).slice(0, -1)},"transcript":${text},"transcript_object":${items},${JSON.stringify(afterTranscript(call)).slice(1)}`

const beforeTranscript = (call: CallRecord) => ({
  id: call.id,
  call_id: call.callId,
  duration: printClock(call.durationSeconds ?? 0),
  success: call.success,
  is_reviewed: call.isReviewed,
  status: statusOf(call.success, call.isReviewed),
  feedback: call.feedback ?? "",
  metrics: call.metrics,
  call_ended_reason: call.callEndedReason ?? "",
  customer_number: call.customerNumber ?? "",
  agent: call.agentId,
  agent_name: call.agentName,
  trace_id: call.traceId,
  timestamp: DateTime.formatIso(call.timestamp),
  error_message: call.errorMessage,
  dropoff_point: call.dropoffPoint ?? "",
  topic: call.topic ?? ""
})

const afterTranscript = (call: CallRecord) => ({
  evaluation: call.evaluation ?? "",
  redactions: call.redactions,
  created_at: DateTime.formatIso(call.createdAt),
  updated_at: DateTime.formatIso(call.updatedAt)
})
