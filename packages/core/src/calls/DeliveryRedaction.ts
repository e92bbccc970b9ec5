/**
 * Redaction of deliveries. Everything is held in memory until it is redacted: only redacted transcripts and verified muted
 * audio reach a store.
 */
import {
  type SpeakerRanges,
  bothRanges,
  inInterfaceOrder,
  type KnownValue,
  muteRanges,
  NerProvider,
  placeholderRanges,
  type RedactOptions,
  type RedactionCount,
  type SensitiveField,
  valuesIn
} from "@earshot/redaction"
import type { AudioError, AudioFormat, Fill } from "@earshot/redaction/audio"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Permit } from "../access/Permit.js"
import type { ValidationFailed } from "../kernel/FieldErrors.js"
import type { StorageError } from "../kernel/Storage.js"
import { isSuperseded } from "../platforms/Envelopes.js"
import { type RawTranscript, type RedactedTranscript, skippedOf } from "../transcripts/Transcript.js"
import { RecordingAudio } from "./RecordingAudio.js"
import { AUDIO_HEAD_BYTES, type AudioType, detectAudioFormat } from "./AudioFormat.js"
import { type Blob, BlobStore } from "./BlobStore.js"
import type { AudioWorkFailed, RedactionUnavailable } from "./CallErrors.js"
import type { CallRecord, Recording } from "./CallRecord.js"
import { CallStore } from "./CallStore.js"
import type { CalledAgent, Delivery, ReviewTexts } from "./Delivery.js"
import { plainFields } from "./DeliveryRules.js"
import { type CallDetail, countsFrom, knownOf, makeDetails } from "./DetailRedaction.js"
import { channelOf, type RecordingRef, type ValidIngest } from "./IngestValidation.js"
import { blobStoreError, recordingMissing, urlNotAllowed } from "./RecordingIntake.js"
import { isTranscriptSuperseded, knownFields } from "./RedeliveryRules.js"
import { RecordingSource } from "./RecordingSource.js"
import { countRedaction } from "./RedactionMetrics.js"
import { redactCall, RedactionWork } from "./RedactionWork.js"
import { Transcriber, transcription } from "./Transcriber.js"

/** How an engine redacts calls. */
export interface RedactionConfig extends Pick<RedactOptions, "everyday" | "threshold" | "replacement"> {
  /** Details that are stored as they are delivered, because the host looks calls up by them. Default: none. */
  readonly keepDetails?: ReadonlyArray<CallDetail>
  /** What muted ranges of WAV recordings contain. Default: silence. */
  readonly fill?: Fill
}

/** The body without what the stored call has from a later event of its platform. */
const withoutSuperseded = (ingest: ValidIngest, before: CallRecord | undefined): ValidIngest => {
  const { body } = ingest
  if (before === undefined || !isSuperseded(before.metadata, body.metadata)) return ingest
  const known = knownFields(before)
  return {
    ...ingest,
    // Its metadata becomes that of both events, so that nothing else would say that it is the earlier one.
    body: {
      ...body,
      trace_id: known.traceId ? "" : body.trace_id,
      timestamp: known.timestamp ? null : body.timestamp,
      duration_seconds: known.statedDuration ? null : body.duration_seconds,
      call_ended_reason: known.callEndedReason ? null : body.call_ended_reason,
      customer_number: known.customerNumber ? null : body.customer_number,
      dynamic_variables: known.dynamicVariables ? null : body.dynamic_variables
    },
    transcript: isTranscriptSuperseded(before) ? undefined : ingest.transcript,
    recording: before.recording === null ? ingest.recording : undefined
  }
}

/** A recording in memory, as it was given. */
interface GivenAudio {
  readonly bytes: Uint8Array
  readonly contentType: string
}

/** A muted recording in memory. */
interface AudioData extends GivenAudio {
  readonly durationSeconds: number
  readonly channels: number
}

/** A recording in memory, or an error message for the call record. */
interface AudioOutcome<Audio> {
  readonly audio: Audio | undefined
  readonly error: string | undefined
}

/** A redacted delivery, without the blob of its recording. */
export interface RedactedDelivery {
  /** The bytes to store, if any. */
  readonly audio: AudioData | undefined
  /** The delivery, given the blob that `audio` was stored as. */
  readonly deliveryOf: (blob: Blob | undefined) => Delivery
}

const withoutAudio = (error?: string) => ({ audio: undefined, error })

const NOT_STORED = "The recording was not stored:"
const NO_TRANSCRIPT = `${NOT_STORED} there is no transcript to locate what has to be redacted.`
const NO_TIMES = `${NOT_STORED} the transcript has no times for what is redacted.`
const BEYOND_END = `${NOT_STORED} the transcript has times beyond the end of the recording, so it cannot be muted reliably.`

