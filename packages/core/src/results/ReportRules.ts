/** What a worker reports of a run that is over. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type Faults, fault, isFaulty, mergeFaults, noFaults, Messages, underPath } from "../kernel/Faults.js"
import * as Fields from "../kernel/Fields.js"
import { Json } from "../kernel/Json.js"
import { MAX_CALL_SECONDS } from "../transcripts/Limits.js"
import type { RawTranscript } from "../transcripts/Transcript.js"
import * as TranscriptFormat from "../transcripts/TranscriptFormat.js"

/** A file of a multipart body. Its bytes are such as no JSON can have. */
interface AudioFile {
  readonly bytes: Uint8Array
}

const NOT_A_FILE = "The submitted data was not a file. Check the encoding type on the form."

const AudioUpload: Schema.Schema<AudioFile> = Schema.declare(
  (value): value is AudioFile =>
    typeof value === "object" && value !== null && "bytes" in value && value.bytes instanceof Uint8Array,
  {
    message: () => NOT_A_FILE,
    jsonSchema: { type: "string", format: "binary", description: "The recording, as a file of a multipart body." }
  }
)

export const CompleteInput = Fields.object({
  lease: Fields.text({ max: 100, blank: false }),
  transcript_type: Fields.withDefault(TranscriptFormat.TranscriptType, TranscriptFormat.DEFAULT_TYPE),
  transcript_json: Fields.optional(Json),
  /** With the transcript type `none-mono`, which is made from it. */
  voice_recording: Fields.withDefault(Fields.nullable(AudioUpload), null),
  voice_recording_url: Fields.withDefault(Fields.nullable(Fields.text({ max: 4096, blank: false })), null),
  /** Seconds; the end of the transcript where left out. */
  duration: Fields.withDefault(Fields.nullable(Fields.number), null),
  call_ended_reason: Fields.withDefault(Fields.nullable(Fields.text({ max: 100 })), null),
  success: Fields.withDefault(Fields.nullable(Fields.boolean), null)
})

/** Where a run's audio is. */
export type RunAudio =
  { readonly from: "upload"; readonly bytes: Uint8Array } | { readonly from: "url"; readonly url: string }

/** What was reported, in so far as it says what was said. */
export interface ReportedSpeech {
  readonly transcript: RawTranscript | null
  /** What the transcript is to be made from. */
  readonly audio: RunAudio | null
}

const NEEDS_TRANSCRIBER =
  'No transcriber is configured, and the transcript type "none-mono" needs one to make a transcript from the audio.'
const NEEDS_AUDIO = 'The transcript type "none-mono" needs a recording: send this or voice_recording_url.'
const NOT_KEPT = 'Only with the transcript type "none-mono": recordings of runs are transcribed, and not kept.'

const durationFaults = (seconds: number): Faults =>
  seconds < 0
    ? fault("duration", Messages.tooSmall(0))
    : seconds > MAX_CALL_SECONDS
      ? fault("duration", Messages.tooLarge(MAX_CALL_SECONDS))
      : noFaults

/** The transcript of a report or what it is to be made from; or every fault. */
export const judgeReport = (
  report: typeof CompleteInput.Type,
  abilities: { readonly transcribes: boolean }
): Either.Either<ReportedSpeech, Faults> => {
  const {
    duration,
    transcript_json: json,
    transcript_type: type,
    voice_recording: file,
    voice_recording_url: url
  } = report
  const isAudio = type === TranscriptFormat.AUDIO_ONLY_TYPE
  const decoded = json === undefined || json === null ? Either.right(null) : TranscriptFormat.builtIn.decode(type, json)
  const audio: RunAudio | null =
    file !== null ? { from: "upload", bytes: file.bytes } : url !== null ? { from: "url", url } : null
  const faults = mergeFaults(
    Either.isLeft(decoded) ? underPath("transcript_json", decoded.left) : noFaults,
    durationFaults(duration ?? 0),
    isAudio && audio === null ? fault("voice_recording", NEEDS_AUDIO) : noFaults,
    isAudio && !abilities.transcribes ? fault("transcript_type", NEEDS_TRANSCRIBER) : noFaults,
    !isAudio && audio !== null
      ? fault(audio.from === "upload" ? "voice_recording" : "voice_recording_url", NOT_KEPT)
      : noFaults,
    file !== null && url !== null
      ? fault("voice_recording_url", "Give voice_recording or voice_recording_url, not both.")
      : noFaults
  )
  return isFaulty(faults) || Either.isLeft(decoded)
    ? Either.left(faults)
    : Either.right({ transcript: isAudio ? null : decoded.right, audio })
}
