/** The use case of E10: validate, look up the agent, store or redact the recording, store the delivery. */
import type { SensitiveField } from "@earshot/redaction"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Permit } from "../access/Permit.js"
import type { Agent } from "../catalog/Agent.js"
import { Agents } from "../catalog/Agents.js"
import { JobSignal } from "../jobs/JobSignal.js"
import {
  fieldError,
  hasFieldErrors,
  mergeFieldErrors,
  Messages,
  noFieldErrors,
  ValidationFailed
} from "../kernel/FieldErrors.js"
import type { MetricId } from "../kernel/Ids.js"
import { StorageBusy, type StorageError } from "../kernel/Storage.js"
import { Metrics } from "../metrics/Metrics.js"
import type { PrintedTranscript } from "../transcripts/PrintedTranscript.js"
import * as TranscriptFormat from "../transcripts/TranscriptFormat.js"
import { BlobStore } from "./BlobStore.js"
import type { CallDeleted, RedactionIncomplete, RedactionUnavailable } from "./CallErrors.js"
import type { CallRecord } from "./CallRecord.js"
import { SpanRedaction } from "./SpanRedaction.js"
import { CallStore, type DeliveryOutcome } from "./CallStore.js"
import type { CalledAgent, Delivery } from "./Delivery.js"
import type * as DeliveryRedaction from "./DeliveryRedaction.js"
import { rawTranscript, unredactedDelivery } from "./DeliveryRules.js"
import { EvaluationPace } from "./EvaluationPace.js"
import {
  channelOf,
  type InvalidIngest,
  makeIngestValidator,
  namesAgent,
  type RecordingRef,
  type ValidIngest
} from "./IngestValidation.js"
import { Recordings } from "./Recordings.js"
import * as RecordingIntake from "./RecordingIntake.js"
import { type Transcription, Transcriber, transcription } from "./Transcriber.js"

/** The result of an ingest. */
export interface Ingested {
  readonly call: CallRecord
  /** False for a redelivery, which updated an existing call. */
  readonly created: boolean
  /** The transcript of the call as texts, where they were made to store it. */
  readonly printed?: PrintedTranscript
}

/** How an engine ingests calls. */
export interface IngestConfig {
  /** The formats of `transcript_json`. Default: the built-in formats. */
  readonly formats?: TranscriptFormat.TranscriptFormats
  /** Whether new and changed calls are evaluated. Default: true. */
  readonly evaluate?: boolean
  /** Bytes of the largest recording, uploaded or downloaded. Default: 200 MB. */
  readonly maxRecordingBytes?: number
  /** How calls are redacted; see docs/redaction.md. */
  readonly redaction?: DeliveryRedaction.RedactionConfig
}

export const MAX_RECORDING_BYTES = 200_000_000

/** Attempts at redacting a delivery while concurrent deliveries of the call extend the fields to redact. */
const MAX_REDACTION_ATTEMPTS = 5

/** Retries of a delivery whose call is deleted concurrently. */
const MAX_DELETION_RETRIES = 4

/**
 * Makes the input of an unredacted delivery again, which has to be redacted after all. Until then it keeps no turns of the
 * transcript, but the delivery's texts.
 */
const againFrom =
  (
    delivery: Delivery,
    { agent, body, hasUnreadableTranscript, metricIds, recording, recordingError, redact, transcribe }: ValidIngest
  ): (() => ValidIngest) =>
  () => ({
    agent,
    body,
    hasUnreadableTranscript,
    metricIds,
    recording,
    recordingError,
    redact,
    transcribe,
    transcript: rawTranscript(delivery)
  })

type IngestError = ValidationFailed | StorageError | RedactionUnavailable

/** Whether nothing was stored and the delivery is attempted again with other blobs. */
const isRetried = ({ _tag }: StorageError | RedactionIncomplete | CallDeleted): boolean =>
  _tag === "RedactionIncomplete" || _tag === "CallDeleted"

/** Stores a delivery, again if its call was deleted meanwhile. No `Effect.retry`, which makes a schedule for every call. */
const retriedIfDeleted = <A, E>(
  store: Effect.Effect<A, E | CallDeleted>,
  retries = MAX_DELETION_RETRIES
): Effect.Effect<A, E | StorageBusy> =>
  Effect.catchTag(store, "CallDeleted", (): Effect.Effect<A, E | StorageBusy> =>
    retries > 0 ? retriedIfDeleted(store, retries - 1) : new StorageBusy({ operation: "Calls.ingest" })
  )