/** Muted audio may be of another format than the delivered one. */
const CONTENT_TYPES: Record<AudioFormat, AudioType> = { wav: "audio/wav", mp3: "audio/mpeg", opus: "audio/ogg" }

/** Why audio could not be muted; the message holds nothing of the audio. */
const notMuted = (error: AudioError | AudioWorkFailed): string => {
  switch (error._tag) {
    case "UnsupportedAudio":
      return `${NOT_STORED} audio of this format cannot be muted, and its tags cannot be removed.`
    case "MalformedAudio":
      return `${NOT_STORED} it cannot be decoded.`
    case "UnusableRanges":
      return NO_TIMES
    case "MutingNotProven":
      return `${NOT_STORED} its muted ranges could not be verified to be silent.`
    case "AudioWorkFailed":
      return `${NOT_STORED} muting it took too long or too much memory.`
  }
}

/** The audio in some bytes, or why there is none. */
const audioOf = (bytes: Uint8Array): Either.Either<GivenAudio, string> =>
  Either.map(detectAudioFormat(bytes.subarray(0, AUDIO_HEAD_BYTES), bytes.length), ({ contentType }) => ({
    bytes,
    contentType
  }))

/** A stored transcript as input for further redaction. */
const asRaw = (stored: RedactedTranscript): RawTranscript => ({
  _tag: "RawTranscript",
  turns: stored.turns,
  toolCalls: stored.toolCalls,
  ...skippedOf(stored)
})

const collect = <E>(content: Stream.Stream<Uint8Array, E>): Effect.Effect<Uint8Array, E> =>
  Effect.map(Stream.runCollect(content), (chunks) => Buffer.concat([...chunks]))

/** What is redacted: the fields, and whether they are more than those of the stored call. */
interface Scope {
  readonly fields: ReadonlyArray<SensitiveField>
  readonly before: CallRecord | undefined
  readonly extended: boolean
}

const scopeOf = (before: CallRecord | undefined, requested: ReadonlyArray<SensitiveField>): Scope => {
  const fields = inInterfaceOrder([...requested, ...(before?.redactFields ?? [])])
  return { fields, before, extended: before !== undefined && fields.length > before.redactFields.length }
}

/** The transcript to redact. */
interface TranscriptSource {
  /** The delivered transcript, otherwise the stored one. */
  readonly raw: RawTranscript | undefined
  /** Whether it is the delivered one. An empty transcript does not replace a stored one. */
  readonly delivered: boolean
}

const transcriptSource = (delivered: RawTranscript | undefined, before: CallRecord | undefined): TranscriptSource => {
  const stored = before?.transcript ?? undefined
  return delivered !== undefined && (delivered.turns.length > 0 || stored === undefined)
    ? { raw: delivered, delivered: true }
    : { raw: stored === undefined ? undefined : asRaw(stored), delivered: false }
}

interface TranscriptRedaction {
  /** Values that were redacted, which are looked for in the details. */
  readonly values: ReadonlyArray<KnownValue>
  readonly transcript: RedactedTranscript
  readonly redactions: ReadonlyArray<RedactionCount>
  readonly ranges: SpeakerRanges
}

/** Everything that the delivery is made of. */
interface Parts {
  readonly details: Pick<
    Delivery,
    | "customerNumber"
    | "callEndedReason"
    | "feedback"
    | "metadata"
    | "dynamicVariables"
    | "redactions"
    | "redactedReview"
  >
  readonly ingest: ValidIngest
  readonly agent: CalledAgent
  readonly now: Delivery["receivedAt"]
  readonly scope: Scope
  readonly source: TranscriptSource
  readonly redaction: TranscriptRedaction | undefined
  /** Whether the delivery brings a recording that could be read. */
  readonly bringsAudio: boolean
  /** Whether the stored recording has to be muted again, because its transcript or the fields change. */
  readonly mutesStored: boolean
  readonly muted: AudioOutcome<AudioData>
  readonly recordingError: string | undefined
  readonly channel: 0 | 1 | undefined
}

/** The redacted transcript of the delivery; undefined keeps the stored one. */
const deliveredTranscript = ({ ingest, redaction, scope, source }: Parts): Delivery["transcript"] => {
  if (redaction === undefined || (!source.delivered && !scope.extended)) return undefined
  const type = ingest.body.transcript_type
  return {
    type: source.delivered ? type : (scope.before?.transcriptType ?? type),
    content: redaction.transcript
  }
}

