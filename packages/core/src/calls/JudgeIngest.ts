/** Whether a body of E10 makes a call, and which. Pure: what has to be looked up or fetched comes after it. */
import * as Either from "effect/Either"
import { type Faults, fault, isFaulty, mergeFaults, noFaults, underPath } from "../kernel/Faults.js"
import type { AgentId, MetricId } from "../kernel/Ids.js"
import { isPlainObject } from "../kernel/Json.js"
import { inInterfaceOrder, type SensitiveField } from "../redaction/SensitiveField.js"
import type { RawTranscript } from "../transcripts/Transcript.js"
import * as TranscriptFormat from "../transcripts/TranscriptFormat.js"
import { AUDIO_HEAD_BYTES, audioFacts, NOT_AUDIO } from "./AudioFacts.js"
import { type DecodeIngestBody, type IngestBody, makeDecode } from "./IngestBody.js"
import { parseMetricIds } from "./MetricIds.js"
import type { Upload } from "./Upload.js"

/** What an engine is able to do, which decides what it can be asked. */
export interface Abilities {
  readonly formats: TranscriptFormat.TranscriptFormats
  /** Whether a transcriber is configured. */
  readonly transcribes: boolean
  /** The largest recording that is kept. */
  readonly maxRecordingBytes: number
}

/** The agent whose call it is, as a body names it: by our id, by its provider's, or by both, which have to agree. */
export interface AgentReference {
  readonly id: AgentId | undefined
  readonly assistantId: string | undefined
}

/** The recording that a delivery brings, if any. */
export type Announced =
  { readonly from: "upload"; readonly upload: Upload } | { readonly from: "url"; readonly url: string }

/** A body in which nothing is wrong. */
export interface Judged {
  readonly body: IngestBody
  readonly agent: AgentReference
  /** Undefined where the body brings none. */
  readonly transcript: RawTranscript | undefined
  readonly recording: Announced | undefined
  /** What is to be redacted; empty where nothing is. */
  readonly redact: ReadonlyArray<SensitiveField>
  /** The transcript is to be made from the recording. */
  readonly transcribe: boolean
  /** The metrics that are asked for; whether they are the agent's is not known here. */
  readonly metricIds: ReadonlyArray<MetricId> | undefined
}

/** A body with faults, and what can be read of its agent all the same, so that an unknown one is told along with them. */
export interface Refused {
  readonly faults: Faults
  readonly agent: AgentReference
  readonly metricIds: ReadonlyArray<MetricId> | undefined
}

const NEEDS_TRANSCRIBER =
  'No transcriber is configured, and the transcript type "none-mono" needs one to make a transcript from the audio.'
const NEEDS_AUDIO = 'The transcript type "none-mono" needs a recording: send this or voice_recording_url.'

export const makeJudge = (abilities: Abilities): ((input: unknown) => Either.Either<Judged, Refused>) => {
  const decode = makeDecode(abilities.formats)
  return (input) =>
    Either.match(decode(input), {
      onLeft: (faults) => {
        const rest = readable(decode, input, faults)
        if (rest === undefined) return Either.left({ faults, agent: nobody, metricIds: undefined })
        const named = new Set(Object.keys(faults).map(fieldOf))
        const more = Either.match(judge(abilities, rest), { onLeft: (left) => left, onRight: () => noFaults })
        const news = Object.entries(more).filter(([path]) => !isAbout(named, fieldOf(path)))
        return Either.left({
          faults: mergeFaults(faults, Object.fromEntries(news)),
          agent: named.has("agent") || named.has("assistant_id") ? nobody : agentOf(rest),
          metricIds: metricIdsOf(rest)
        })
      },
      onRight: (body) =>
        Either.mapLeft(judge(abilities, body), (faults) => ({
          faults,
          agent: agentOf(body),
          metricIds: metricIdsOf(body)
        }))
    })
}

/** What can be read of the metrics that a body asks for. */
const metricIdsOf = (body: IngestBody): ReadonlyArray<MetricId> | undefined =>
  Either.getOrNull(parseMetricIds(body.metric_ids)) ?? undefined

const nobody: AgentReference = { id: undefined, assistantId: undefined }

