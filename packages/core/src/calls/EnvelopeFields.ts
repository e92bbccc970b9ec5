/** The fields of a body that it leaves out and the envelope in its `transcript_json` states. */
import * as DateTime from "effect/DateTime"
import { type Json, isPlainObject } from "../kernel/Json.js"
import { PLATFORM_KEY, readEnvelope, type StatedFields, statedFields } from "../platforms/Envelopes.js"
import { platformNamed } from "../platforms/Platform.js"
import { DecodedTranscript, UnreadableTranscript } from "../transcripts/DecodedTranscript.js"
import { CallLimits } from "./CallRecord.js"
import { type IngestBody, webAddressError } from "./IngestBody.js"
import { Upload } from "./Upload.js"

/** A body with what its envelope states. */
export interface CompletedBody {
  readonly body: IngestBody
  readonly hasEnvelope: boolean
  /** The recording is the envelope's. */
  readonly hasItsRecording: boolean
  /** Why the envelope's recording cannot be read. */
  readonly recordingError: string | undefined
}

/** Every field of the body wins over the envelope's. A list of rows, as opposed to an envelope, states nothing. */
export const completeBody = (body: IngestBody): CompletedBody => {
  const { transcript_json: given } = body
  const envelope = given instanceof UnreadableTranscript ? given.envelope : given
  const isEnvelope = isPlainObject(envelope) && !(envelope instanceof DecodedTranscript)
  const platform = isEnvelope ? platformNamed(body.transcript_type) : undefined
  const event = platform === undefined ? undefined : readEnvelope(platform, envelope)
  if (platform === undefined || event === undefined) {
    return { body, hasEnvelope: platform !== undefined, hasItsRecording: false, recordingError: undefined }
  }
  const stated = statedFields(platform, event, CallLimits)
  const hasOwnRecording = body.voice_recording !== null || (body.voice_recording_url ?? "").trim() !== ""
  const recorded: Recorded = hasOwnRecording ? noRecording : recordingOf(stated, event.facts.recordingBase64)
  return {
    body: {
      ...withStated(body, stated),
      voice_recording: body.voice_recording ?? recorded.upload,
      voice_recording_url: hasOwnRecording ? body.voice_recording_url : recorded.url
    },
    hasEnvelope: true,
    hasItsRecording: recorded.url !== null || recorded.upload !== null,
    recordingError: recorded.error
  }
}

const withStated = (body: IngestBody, stated: StatedFields): IngestBody => ({
  ...body,
  timestamp: body.timestamp ?? (stated.timestamp === undefined ? null : DateTime.unsafeMake(stated.timestamp)),
  duration_seconds: body.duration_seconds ?? stated.duration_seconds ?? null,
  call_ended_reason: body.call_ended_reason ?? stated.call_ended_reason ?? null,
  customer_number: body.customer_number ?? stated.customer_number ?? null,
  dynamic_variables: body.dynamic_variables ?? stated.dynamic_variables ?? null,
  metadata: withPlatform(body.metadata, stated.metadata)
})

/** The envelope's metadata where the body has none, otherwise the body's with the envelope's `platform`. */
const withPlatform = (given: Json | null, stated: StatedFields["metadata"]): Json => {
  if (given === null) return stated
  const part = stated[PLATFORM_KEY]
  return isPlainObject(given) && given[PLATFORM_KEY] === undefined && part !== undefined
    ? { ...given, [PLATFORM_KEY]: part }
    : given
}

interface Recorded {
  readonly upload: Upload | null
  readonly url: string | null
  readonly error: string | undefined
}

const noRecording: Recorded = { upload: null, url: null, error: undefined }

const recordingOf = ({ voice_recording_url: url }: StatedFields, base64: string | undefined): Recorded => {
  if (base64 !== undefined) {
    const bytes = Buffer.from(base64, "base64")
    return bytes.length === 0
      ? { ...noRecording, error: "The recording is missing: the envelope's audio is not base64." }
      : { ...noRecording, upload: new Upload(bytes, "audio/mpeg", "recording") }
  }
  if (url === undefined) return noRecording
  return url.length > CallLimits.url || webAddressError(url) !== undefined
    ? { ...noRecording, error: "The recording is missing: the envelope's URL is not a valid URL of the web." }
    : { ...noRecording, url }
}
