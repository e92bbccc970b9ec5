/** What a call record keeps of its deliveries, in the fields of the request that stored it (docs/decisions/0305). */
import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import { SensitiveField } from "@earshot/redaction"
import { Json } from "../kernel/Json.js"
import { type RedactedTranscript, roleNames } from "../transcripts/Transcript.js"
import { toolCallItems } from "../transcripts/TranscriptView.js"
import { type CallRecord, CallRecordJson } from "./CallRecord.js"
import { StageTimingsJson, ToolCallJson } from "./TranscriptJson.js"

const text = Schema.NullOr(Schema.String)
const seconds = Schema.NullOr(Schema.Number)

const TurnJson = Schema.Struct({
  role: CallRecordJson.fields.transcript_object.members[0].value.fields.role,
  content: Schema.String.annotations({ description: "What was said." }),
  start_time: seconds.annotations({ description: "Start, in seconds of the call; null if unknown." }),
  end_time: seconds.annotations({ description: "End, in seconds of the call; null if unknown." }),
  words: Schema.Array(
    Schema.Struct({
      word: Schema.String.annotations({ description: "The word." }),
      start_time: seconds.annotations({ description: "Start, in seconds of the call; null if unknown." }),
      end_time: seconds.annotations({ description: "End, in seconds of the call; null if unknown." })
    }).annotations({ identifier: "StoredWord" })
  ).annotations({ description: "The words with their times; empty if the format has none." }),
  timing: Schema.NullOr(StageTimingsJson).annotations({
    description: "The stages that the platform measured; null for none."
  })
}).annotations({ identifier: "StoredTurn" })

const TranscriptJson = Schema.Struct({
  turns: Schema.Array(TurnJson).annotations({ description: "The turns, in their order." }),
  tool_calls: Schema.Array(ToolCallJson).annotations({ description: "Tool calls of the main agent, in their order." }),
  skipped: Schema.Array(Schema.String).annotations({
    description: "Kinds of rows that the format's decoder does not know and left out."
  })
}).annotations({ identifier: "StoredTranscript" })

/**
 * The stored delivery: the fields of the ingest request with the values that the call record keeps of them. Texts,
 * documents and transcript are those after redaction; the bytes that were received are not stored.
 */
export const StoredDeliveryJson = Schema.Struct({
  call_id: Schema.String.annotations({ description: "The client's id of the call." }),
  agent: Schema.Int.annotations({ description: "Id of the agent." }),
  trace_id: Schema.String.annotations({ description: "Trace id; empty for none." }),
  timestamp: Schema.String.annotations({
    description: "When the call occurred.",
    jsonSchema: { type: "string", format: "date-time" }
  }),
  transcript_type: text.annotations({ description: "Format in which the transcript was sent; null without one." }),
  transcript_json: Schema.NullOr(TranscriptJson).annotations({
    description: "The transcript as it was decoded and redacted; null until a delivery brings one."
  }),
  call_ended_reason: text.annotations({ description: "Why the call ended; null if unknown." }),
  customer_number: text.annotations({ description: "Number of the customer; null if unknown." }),
  feedback: text.annotations({ description: "Feedback; null for none, or if a person wrote it." }),
  metadata: Json,
  dynamic_variables: Json,
  redact_fields: Schema.Array(SensitiveField).annotations({
    description: "The sensitive fields that deliveries asked to redact."
  }),
  metric_ids: Schema.NullOr(Schema.Array(Schema.Int)).annotations({
    description: "The metrics that deliveries requested; null for all that are enabled for production calls."
  }),
  main_agent_channel_index: Schema.NullOr(Schema.Literal(0, 1)).annotations({
    description: "The main agent's channel, as a delivery stated it; null if none did."
  })
}).annotations({ identifier: "StoredDelivery" })
export interface StoredDeliveryJson extends Schema.Schema.Type<typeof StoredDeliveryJson> {}

const encodeTranscript = (transcript: RedactedTranscript): typeof TranscriptJson.Type => ({
  turns: transcript.turns.map(({ content, endTime, speaker, startTime, timing, words }) => ({
    role: roleNames[speaker],
    content,
    start_time: startTime ?? null,
    end_time: endTime ?? null,
    words: words.map((word) => ({
      word: word.text,
      start_time: word.startTime ?? null,
      end_time: word.endTime ?? null
    })),
    timing: timing ?? null
  })),
  tool_calls: toolCallItems(transcript),
  skipped: transcript.skipped ?? []
})

export const encodeStoredDelivery = (call: CallRecord): StoredDeliveryJson => ({
  call_id: call.callId,
  agent: call.agentId,
  trace_id: call.traceId,
  timestamp: DateTime.formatIso(call.timestamp),
  transcript_type: call.transcriptType,
  transcript_json: call.transcript === null ? null : encodeTranscript(call.transcript),
  call_ended_reason: call.callEndedReason,
  customer_number: call.customerNumber,
  feedback: call.feedbackByPerson ? null : call.feedback,
  metadata: call.metadata,
  dynamic_variables: call.dynamicVariables,
  redact_fields: call.redactFields,
  metric_ids: call.requestedMetrics,
  main_agent_channel_index: call.recording?.mainAgentChannelIndex ?? null
})
