/** Validates a body of E10. Pure: looking up the agent and downloading the recording come afterwards. */
import { inInterfaceOrder, type SensitiveField } from "@earshot/redaction"
import * as Either from "effect/Either"
import { type AgentReference, agentRequired } from "../catalog/AgentReference.js"
import {
  type FieldErrors,
  fieldError,
  hasFieldErrors,
  mergeFieldErrors,
  noFieldErrors,
  underPath
} from "../kernel/FieldErrors.js"
import type { MetricId } from "../kernel/Ids.js"
import { isPlainObject } from "../kernel/Json.js"
import { DecodedTranscript, UnreadableTranscript } from "../transcripts/DecodedTranscript.js"
import type { RawTranscript } from "../transcripts/Transcript.js"
import * as TranscriptFormat from "../transcripts/TranscriptFormat.js"
import { AUDIO_HEAD_BYTES, detectAudioFormat } from "./AudioFormat.js"
import { completeBody } from "./EnvelopeFields.js"
import { type DecodeIngestBody, type IngestBody, makeDecode } from "./IngestBody.js"
import { parseMetricIds } from "./MetricIds.js"
import type { Upload } from "./Upload.js"

/** What an engine is configured to accept. */
export interface IngestCapabilities {
  readonly formats: TranscriptFormat.TranscriptFormats
  /** Whether a transcriber is configured. */
  readonly transcribes: boolean
  /** Bytes of the largest recording that is stored. */
  readonly maxRecordingBytes: number
}

/** Where the recording of a delivery comes from. */
export type RecordingRef =
  | { readonly from: "upload"; readonly upload: Upload }
  | {
      readonly from: "url"
      readonly url: string
      /** The URL is from an envelope: one that is not allowed costs the recording, not the call. */
      readonly isFromEnvelope: boolean
    }

/** A body without field errors. */
export interface ValidIngest {
  /** Without `transcript_json`, which is decoded below and is large. */
  readonly body: Omit<IngestBody, "transcript_json">
  readonly agent: AgentReference
  /** Undefined when the body has none. */
  readonly transcript: RawTranscript | undefined
  readonly hasUnreadableTranscript: boolean
  readonly recording: RecordingRef | undefined
  /** Why a recording of an envelope cannot be read. */
  readonly recordingError: string | undefined
  /** The fields to redact; may be empty. */
  readonly redact: ReadonlyArray<SensitiveField>
  /** The transcript has to be made from the recording. */
  readonly transcribe: boolean
  /** The requested metrics; not checked to be metrics of the agent. */
  readonly metricIds: ReadonlyArray<MetricId> | undefined
}

/**
 * A body with field errors. The agent and metrics that could be read are included, so that the caller can look them up and
 * report unknown ones in the same response.
 */
export interface InvalidIngest {
  readonly errors: FieldErrors
  readonly agent: AgentReference
  readonly metricIds: ReadonlyArray<MetricId> | undefined
}

const NEEDS_TRANSCRIBER =
  'No transcriber is configured, and the transcript type "none-mono" needs one to make a transcript from the audio.'
const NEEDS_AUDIO = 'The transcript type "none-mono" needs a recording: send this or voice_recording_url.'

export const makeIngestValidator = (
  capabilities: IngestCapabilities
): ((input: unknown) => Either.Either<ValidIngest, InvalidIngest>) => {
  const decode = makeDecode(capabilities.formats)
  return (input) =>
    Either.match(decode(input), {
      onLeft: (errors) => Either.left(invalidIngest(capabilities, decode, input, errors)),
      onRight: (body) =>
        Either.mapLeft(validateBody(capabilities, body), (errors) => ({
          errors,
          agent: agentOf(body),
          metricIds: metricIdsOf(body)
        }))
    })
}

/** Adds the errors of the fields that decode to the errors of those that do not. */
const invalidIngest = (
  capabilities: IngestCapabilities,
  decode: DecodeIngestBody,
  input: unknown,
  errors: FieldErrors
): InvalidIngest => {
  const remainder = decodeRemainder(decode, input, errors)
  if (remainder === undefined) return { errors, agent: noAgent, metricIds: undefined }
  const invalid = new Set(Object.keys(errors).map(fieldOf))
  const more = Either.match(validateBody(capabilities, remainder), {
    onLeft: (found) => found,
    onRight: () => noFieldErrors
  })
  const independent = Object.entries(more).filter(([path]) => !isCovered(invalid, fieldOf(path)))
  return {
    errors: mergeFieldErrors(errors, Object.fromEntries(independent)),
    agent: invalid.has("agent") || invalid.has("assistant_id") ? noAgent : agentOf(remainder),
    metricIds: metricIdsOf(remainder)
  }
}

/** The metrics that a body requests, if they can be parsed. */
const metricIdsOf = (body: IngestBody): ReadonlyArray<MetricId> | undefined =>
  Either.getOrNull(parseMetricIds(body.metric_ids)) ?? undefined

const noAgent: AgentReference = {}

