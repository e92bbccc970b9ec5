/** The report of a worker on a run that has ended. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import {
  type FieldErrors,
  fieldError,
  hasFieldErrors,
  mergeFieldErrors,
  noFieldErrors,
  Messages,
  underPath
} from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import { Json } from "../kernel/Json.js"
import { MAX_CALL_SECONDS } from "../transcripts/Limits.js"
import type { RawTranscript } from "../transcripts/Transcript.js"
import * as TranscriptFormat from "../transcripts/TranscriptFormat.js"

/** A file of a multipart body; JSON cannot contain bytes. */
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
  /** Only with the transcript type `none-mono`: the transcript is made from it. */
  voice_recording: Fields.withDefault(Fields.nullable(AudioUpload), null),
  voice_recording_url: Fields.withDefault(Fields.nullable(Fields.text({ max: 4096, blank: false })), null),
  /** Seconds. Default: the end of the transcript. */
  duration: Fields.withDefault(Fields.nullable(Fields.number), null),
  call_ended_reason: Fields.withDefault(Fields.nullable(Fields.text({ max: 100 })), null),
  success: Fields.withDefault(Fields.nullable(Fields.boolean), null)
})

/** Where a run's audio is. */
export type RunAudio =
  { readonly from: "upload"; readonly bytes: Uint8Array } | { readonly from: "url"; readonly url: string }

/** The conversation of a report. */
export interface ReportedConversation {
  readonly transcript: RawTranscript | null
  /** The audio to transcribe, where there is no transcript. */
  readonly audio: RunAudio | null
}

const NEEDS_TRANSCRIBER = 'The transcript type "none-mono" needs a transcriber, and none is configured.'
const NEEDS_AUDIO = 'The transcript type "none-mono" needs a recording: send voice_recording or voice_recording_url.'
const RECORDING_NOT_STORED =
  'Only with the transcript type "none-mono": recordings of runs are transcribed and not stored.'

const durationErrors = (seconds: number): FieldErrors =>
  seconds < 0
    ? fieldError("duration", Messages.tooSmall(0))
    : seconds > MAX_CALL_SECONDS
      ? fieldError("duration", Messages.tooLarge(MAX_CALL_SECONDS))
      : noFieldErrors

/** The transcript of a report, or the audio to make it from; or every error. */
export const validateReport = (
  report: typeof CompleteInput.Type,
  capabilities: { readonly transcribes: boolean }
): Either.Either<ReportedConversation, FieldErrors> => {
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
  const errors = mergeFieldErrors(
    Either.isLeft(decoded) ? underPath("transcript_json", decoded.left) : noFieldErrors,
    durationErrors(duration ?? 0),
    isAudio && audio === null ? fieldError("voice_recording", NEEDS_AUDIO) : noFieldErrors,
    isAudio && !capabilities.transcribes ? fieldError("transcript_type", NEEDS_TRANSCRIBER) : noFieldErrors,
    !isAudio && audio !== null
      ? fieldError(audio.from === "upload" ? "voice_recording" : "voice_recording_url", RECORDING_NOT_STORED)
      : noFieldErrors,
    file !== null && url !== null
      ? fieldError("voice_recording_url", "Give voice_recording or voice_recording_url, not both.")
      : noFieldErrors
  )
  return hasFieldErrors(errors) || Either.isLeft(decoded)
    ? Either.left(errors)
    : Either.right({ transcript: isAudio ? null : decoded.right, audio })
}