/** The ingest function of an engine. */
export const make = (config: IngestConfig, redaction: DeliveryRedaction.DeliveryRedaction) =>
  Effect.gen(function* () {
    const store = yield* CallStore
    const agents = yield* Agents
    const metrics = yield* Metrics
    const spanRedaction = yield* SpanRedaction
    const signal = yield* JobSignal
    const blobs = yield* BlobStore
    const stored = yield* Recordings
    const transcriber = yield* Transcriber
    const recordings = yield* RecordingIntake.make
    const pace = yield* EvaluationPace
    const evaluates = config.evaluate ?? true
    const validate = makeIngestValidator({
      formats: config.formats ?? TranscriptFormat.builtIn,
      transcribes: Option.isSome(transcriber.transcribe),
      maxRecordingBytes: config.maxRecordingBytes ?? MAX_RECORDING_BYTES
    })

    /** Field errors of requested metrics that are not metrics of the agent. */
    const unknownMetrics = (permit: Permit, agent: Agent, requested: ReadonlyArray<MetricId> | undefined) =>
      requested === undefined
        ? Effect.succeed(noFieldErrors)
        : Effect.map(metrics.ofAgent(permit, agent.id), (all) => {
            const known = new Set(all.map((metric) => metric.id))
            const unknown = requested.filter((id) => !known.has(id))
            return unknown.length === 0 ? noFieldErrors : fieldError("metric_ids", ...unknown.map(Messages.unknownId))
          })

    /** Fails with every error of a body, including an unknown agent and unknown metrics. */
    const reject = (permit: Permit, { agent, errors, metricIds }: InvalidIngest) =>
      !namesAgent(agent)
        ? Effect.fail(new ValidationFailed({ errors }))
        : agents.resolve(permit, agent).pipe(
            Effect.mapError((error) =>
              error._tag === "ValidationFailed"
                ? new ValidationFailed({ errors: mergeFieldErrors(errors, error.errors) })
                : error
            ),
            Effect.flatMap((found) => unknownMetrics(permit, found, metricIds)),
            Effect.flatMap((unknown) =>
              Effect.fail(new ValidationFailed({ errors: mergeFieldErrors(errors, unknown) }))
            )
          )

    const finish =
      ({ transcript }: Delivery) =>
      ({ call, created, released }: DeliveryOutcome): Effect.Effect<Ingested> => {
        // A created record has the transcript of its delivery.
        const printed = created ? transcript?.printed : undefined
        const ingested = printed === undefined ? { call, created } : { call, created, printed }
        return Effect.as(
          released.length === 0 ? signal.notify : Effect.zipRight(signal.notify, recordings.release(released)),
          ingested
        )
      }

    /**
     * A call with a recording and nothing to redact. Once the blob is stored, the rest is uninterruptible: a delivery in
     * progress may commit after its caller is gone, and would then refer to a deleted blob. A storage error keeps the
     * blob too, because it is unknown whether the record was stored.
     */
    const ingestWithRecording = (
      permit: Permit<"calls:write">,
      ingest: ValidIngest,
      agent: CalledAgent,
      ref: RecordingRef,
      now: DateTime.Utc
    ) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const stored = yield* restore(recordings.store(permit, ref, channelOf(ingest.body.main_agent_channel_index)))
          const { recording } = stored
          const keys = recording === undefined ? [] : [recording.blobKey]
          const speech: Transcription | undefined =
            ingest.transcribe && recording !== undefined
              ? yield* restore(
                  transcription(transcriber, {
                    contentType: recording.contentType,
                    sizeBytes: recording.sizeBytes,
                    content: blobs.get(recording.blobKey)
                  })
                ).pipe(Effect.onInterrupt(() => recordings.release(keys)))
              : undefined
          const delivery = unredactedDelivery(
            speech?.transcript === undefined ? ingest : { ...ingest, transcript: speech.transcript },
            agent,
            { recording, recordingError: stored.recordingError ?? speech?.error },
            evaluates,
            now
          )
          return yield* store.deliver(permit, delivery).pipe(
            Effect.tapError((error) => (isRetried(error) ? recordings.release(keys) : Effect.void)),
            Effect.flatMap(finish(delivery))
          )
        })
      )

    /** A call with fields to redact: nothing is stored before it is redacted. */
    const ingestRedacted = (
      permit: Permit<"calls:write">,
      ingest: ValidIngest,
      agent: CalledAgent,
      fields: ReadonlyArray<SensitiveField>,
      now: DateTime.Utc,
      attempt = 1
    ): Effect.Effect<Ingested, IngestError | CallDeleted> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const redacted = yield* restore(redaction.redact(permit, ingest, agent, fields, now))
          const blob =
            redacted.audio === undefined
              ? undefined
              : yield* restore(stored.put(permit.organizationId, Stream.make(redacted.audio.bytes))).pipe(
                  Effect.catchTag("BlobStoreFailed", RecordingIntake.blobStoreError)
                )
          const delivery = { ...redacted.deliveryOf(blob), evaluates }
          return yield* store.deliver(permit, delivery).pipe(
            Effect.tapError((error) =>
              blob !== undefined && isRetried(error) ? recordings.release([blob.key]) : Effect.void
            ),
            Effect.flatMap(finish(delivery))
          )
        })
      ).pipe(
        Effect.catchTag("RedactionIncomplete", (error) =>
          attempt < MAX_REDACTION_ATTEMPTS
            ? ingestRedacted(permit, ingest, agent, error.fields, now, attempt + 1)
            : new StorageBusy({ operation: "Calls.ingest" })
        )
      )

    /**
     * A call without a recording and without fields to redact in this delivery; earlier deliveries may have requested some.
     * The effect does not refer to the turns of the transcript, but to the delivery's texts.
     */
    const ingestPlain = (
      permit: Permit<"calls:write">,
      ingest: ValidIngest,
      agent: CalledAgent,
      now: DateTime.Utc
    ): Effect.Effect<Ingested, IngestError | CallDeleted> => {
      const recorded = { recording: undefined, recordingError: ingest.recordingError }
      const delivery = unredactedDelivery(ingest, agent, recorded, evaluates, now)
      const again = againFrom(delivery, ingest)
      return Effect.flatMap(store.deliver(permit, delivery), finish(delivery)).pipe(
        Effect.catchTag("RedactionIncomplete", ({ fields }) => ingestRedacted(permit, again(), agent, fields, now))
      )
    }

    /** A call with a recording and without fields to redact in this delivery; earlier deliveries may have requested some. */
    const ingestRecorded = (
      permit: Permit<"calls:write">,
      ingest: ValidIngest,
      recording: RecordingRef,
      agent: CalledAgent,
      now: DateTime.Utc
    ): Effect.Effect<Ingested, IngestError | CallDeleted> =>
      Effect.gen(function* () {
        // The blob is stored before the record, so the fields of earlier deliveries have to be known by now.
        const before = yield* store.findByCallId(permit, agent.id, ingest.body.call_id)
        const fields = Option.match(before, { onNone: () => [], onSome: (call) => call.redactFields })
        return fields.length > 0
          ? yield* ingestRedacted(permit, ingest, agent, fields, now)
          : yield* ingestWithRecording(permit, ingest, agent, recording, now)
      }).pipe(
        Effect.catchTag("RedactionIncomplete", ({ fields }) => ingestRedacted(permit, ingest, agent, fields, now))
      )

    const ingestValid = (
      permit: Permit<"calls:write">,
      ingest: ValidIngest,
      agent: CalledAgent,
      now: DateTime.Utc
    ): Effect.Effect<Ingested, IngestError | CallDeleted> =>
      ingest.redact.length > 0
        ? Effect.zipRight(
            spanRedaction.redact(permit, { agentId: agent.id, callId: ingest.body.call_id }, ingest.redact),
            ingestRedacted(permit, ingest, agent, ingest.redact, now)
          )
        : ingest.recording === undefined
          ? ingestPlain(permit, ingest, agent, now)
          : ingestRecorded(permit, ingest, ingest.recording, agent, now)

    return (permit: Permit<"calls:write">, input: unknown): Effect.Effect<Ingested, IngestError> =>
      Effect.flatMap(DateTime.now, (now) => {
        const validated = validate(input)
        if (Either.isLeft(validated)) return reject(permit, validated.left)
        const ingest = validated.right
        return Effect.flatMap(agents.resolve(permit, ingest.agent), (agent) => {
          const stored = Effect.zipRight(pace.ingestBegan, retriedIfDeleted(ingestValid(permit, ingest, agent, now)))
          return ingest.metricIds === undefined
            ? stored
            : Effect.flatMap(unknownMetrics(permit, agent, ingest.metricIds), (errors) =>
                hasFieldErrors(errors) ? Effect.fail(new ValidationFailed({ errors })) : stored
              )
        })
      })
  })
