/**
 * The way in for calls of which something is to be redacted. Everything that was said is held in memory until it is
 * gone: what reaches a store, of records or of blobs, is redacted and proven to be.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Permit } from "../access/Permit.js"
import { ValidationFailed, fault } from "../kernel/Faults.js"
import type { Json } from "../kernel/Json.js"
import { StorageError, type StorageFault } from "../kernel/Storage.js"
import { bothRanges, type AudioRanges, muteRanges, placeholderRanges } from "../redaction/AudioRanges.js"
import { redactAudio } from "../redaction/audio/AudioCheck.js"
import type { AudioFault } from "../redaction/audio/AudioErrors.js"
import { describeAudio } from "../redaction/audio/MuteAudio.js"
import type { Fill } from "../redaction/audio/Wav.js"
import { NerProvider, redactCall } from "../redaction/NerProvider.js"
import { redactCustomerNumber, redactJson, redactText } from "../redaction/RedactJson.js"
import type { RedactOptions } from "../redaction/SpansToRedact.js"
import { inInterfaceOrder, type SensitiveField } from "../redaction/SensitiveField.js"
import type { RawTranscript, RedactedTranscript } from "../transcripts/Transcript.js"
import { AUDIO_HEAD_BYTES, audioFacts, NOT_AUDIO } from "./AudioFacts.js"
import { type Blob, BlobStore } from "./BlobStore.js"
import { RedactionUnavailable } from "./CallErrors.js"
import { CallLimits, type CallRecord, type Recording } from "./CallRecord.js"
import { CallStore } from "./CallStore.js"
import type { CalledAgent, Delivery } from "./Delivery.js"
import { type Announced, channelOf, type Judged } from "./JudgeIngest.js"
import { RecordingSource } from "./RecordingSource.js"
import { Transcriber } from "./Transcriber.js"

/** What of a call besides transcript and recording may be redacted, too. */
export type CallDetail = "metadata" | "dynamic_variables" | "feedback" | "customer_number"

/** How an engine redacts what is asked for. */
export interface RedactionConfig extends Pick<RedactOptions, "everyday" | "threshold" | "replacement"> {
  /**
   * Details that are redacted along with transcript and recording. None unless told: hosts look calls up by them, and
   * the interface speaks of transcript and audio alone.
   */
  readonly details?: ReadonlyArray<CallDetail>
  /** What muted stretches of WAV recordings hold; silence unless told. */
  readonly fill?: Fill
}

/** Sound in memory. */
interface Sound {
  readonly bytes: Uint8Array
  readonly contentType: string
  readonly durationSeconds: number | null
}

/** A delivery that is fit to be kept but for its recording's bytes, which are fit to be kept as well. */
export interface RedactedDelivery {
  readonly sound: Sound | undefined
  readonly mainAgentChannelIndex: 0 | 1 | null
  /** The delivery, given the blob that the bytes became. */
  readonly of: (blob: Blob | undefined) => Delivery
}

const NOT_KEPT = "The recording was not kept:"
const NO_TRANSCRIPT = `${NOT_KEPT} without a transcript nobody knows what in it is to be redacted.`
const NO_TIMES = `${NOT_KEPT} the transcript does not tell when what is redacted was said.`
const BEYOND = `${NOT_KEPT} the transcript tells of times beyond its end, so that muting by it cannot be relied on.`

/** Why audio could not be muted, in a sentence that holds nothing of it. */
const notMuted = (error: AudioFault): string => {
  switch (error._tag) {
    case "UnsupportedAudio":
      return `${NOT_KEPT} audio of this format cannot be muted.`
    case "MalformedAudio":
      return `${NOT_KEPT} it cannot be decoded.`
    case "UnusableRanges":
      return NO_TIMES
    case "MutingNotProven":
      return `${NOT_KEPT} what was muted in it did not prove to be silent.`
  }
}

const soundOf = (bytes: Uint8Array): Sound | undefined => {
  const facts = audioFacts(bytes.subarray(0, AUDIO_HEAD_BYTES), bytes.length)
  return facts === undefined
    ? undefined
    : {
        bytes,
        contentType: facts.contentType,
        durationSeconds: Either.match(describeAudio(bytes), {
          onLeft: () => facts.durationSeconds,
          onRight: ({ durationSeconds }) => durationSeconds
        })
      }
}

/** A kept transcript, to be read once more for fields that were not asked for before. */
const asRaw = ({ toolCalls, turns }: RedactedTranscript): RawTranscript => ({ _tag: "RawTranscript", turns, toolCalls })