/** The top-level field of an error's path. */
const fieldOf = (path: string): string => /^[^.[]*/.exec(path)?.[0] ?? path

/** Fields that are validated together: an error in one makes errors in the others redundant. */
const RELATED_FIELDS: ReadonlyArray<ReadonlyArray<string>> = [
  ["agent", "assistant_id"],
  ["voice_recording", "voice_recording_url"],
  ["transcript_type", "transcript_json"]
]

const isCovered = (invalid: ReadonlySet<string>, field: string): boolean =>
  invalid.has(field) || RELATED_FIELDS.some((group) => group.includes(field) && group.some((one) => invalid.has(one)))

/** The body without its invalid fields, to validate the others. */
const decodeRemainder = (decode: DecodeIngestBody, input: unknown, errors: FieldErrors): IngestBody | undefined => {
  if (!isPlainObject(input)) return undefined
  const invalid = new Set(Object.keys(errors).map(fieldOf))
  const valid = Object.entries(input).filter(([field]) => !invalid.has(field) && field !== "__proto__")
  return Either.getOrUndefined(decode({ call_id: "unknown", ...Object.fromEntries(valid) }))
}

const agentOf = (body: IngestBody): AgentReference => ({
  agent: body.agent,
  assistantId: body.assistant_id === null || body.assistant_id.trim() === "" ? null : body.assistant_id
})

/** Whether a reference names an agent at all. */
export const namesAgent = ({ agent, assistantId }: AgentReference): boolean =>
  (agent ?? undefined) !== undefined || (assistantId ?? undefined) !== undefined

const recordingOf = (body: IngestBody, isFromEnvelope: boolean): RecordingRef | undefined =>
  // An uploaded file takes precedence over a URL.
  body.voice_recording !== null
    ? { from: "upload", upload: body.voice_recording }
    : body.voice_recording_url !== null && body.voice_recording_url.trim() !== ""
      ? { from: "url", url: body.voice_recording_url.trim(), isFromEnvelope }
      : undefined

const validateBody = (capabilities: IngestCapabilities, given: IngestBody): Either.Either<ValidIngest, FieldErrors> => {
  const { body, hasEnvelope, hasItsRecording, recordingError } = completeBody(given)
  const agent = agentOf(body)
  const named = recordingOf(body, hasItsRecording)
  const uploaded = named?.from === "upload" ? uploadErrors(capabilities, named.upload) : noFieldErrors
  // What an envelope has instead of audio costs the recording, not the call.
  const isDropped = hasItsRecording && hasFieldErrors(uploaded)
  const recording = isDropped ? undefined : named
  const transcribe = body.transcript_type === TranscriptFormat.AUDIO_ONLY_TYPE
  const hasUnreadableTranscript = body.transcript_json instanceof UnreadableTranscript
  const decoded =
    body.transcript_json === null || hasUnreadableTranscript
      ? Either.right(undefined)
      : body.transcript_json instanceof DecodedTranscript
        ? Either.right(body.transcript_json.decoded)
        : capabilities.formats.decode(body.transcript_type, body.transcript_json, {
            mainAgentChannelIndex: channelOf(body.main_agent_channel_index)
          })
  const metrics = parseMetricIds(body.metric_ids)
  const errors = mergeFieldErrors(
    namesAgent(agent) ? noFieldErrors : agentRequired,
    Either.match(decoded, { onLeft: (found) => underPath("transcript_json", found), onRight: () => noFieldErrors }),
    Either.match(metrics, { onLeft: (found) => underPath("metric_ids", found), onRight: () => noFieldErrors }),
    transcribe && !capabilities.transcribes ? fieldError("transcript_type", NEEDS_TRANSCRIBER) : noFieldErrors,
    transcribe && recording === undefined ? fieldError("voice_recording", NEEDS_AUDIO) : noFieldErrors,
    isDropped ? noFieldErrors : uploaded
  )
  return hasFieldErrors(errors)
    ? Either.left(errors)
    : Either.right({
        body: withoutTranscript(body),
        agent,
        transcript: transcribe ? undefined : transcriptOf(Either.getOrUndefined(decoded), hasEnvelope),
        hasUnreadableTranscript,
        recording,
        recordingError: isDropped
          ? `The recording is missing: ${Object.values(uploaded).flat().join(" ")}`
          : recordingError,
        redact: inInterfaceOrder(body.redact_fields ?? []),
        transcribe,
        metricIds: metricIdsOf(body)
      })
}

/** No spread: in an object of this size it takes as long as validating the body. */
const withoutTranscript = (body: IngestBody): ValidIngest["body"] =>
  ({
    call_id: body.call_id,
    trace_id: body.trace_id,
    agent: body.agent,
    assistant_id: body.assistant_id,
    voice_recording: body.voice_recording,
    voice_recording_url: body.voice_recording_url,
    transcript_type: body.transcript_type,
    call_ended_reason: body.call_ended_reason,
    customer_number: body.customer_number,
    duration_seconds: body.duration_seconds,
    metadata: body.metadata,
    timestamp: body.timestamp,
    dynamic_variables: body.dynamic_variables,
    feedback: body.feedback,
    redact_fields: body.redact_fields,
    metric_ids: body.metric_ids,
    main_agent_channel_index: body.main_agent_channel_index
  }) satisfies Record<keyof ValidIngest["body"], unknown>

/** An envelope without turns is of a call without a transcript. */
const transcriptOf = (decoded: RawTranscript | undefined, isOfEnvelope: boolean): RawTranscript | undefined =>
  isOfEnvelope && decoded?.turns.length === 0 && decoded.toolCalls.length === 0 && decoded.skipped === undefined
    ? undefined
    : decoded

const uploadErrors = ({ maxRecordingBytes }: IngestCapabilities, { bytes }: Upload): FieldErrors =>
  bytes.length === 0
    ? fieldError("voice_recording", "The submitted file is empty.")
    : bytes.length > maxRecordingBytes
      ? fieldError("voice_recording", `Ensure this file is no larger than ${maxRecordingBytes} bytes.`)
      : Either.match(detectAudioFormat(bytes.subarray(0, AUDIO_HEAD_BYTES), bytes.length), {
          onLeft: (reason) => fieldError("voice_recording", reason),
          onRight: () => noFieldErrors
        })

/** `main_agent_channel_index`: 0, 1 or not given. */
export const channelOf = (index: number | null): 0 | 1 | undefined => (index === 0 ? 0 : index === 1 ? 1 : undefined)
