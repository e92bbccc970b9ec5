/** A call as lists have it: without its transcript and documents, unless `expand` names them. */
import type * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { decodeInput, type ValidationFailed } from "../kernel/FieldErrors.js"
import * as Expand from "../kernel/Expand.js"
import * as Fields from "../kernel/Fields.js"
import { Json } from "../kernel/Json.js"
import { encodeEvaluation, EvaluationJson, type StoredEvaluation } from "../metrics/Evaluation.js"
import type { RedactedTranscript } from "../transcripts/Transcript.js"
import { timingItems, toolCallItems } from "../transcripts/TranscriptView.js"
import { type CallRecord, CallRecordJson, encodeCallRecord, type Recording } from "./CallRecord.js"
import { encodeStoredDelivery, StoredDeliveryJson } from "./StoredDelivery.js"
import { TimingJson, ToolCallJson } from "./TranscriptJson.js"

/** What `expand` adds to a call. A list has none of it by default; a call record has the transcript in both forms. */
export const CALL_EXPANSIONS = {
  transcript: "the transcript as text",
  transcript_object: "the transcript as a list of turns",
  metadata: "the metadata that deliveries sent",
  dynamic_variables: "the dynamic variables that deliveries sent",
  tool_calls: "the tool calls of the main agent, with their results",
  timings: "the stages of turns that the platform measured",
  recording: "the type, size, duration and channels of the recording"
} as const

/** What `expand` adds to one call, which may be read with more than calls of a list. */
export const CALL_READ_EXPANSIONS = {
  ...CALL_EXPANSIONS,
  evaluations: "the evaluations by metrics, with their explanations and the quotes of judges",
  delivery: "what is stored of the deliveries, in the fields of the request"
} as const
export type CallExpansion = keyof typeof CALL_EXPANSIONS
export type CallExpansions = Expand.Expanded<typeof CALL_EXPANSIONS>

/** `expand`, in the query of a call, a list or an export. */
export const callExpand = Fields.optional(Expand.expandField(CALL_EXPANSIONS))

/** The query of one call. */
export const CallReadQuery = Fields.object({ expand: Fields.optional(Expand.expandField(CALL_READ_EXPANSIONS)) })
export type CallReadExpansions = Expand.Expanded<typeof CALL_READ_EXPANSIONS>

export const nothingExpanded: CallExpansions = new Set()

const ListExpand = Fields.object({ expand: callExpand })

/** The names in a query that has been validated, or may have other fields. */
export const expandedIn = (
  query: unknown
): Either.Either<{ readonly expand?: CallExpansions | undefined }, ValidationFailed> => decodeInput(ListExpand, query)

/** The same of the query of one call. */
export const readExpandedIn = (
  query: unknown
): Either.Either<{ readonly expand?: CallReadExpansions | undefined }, ValidationFailed> =>
  decodeInput(CallReadQuery, query)

/** The fields of a call that only `expand` loads in a list; absent if it does not name them. */
interface Documents {
  readonly transcript: CallRecord["transcript"]
  readonly metadata: Json
  readonly dynamicVariables: Json
}

export interface ListedCall extends Omit<CallRecord, keyof Documents>, Partial<Documents> {}

/** The names that the stored transcript is read for. */
export const TRANSCRIPT_EXPANSIONS = [
  "transcript",
  "transcript_object",
  "tool_calls",
  "timings"
] as const satisfies ReadonlyArray<CallExpansion>

/** A record as a list has it. */
export const listedCall = (
  { dynamicVariables, metadata, transcript, ...rest }: CallRecord,
  expand: CallExpansions
): ListedCall => ({
  ...rest,
  ...(TRANSCRIPT_EXPANSIONS.some((name) => expand.has(name)) ? { transcript } : {}),
  ...(expand.has("metadata") ? { metadata } : {}),
  ...(expand.has("dynamic_variables") ? { dynamicVariables } : {})
})

const { transcript: transcriptField, transcript_object: transcriptObjectField, ...listed } = CallRecordJson.fields