const collect = <E>(content: Stream.Stream<Uint8Array, E>): Effect.Effect<Uint8Array, E> =>
  Effect.map(Stream.runCollect(content), (chunks) => Buffer.concat([...chunks]))

interface Heard {
  readonly sound: Sound | undefined
  readonly fault: string | undefined
}

export const make = (config: RedactionConfig) =>
  Effect.gen(function* () {
    const store = yield* CallStore
    const blobs = yield* BlobStore
    const source = yield* RecordingSource
    const transcriber = yield* Transcriber
    const ner = yield* NerProvider
    const { details = [], fill, ...options } = config

    const announcedSound = (announced: Announced): Effect.Effect<Heard, ValidationFailed> =>
      (announced.from === "upload"
        ? Effect.succeed(announced.upload.bytes)
        : collect(source.fetch(announced.url))
      ).pipe(
        Effect.map((bytes): Heard => {
          const sound = soundOf(bytes)
          return { sound, fault: sound === undefined ? `The recording is missing: ${NOT_AUDIO}` : undefined }
        }),
        Effect.catchTags({
          RecordingUrlRefused: (error) => new ValidationFailed({ faults: fault("voice_recording_url", error.reason) }),
          RecordingUnavailable: (error) =>
            Effect.succeed<Heard>({ sound: undefined, fault: `The recording is missing: ${error.reason}` })
        })
      )

    const keptSound = (recording: Recording): Effect.Effect<Sound | undefined, StorageFault> =>
      collect(blobs.get(recording.blobKey)).pipe(
        Effect.map(soundOf),
        Effect.catchTags({
          BlobMissing: () => Effect.succeed(undefined),
          BlobStoreFailed: (error) =>
            new StorageError({ operation: `BlobStore.${error.operation}`, cause: error.cause })
        })
      )

    const transcribed = ({ bytes, contentType }: Sound) =>
      Option.match(transcriber.transcribe, {
        onNone: () => Effect.succeed({ transcript: undefined, fault: undefined }),
        onSome: (transcribe) =>
          transcribe({ contentType, sizeBytes: bytes.length, content: Stream.make(bytes) }).pipe(
            Effect.map((transcript) => ({ transcript, fault: undefined })),
            Effect.catchTag("TranscriptionFailed", (error) =>
              Effect.succeed({ transcript: undefined, fault: `The transcript is missing: ${error.reason}` })
            )
          )
      })

    /** The sound without what was redacted, or why there is none. */
    const muted = (sound: Sound, ranges: AudioRanges, channel: 0 | 1 | undefined): Effect.Effect<Heard> => {
      if (ranges._tag === "Unknown") return Effect.succeed({ sound: undefined, fault: NO_TIMES })
      if (ranges.ranges.length === 0) return Effect.succeed({ sound, fault: undefined })
      // The ranges have their margin already.
      return redactAudio(sound.bytes, muteRanges(ranges.ranges, channel), { padding: 0, fill }).pipe(
        Effect.map((audio): Heard =>
          audio.rangesBeyond > 0
            ? { sound: undefined, fault: BEYOND }
            : { sound: { ...sound, bytes: audio.bytes }, fault: undefined }
        ),
        Effect.catchAll((error) => Effect.succeed<Heard>({ sound: undefined, fault: notMuted(error) }))
      )
    }

    /** Details as they are kept. What is there already is read again where more is asked for than before. */
    const detailsOf = (
      { body }: Judged,
      fields: ReadonlyArray<SensitiveField>,
      before: CallRecord | undefined
    ): Pick<Delivery, "customerNumber" | "feedback" | "metadata" | "dynamicVariables"> => {
      const asked = new Set<CallDetail>(details)
      const document = (detail: CallDetail, given: Json | null, kept: Json | undefined): Json | undefined => {
        const value = given ?? (asked.has(detail) ? kept : undefined)
        return value === undefined || value === null || !asked.has(detail)
          ? (value ?? undefined)
          : redactJson(value, fields, options)
      }
      const text = (
        detail: CallDetail,
        given: string | null,
        kept: string | null | undefined,
        redact: (value: string) => string
      ): string | undefined => {
        const value = given ?? (asked.has(detail) ? kept : undefined)
        return value === undefined || value === null || !asked.has(detail) ? (value ?? undefined) : redact(value)
      }
      return {
        metadata: document("metadata", body.metadata, before?.metadata),
        dynamicVariables: document("dynamic_variables", body.dynamic_variables, before?.dynamicVariables),
        feedback: text("feedback", body.feedback, before?.feedback, (value) => redactText(value, fields, options)),
        customerNumber: text("customer_number", body.customer_number, before?.customerNumber, (value) =>
          redactCustomerNumber(value, fields, options).slice(0, CallLimits.customerNumber)
        )
      }
    }

    /** What a person wrote of the call before more was asked for. */
    const reviewedOf = ({ feedback, feedbackByPerson }: CallRecord, fields: ReadonlyArray<SensitiveField>) =>
      feedbackByPerson && feedback !== null && details.includes("feedback")
        ? { of: feedback, to: redactText(feedback, fields, options) }
        : undefined

    /**
     * A judged body as the delivery that may be kept: redacted by `asked` and by whatever earlier deliveries of the call
     * asked for. A recording and a transcript that arrive apart are redacted by each other all the same.
     */
    const prepare = (
      permit: Permit<"calls:write">,
      judged: Judged,
      agent: CalledAgent,
      asked: ReadonlyArray<SensitiveField>,
      now: Delivery["receivedAt"]
    ): Effect.Effect<RedactedDelivery, ValidationFailed | StorageFault | RedactionUnavailable> =>
      Effect.gen(function* () {
        const { body } = judged
        const before = Option.getOrUndefined(yield* store.findDelivered(permit, agent.id, body.call_id))
        const fields = inInterfaceOrder([...asked, ...(before?.redactFields ?? [])])
        const grows = before !== undefined && fields.length > before.redactFields.length
        const announced =
          judged.recording === undefined
            ? { sound: undefined, fault: undefined }
            : yield* announcedSound(judged.recording)
        const speech =
          judged.transcribe && announced.sound !== undefined ? yield* transcribed(announced.sound) : undefined
        const told = speech?.transcript ?? judged.transcript
        const known = before?.transcript ?? undefined
        const hasRecording = before?.recording !== undefined && before.recording !== null
        // An empty transcript replaces none.
        const isNew = told !== undefined && (told.turns.length > 0 || known === undefined)
        const raw = isNew ? told : known === undefined ? undefined : asRaw(known)
        const redaction =
          raw === undefined
            ? undefined
            : yield* redactCall(raw, fields, options).pipe(
                Effect.provideService(NerProvider, ner),
                Effect.mapError(() => new RedactionUnavailable())
              )
        const ranges =
          redaction === undefined || isNew
            ? redaction?.ranges
            : bothRanges(redaction.ranges, placeholderRanges(redaction.transcript))
        const channel =
          channelOf(body.main_agent_channel_index) ?? before?.recording?.mainAgentChannelIndex ?? undefined
        const sound =
          announced.sound ?? (hasRecording && (isNew || grows) ? yield* keptSound(before.recording) : undefined)
        const outcome: Heard =
          sound === undefined
            ? announced
            : ranges === undefined || redaction === undefined || redaction.transcript.turns.length === 0
              ? { sound: undefined, fault: NO_TRANSCRIPT }
              : yield* muted(sound, ranges, channel)
        const mainAgentChannelIndex = channel ?? null
        const kept = outcome.sound
        return {
          sound: kept,
          mainAgentChannelIndex,
          of: (blob: Blob | undefined): Delivery => ({
            agent,
            callId: body.call_id,
            traceId: body.trace_id === "" ? undefined : body.trace_id,
            timestamp: body.timestamp ?? undefined,
            callEndedReason: body.call_ended_reason ?? undefined,
            ...detailsOf(judged, fields, grows ? before : undefined),
            reviewed: grows ? reviewedOf(before, fields) : undefined,
            transcript:
              redaction === undefined || (!isNew && !grows)
                ? undefined
                : {
                    type: isNew ? body.transcript_type : (before?.transcriptType ?? body.transcript_type),
                    content: redaction.transcript
                  },
            recording:
              blob === undefined || kept === undefined
                ? undefined
                : {
                    blobKey: blob.key,
                    contentType: kept.contentType,
                    sizeBytes: blob.sizeBytes,
                    sha256: blob.sha256,
                    durationSeconds: kept.durationSeconds,
                    mainAgentChannelIndex
                  },
            recordingFault: speech?.fault ?? outcome.fault,
            redactFields: fields,
            metricIds: judged.metricIds,
            evaluates: true,
            dropsRecording: hasRecording && (isNew || grows) && kept === undefined,
            laidOver: before && {
              call: before,
              transcript: raw !== undefined && !isNew && (grows || announced.sound !== undefined),
              recording: hasRecording && (isNew || grows) && announced.sound === undefined,
              details: grows
            },
            receivedAt: now
          })
        }
      })

    /** What a person says of a call, by the same switch. */
    const feedback = (call: CallRecord): string | null =>
      call.feedback === null || !details.includes("feedback")
        ? call.feedback
        : redactText(call.feedback, call.redactFields, options)

    return { prepare, feedback }
  })