/** Which parts of the stored call the delivery was made from. */
const mergeBaseOf = ({ bringsAudio, mutesStored, scope, source }: Parts): Delivery["mergeBase"] =>
  scope.before && {
    call: scope.before,
    transcript: source.raw !== undefined && !source.delivered && (scope.extended || bringsAudio),
    recording: mutesStored && !bringsAudio,
    details: scope.extended
  }

const recordingOf = (audio: AudioData, blob: Blob, channel: 0 | 1 | undefined): Recording => ({
  blobKey: blob.key,
  contentType: audio.contentType,
  sizeBytes: blob.sizeBytes,
  sha256: blob.sha256,
  durationSeconds: audio.durationSeconds,
  channels: audio.channels,
  mainAgentChannelIndex: channel ?? null
})

/** The delivery, given the blob of its muted recording. */
const deliveryOf = (parts: Parts, blob: Blob | undefined): Delivery => {
  const { agent, channel, details, ingest, muted, mutesStored, now, recordingError, scope } = parts
  return {
    ...plainFields(ingest, agent, now),
    ...details,
    transcript: deliveredTranscript(parts),
    recording: blob === undefined || muted.audio === undefined ? undefined : recordingOf(muted.audio, blob, channel),
    recordingError,
    redactFields: scope.fields,
    evaluates: true,
    dropsRecording: mutesStored && muted.audio === undefined,
    mergeBase: mergeBaseOf(parts)
  }
}

export interface DeliveryRedaction {
  /**
   * A validated body as a delivery, redacted by `requested` and by the fields of earlier deliveries of the call. A
   * recording and a transcript that arrive in separate deliveries are redacted by each other.
   */
  readonly redact: (
    permit: Permit<"calls:write">,
    ingest: ValidIngest,
    agent: CalledAgent,
    requested: ReadonlyArray<SensitiveField>,
    now: Delivery["receivedAt"]
  ) => Effect.Effect<RedactedDelivery, ValidationFailed | StorageError | RedactionUnavailable>
  /** The texts of a review, redacted by the fields of its call where feedback is a redacted detail. */
  readonly redactReview: (call: CallRecord) => Effect.Effect<ReviewTexts>
}