/** The field at the root of a fault's path. */
const fieldOf = (path: string): string => /^[^.[]*/.exec(path)?.[0] ?? path

/** Fields that are judged together: what is said of one is idle where another is no good anyway. */
const TOGETHER: ReadonlyArray<ReadonlyArray<string>> = [
  ["agent", "assistant_id"],
  ["voice_recording", "voice_recording_url"],
  ["transcript_type", "transcript_json"]
]

const isAbout = (named: ReadonlySet<string>, field: string): boolean =>
  named.has(field) || TOGETHER.some((group) => group.includes(field) && group.some((one) => named.has(one)))

/** The body without the fields that have faults, for what can be said of the others. */
const readable = (decode: DecodeIngestBody, input: unknown, faults: Faults): IngestBody | undefined => {
  if (!isPlainObject(input)) return undefined
  const named = new Set(Object.keys(faults).map(fieldOf))
  const kept = Object.entries(input).filter(([field]) => !named.has(field) && field !== "__proto__")
  return Either.getOrUndefined(decode({ call_id: "unknown", ...Object.fromEntries(kept) }))
}

const agentOf = (body: IngestBody): AgentReference => ({
  id: body.agent ?? undefined,
  assistantId: body.assistant_id === null || body.assistant_id.trim() === "" ? undefined : body.assistant_id
})

const recordingOf = (body: IngestBody): Announced | undefined =>
  // A file at hand needs no fetching, so with both given the URL is not looked at.
  body.voice_recording !== null
    ? { from: "upload", upload: body.voice_recording }
    : body.voice_recording_url !== null && body.voice_recording_url.trim() !== ""
      ? { from: "url", url: body.voice_recording_url.trim() }
      : undefined

const judge = (abilities: Abilities, body: IngestBody): Either.Either<Judged, Faults> => {
  const agent = agentOf(body)
  const recording = recordingOf(body)
  const transcribe = body.transcript_type === TranscriptFormat.AUDIO_ONLY_TYPE
  const decoded =
    body.transcript_json === null
      ? Either.right(undefined)
      : abilities.formats.decode(body.transcript_type, body.transcript_json, {
          mainAgentChannelIndex: channelOf(body.main_agent_channel_index)
        })
  const metrics = parseMetricIds(body.metric_ids)
  const faults = mergeFaults(
    agent.id === undefined && agent.assistantId === undefined ? unnamed : noFaults,
    Either.match(decoded, { onLeft: (found) => underPath("transcript_json", found), onRight: () => noFaults }),
    Either.match(metrics, { onLeft: (found) => underPath("metric_ids", found), onRight: () => noFaults }),
    transcribe && !abilities.transcribes ? fault("transcript_type", NEEDS_TRANSCRIBER) : noFaults,
    transcribe && recording === undefined ? fault("voice_recording", NEEDS_AUDIO) : noFaults,
    recording?.from === "upload" ? uploadFaults(abilities, recording.upload) : noFaults
  )
  return isFaulty(faults)
    ? Either.left(faults)
    : Either.right({
        body,
        agent,
        transcript: transcribe ? undefined : Either.getOrUndefined(decoded),
        recording,
        redact: inInterfaceOrder(body.redact_fields ?? []),
        transcribe,
        metricIds: metricIdsOf(body)
      })
}

const unnamed = mergeFaults(
  fault("agent", "This field is required if assistant_id is not provided."),
  fault("assistant_id", "This field is required if agent is not provided.")
)

const uploadFaults = (abilities: Abilities, { bytes }: Upload): Faults =>
  bytes.length === 0
    ? fault("voice_recording", "The submitted file is empty.")
    : bytes.length > abilities.maxRecordingBytes
      ? fault("voice_recording", `Ensure this file is no larger than ${abilities.maxRecordingBytes} bytes.`)
      : audioFacts(bytes.subarray(0, AUDIO_HEAD_BYTES), bytes.length) === undefined
        ? fault("voice_recording", NOT_AUDIO)
        : noFaults

/** 0, 1 or not told. */
export const channelOf = (index: number | null): 0 | 1 | undefined => (index === 0 ? 0 : index === 1 ? 1 : undefined)