const RecordingJson = Schema.Struct({
  content_type: Schema.String.annotations({ description: "Media type of the recording." }),
  size_bytes: Schema.Int.annotations({ description: "Size of the recording in bytes." }),
  duration_s: Schema.NullOr(Schema.Number).annotations({ description: "Seconds; null if unknown." }),
  channels: Schema.NullOr(Schema.Int).annotations({ description: "Number of audio channels; null if unknown." }),
  main_agent_channel_index: Schema.NullOr(Schema.Literal(0, 1)).annotations({
    description: "The main agent's channel, as a delivery stated it."
  })
}).annotations({ identifier: "CallRecording" })

const encodeRecording = (recording: Recording): typeof RecordingJson.Type => ({
  content_type: recording.contentType,
  size_bytes: recording.sizeBytes,
  duration_s: recording.durationSeconds,
  channels: recording.channels,
  main_agent_channel_index: recording.mainAgentChannelIndex
})

const documents = {
  metadata: Schema.optional(Json),
  dynamic_variables: Schema.optional(Json),
  tool_calls: Schema.optional(
    Schema.Array(ToolCallJson).annotations({ description: "Tool calls of the main agent, in their order." })
  ),
  timings: Schema.optional(
    Schema.Array(TimingJson).annotations({ description: "Turns of which the platform measured stages." })
  ),
  recording: Schema.optional(
    Schema.NullOr(RecordingJson).annotations({ description: "The recording; null if there is none." })
  )
}

/** The JSON form of a call in a list. */
export const ListedCallJson = Schema.Struct({
  ...listed,
  transcript: Schema.optional(transcriptField),
  transcript_object: Schema.optional(transcriptObjectField),
  ...documents
}).annotations({ identifier: "ListedCall" })
export interface ListedCallJson extends Schema.Schema.Type<typeof ListedCallJson> {}

/** The JSON form of a call record with what `expand` adds: of one call, and of exports. */
export const ExpandedCallJson = Schema.Struct({
  ...CallRecordJson.fields,
  ...documents,
  evaluations: Schema.optional(
    Schema.Array(EvaluationJson).annotations({ description: "Evaluations by metrics, with their explanations." })
  ),
  delivery: Schema.optional(StoredDeliveryJson)
}).annotations({ identifier: "ExpandedCall" })
export interface ExpandedCallJson extends Schema.Schema.Type<typeof ExpandedCallJson> {}

const encodeDocuments = (
  { dynamicVariables, metadata, recording, transcript }: Partial<Documents> & Pick<CallRecord, "recording">,
  expand: ReadonlySet<string>
) => ({
  ...(expand.has("metadata") ? { metadata: metadata ?? null } : {}),
  ...(expand.has("dynamic_variables") ? { dynamic_variables: dynamicVariables ?? null } : {}),
  ...(expand.has("tool_calls") ? { tool_calls: toolCallItems(transcript ?? noTranscript) } : {}),
  ...(expand.has("timings") ? { timings: timingItems(transcript ?? noTranscript) } : {}),
  ...(expand.has("recording") ? { recording: recording && encodeRecording(recording) } : {})
})

const noTranscript: RedactedTranscript = { _tag: "RedactedTranscript", turns: [], toolCalls: [] }

export const encodeListedCall = (call: ListedCall, expand: CallExpansions = nothingExpanded): ListedCallJson => {
  const { transcript, transcript_object, ...rest } = encodeCallRecord({
    ...call,
    transcript: call.transcript ?? null,
    metadata: null,
    dynamicVariables: null
  })
  return {
    ...rest,
    ...(expand.has("transcript") ? { transcript } : {}),
    ...(expand.has("transcript_object") ? { transcript_object } : {}),
    ...encodeDocuments(call, expand)
  }
}

/** A record with the evaluations that `expand` asked for. */
export interface ExpandedCall extends CallRecord {
  readonly evaluations?: ReadonlyArray<StoredEvaluation>
}

export const encodeExpandedCall = (
  call: ExpandedCall,
  expand: CallReadExpansions = nothingExpanded
): ExpandedCallJson => ({
  ...encodeCallRecord(call),
  ...encodeDocuments(call, expand),
  ...(call.evaluations === undefined ? {} : { evaluations: call.evaluations.map(encodeEvaluation) }),
  ...(expand.has("delivery") ? { delivery: encodeStoredDelivery(call) } : {})
})