export const make = (config: RedactionConfig) =>
  Effect.gen(function* () {
    const store = yield* CallStore
    const blobs = yield* BlobStore
    const audioWork = yield* RecordingAudio
    const source = yield* RecordingSource
    const transcriber = yield* Transcriber
    const ner = yield* NerProvider
    const work = yield* RedactionWork
    const { fill, keepDetails = [], ...options } = config
    const callDetails = makeDetails(work, keepDetails, options)

    const readDelivered = (ref: RecordingRef): Effect.Effect<AudioOutcome<GivenAudio>, ValidationFailed> =>
      (ref.from === "upload" ? Effect.succeed(ref.upload.bytes) : collect(source.fetch(ref.url))).pipe(
        Effect.map((bytes) =>
          Either.match(audioOf(bytes), {
            onLeft: (reason) => withoutAudio(recordingMissing(reason)),
            onRight: (audio) => ({ audio, error: undefined })
          })
        ),
        Effect.catchTags({
          RecordingUrlNotAllowed: ({ reason }) =>
            Effect.map(urlNotAllowed(ref, reason), ({ recordingError }) => withoutAudio(recordingError ?? reason)),
          RecordingUnavailable: ({ reason }) => Effect.succeed(withoutAudio(recordingMissing(reason)))
        })
      )

    const readStored = (recording: Recording): Effect.Effect<GivenAudio | undefined, StorageError> =>
      collect(blobs.get(recording.blobKey)).pipe(
        Effect.map((bytes) => Either.getOrUndefined(audioOf(bytes))),
        Effect.catchTags({ BlobMissing: () => Effect.succeed(undefined), BlobStoreFailed: blobStoreError })
      )

    const redactTranscript = (
      { delivered, raw }: TranscriptSource,
      fields: ReadonlyArray<SensitiveField>,
      known: ReadonlyArray<KnownValue>
    ): Effect.Effect<TranscriptRedaction | undefined, RedactionUnavailable> =>
      raw === undefined
        ? Effect.succeed(undefined)
        : redactCall(raw, fields, { ...options, known }).pipe(
            Effect.provideService(NerProvider, ner),
            Effect.provideService(RedactionWork, work),
            // A stored transcript has placeholders of earlier redactions, whose audio has to be muted as well.
            Effect.map(({ ranges, redactions, spans, transcript }) => ({
              redactions,
              values: valuesIn(raw, spans),
              transcript: { ...transcript, ...skippedOf(raw) },
              ranges: delivered ? ranges : bothRanges(ranges, placeholderRanges(transcript))
            }))
          )

    const mute = (
      audio: GivenAudio,
      redaction: TranscriptRedaction | undefined,
      channel: 0 | 1 | undefined
    ): Effect.Effect<AudioOutcome<AudioData>> => {
      if (redaction === undefined || redaction.transcript.turns.length === 0) {
        return Effect.succeed(withoutAudio(NO_TRANSCRIPT))
      }
      const { ranges } = redaction
      if (ranges._tag === "Unknown") return Effect.succeed(withoutAudio(NO_TIMES))
      // Without ranges its tags are removed. The ranges include their margin already.
      return audioWork.redact(audio.bytes, muteRanges(ranges.ranges, channel), { padding: 0, fill }).pipe(
        Effect.map(({ bytes, info, rangesBeyond }) => {
          const contentType = CONTENT_TYPES[info.format]
          return rangesBeyond > 0
            ? withoutAudio(BEYOND_END)
            : {
                audio: { bytes, contentType, durationSeconds: info.durationSeconds, channels: info.channels },
                error: undefined
              }
        }),
        Effect.catchAll((error) => Effect.succeed(withoutAudio(notMuted(error))))
      )
    }

    const detailsOf = (
      parts: Pick<Parts, "ingest" | "redaction" | "scope" | "source">,
      known: ReadonlyArray<KnownValue>
    ) =>
      Effect.gen(function* () {
        const { before, extended, fields } = parts.scope
        const counts = countsFrom(before)
        if (parts.redaction === undefined || !parts.source.delivered) {
          counts.keep("transcript")
          counts.keep("tool_calls")
        }
        counts.sum.addAll(parts.redaction?.redactions ?? [])
        const details = yield* callDetails.ofDelivery(
          parts.ingest,
          fields,
          extended ? before : undefined,
          [...(parts.redaction?.values ?? []), ...known],
          counts
        )
        return {
          ...details,
          redactions: counts.sum.list(),
          redactedReview: extended && before !== undefined ? yield* callDetails.ofReviewer(before, fields) : undefined
        }
      })

    const counted = (
      redaction: TranscriptRedaction | undefined,
      audio: GivenAudio | undefined,
      muted: AudioOutcome<AudioData>,
      begun: number
    ): Effect.Effect<void> =>
      Effect.flatMap(Clock.currentTimeMillis, (finished) =>
        countRedaction(redaction?.redactions ?? [], audio !== undefined && muted.audio === undefined, finished - begun)
      )

    const redact: DeliveryRedaction["redact"] = (permit, given, agent, requested, now) =>
      Effect.gen(function* () {
        const begun = yield* Clock.currentTimeMillis
        const before = Option.getOrUndefined(yield* store.findByCallId(permit, agent.id, given.body.call_id))
        const ingest = withoutSuperseded(given, before)
        const scope = scopeOf(before, requested)
        const delivered = ingest.recording === undefined ? withoutAudio() : yield* readDelivered(ingest.recording)
        const speech =
          ingest.transcribe && delivered.audio !== undefined
            ? yield* transcription(transcriber, {
                contentType: delivered.audio.contentType,
                sizeBytes: delivered.audio.bytes.length,
                content: Stream.make(delivered.audio.bytes)
              })
            : undefined
        const transcript = transcriptSource(speech?.transcript ?? ingest.transcript, before)
        const known = knownOf(ingest, agent, before)
        const redaction = yield* redactTranscript(transcript, scope.fields, known)
        const stored = before?.recording ?? undefined
        const mutesStored = stored !== undefined && (transcript.delivered || scope.extended)
        const channel = channelOf(ingest.body.main_agent_channel_index) ?? stored?.mainAgentChannelIndex ?? undefined
        const audio = delivered.audio ?? (mutesStored ? yield* readStored(stored) : undefined)
        const muted = audio === undefined ? withoutAudio(delivered.error) : yield* mute(audio, redaction, channel)
        const details = yield* detailsOf({ ingest, scope, source: transcript, redaction }, known)
        const parts: Parts = {
          ingest,
          agent,
          now,
          scope,
          source: transcript,
          redaction,
          details,
          bringsAudio: delivered.audio !== undefined,
          mutesStored,
          muted,
          recordingError: speech?.error ?? muted.error ?? ingest.recordingError,
          channel
        }
        yield* counted(redaction, audio, muted, begun)
        return { audio: muted.audio, deliveryOf: (blob) => deliveryOf(parts, blob) }
      })

    const service: DeliveryRedaction = { redact, redactReview: callDetails.redactReview }
    return service
  })
