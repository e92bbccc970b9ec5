import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type Forbidden, NotFound, type Unauthenticated } from "../access/AccessErrors.js"
import type { CurrentActor } from "../access/Actor.js"
import type { Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import type { Agent } from "../catalog/Agent.js"
import { Agents } from "../catalog/Agents.js"
import type { Filter } from "../filters/Filter.js"
import * as ParseFilter from "../filters/ParseFilter.js"
import { JobBell } from "../jobs/JobBell.js"
import {
  decode,
  fault,
  type Faults,
  isFaulty,
  mergeFaults,
  noFaults,
  Messages,
  underPath,
  ValidationFailed
} from "../kernel/Faults.js"
import * as Fields from "../kernel/Fields.js"
import { AgentId, type CallId, type MetricId, ProjectId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { StorageBusy, StorageError, type StorageFault, UnitOfWork } from "../kernel/Storage.js"
import { Metrics } from "../metrics/Metrics.js"
import { keepAll } from "../redaction/KeepAll.js"
import type { NerProvider } from "../redaction/NerProvider.js"
import type { SensitiveField } from "../redaction/SensitiveField.js"
import type { RawTranscript } from "../transcripts/Transcript.js"
import * as TranscriptFormat from "../transcripts/TranscriptFormat.js"
import { AUDIO_HEAD_BYTES, audioFacts, NOT_AUDIO } from "./AudioFacts.js"
import { BlobStore, type BlobStoreFailed } from "./BlobStore.js"
import type { CallGone, RedactionOwed, RedactionUnavailable } from "./CallErrors.js"
import type { CallRecord, Recording } from "./CallRecord.js"
import { type CallQuestion, CallStore, type Delivered } from "./CallStore.js"
import type { CalledAgent, Delivery } from "./Delivery.js"
import { type AgentReference, type Announced, channelOf, type Judged, makeJudge, type Refused } from "./JudgeIngest.js"
import * as RedactDelivery from "./RedactDelivery.js"
import { RecordingSource, RecordingUnavailable } from "./RecordingSource.js"
import { review, ReviewPatch } from "./Review.js"
import { Transcriber } from "./Transcriber.js"

/** What became of a delivered call. */
export interface Ingested {
  readonly call: CallRecord
  /** False for a call that was delivered before and is updated by this delivery. */
  readonly created: boolean
}

/** Production calls of the caller's organisation. Inputs are what came from outside and are judged here. */
export class Calls extends Context.Tag("@earshot/core/calls/Calls")<
  Calls,
  {
    /**
     * E10. The body as parsed JSON or form fields (see `IngestBody`), with an `Upload` under `voice_recording` where a
     * file came along. Answers once the call is durably kept. It keeps the call in a transaction of its own, which it
     * shares with other deliveries: do not call it inside `UnitOfWork.atomically`.
     *
     * What `redact_fields` asks for is gone from transcript and recording before either reaches a store. What cannot be
     * redacted is not stored: a recording is left out and the record says why, a transcript fails the whole delivery.
     */
    readonly ingest: UseCase<
      "calls.ingest",
      [input: unknown],
      Ingested,
      ValidationFailed | StorageFault | RedactionUnavailable
    >
    /** `{filters_v2?, agent_id?, project?, cursor?, limit?}`; `filters_v2` as JSON text or an object. Newest first. */
    readonly list: UseCase<"calls.list", [query: unknown], Pages.Page<CallRecord>, ValidationFailed | StorageFault>
    readonly read: UseCase<"calls.read", [id: CallId], CallRecord, NotFound | StorageFault>
    /** What a person says of a call: `{success?, is_reviewed?, status?, feedback?, dropoff_point?, topic?}`. */
    readonly review: UseCase<
      "calls.review",
      [id: CallId, patch: unknown],
      CallRecord,
      ValidationFailed | NotFound | StorageFault
    >
    /** Deletes a call for good, with its transcript, evaluations and recording. */
    readonly delete: UseCase<"calls.delete", [id: CallId], void, NotFound | StorageFault>
    /** Every call that `list` would page through, newest first, read page by page as the stream is pulled. */
    readonly export: (
      query: unknown
    ) => Stream.Stream<CallRecord, ValidationFailed | StorageFault | Unauthenticated | Forbidden, CurrentActor>
  }
>() {}

/** How an engine takes calls in. */
export interface IngestConfig {
  /** The formats of `transcript_json`; the built-in ones unless told. */
  readonly formats?: TranscriptFormat.TranscriptFormats
  /** Whether calls are evaluated as they come in; they are unless told. */
  readonly evaluate?: boolean
  /** The largest recording that is kept, uploaded or fetched; 200 MB unless told. */
  readonly maxRecordingBytes?: number
  /** How what is asked for is redacted; see docs/redaction.md. */
  readonly redaction?: RedactDelivery.RedactionConfig
}

/** Deliveries of one call that redact differently and arrive at once are few; each try knows what the one before did. */
const MOST_REDACTIONS = 5

/** A call that is deleted under so many tries of a delivery in a row is left to the webhook's next one. */
const MOST_DELETIONS = 4

/** Whether nothing of a delivery was kept, and it is made again with other bytes. */
const isToBeMadeAgain = ({ _tag }: StorageFault | RedactionOwed | CallGone): boolean =>
  _tag === "RedactionOwed" || _tag === "CallGone"

export const MAX_RECORDING_BYTES = 200_000_000

const CallQuery = Fields.object({
  ...Pages.PageQuery.fields,
  /** JSON text or an object; see `filters/ParseFilter`. */
  filters_v2: Fields.optional(Schema.Unknown),
  agent_id: Fields.optional(Fields.id(AgentId)),
  project: Fields.optional(Fields.id(ProjectId))
})

/** What `list` and `export` take, for API descriptions. */
export { CallQuery }

const decodeQuery = decode(CallQuery)

const parseFilter = (input: unknown): Either.Either<Filter, Faults> =>
  Either.mapLeft(
    typeof input === "object" ? ParseFilter.parse(input, ParseFilter.QUERY_LIMITS) : ParseFilter.parseText(input),
    (faults) => underPath("filters_v2", faults)
  )

/** A list's question and page, or every fault of the query. */
const readQuery = (
  query: unknown,
  now: DateTime.Utc
): Either.Either<{ readonly question: CallQuestion; readonly page: Pages.PageRequest }, ValidationFailed> =>
  Either.gen(function* () {
    const decoded = yield* decodeQuery(query)
    const filter = parseFilter(decoded.filters_v2)
    const page = Pages.pageRequest(decoded)
    const faults = mergeFaults(
      Either.match(filter, { onLeft: (found) => found, onRight: () => noFaults }),
      Either.match(page, { onLeft: (found) => found, onRight: () => noFaults })
    )
    return yield* Either.isRight(filter) && Either.isRight(page)
      ? Either.right({
          question: { filter: filter.right, agentId: decoded.agent_id, projectId: decoded.project, now },
          page: page.right
        })
      : Either.left(faults)
  }).pipe(Either.mapLeft((faults) => new ValidationFailed({ faults })))

/** A recording that was kept, and what became of it. */
interface Kept {
  readonly recording: Recording | undefined
  readonly fault: string | undefined
}

/** A transcript that was made of a recording, or why there is none. */
interface Transcribed {
  readonly transcript: RawTranscript | undefined
  readonly fault: string | undefined
}

const notTranscribed: Transcribed = { transcript: undefined, fault: undefined }

const nothingKept: Kept = { recording: undefined, fault: undefined }

const blobFault = (error: BlobStoreFailed): StorageError =>
  new StorageError({ operation: `BlobStore.${error.operation}`, cause: error.cause })

export const layer = (
  config: IngestConfig = {}
): Layer.Layer<
  Calls,
  never,
  CallStore | Agents | Metrics | JobBell | UnitOfWork | BlobStore | RecordingSource | Transcriber | NerProvider
> =>
  Layer.effect(
    Calls,
    Effect.gen(function* () {
      const store = yield* CallStore
      const agents = yield* Agents
      const metrics = yield* Metrics
      const bell = yield* JobBell
      const evaluates = config.evaluate ?? true
      const work = yield* UnitOfWork
      const blobs = yield* BlobStore
      const source = yield* RecordingSource
      const transcriber = yield* Transcriber
      const redaction = yield* RedactDelivery.make(config.redaction ?? {})
      const judge = makeJudge({
        formats: config.formats ?? TranscriptFormat.builtIn,
        transcribes: Option.isSome(transcriber.transcribe),
        maxRecordingBytes: config.maxRecordingBytes ?? MAX_RECORDING_BYTES
      })

      const resolve = (permit: Permit, { assistantId, id }: AgentReference) =>
        agents.resolve(permit, { agent: id ?? null, assistantId: assistantId ?? null })

      /** Faults of metrics that are not the agent's. */
      const foreignMetrics = (permit: Permit, agent: Agent, asked: ReadonlyArray<MetricId> | undefined) =>
        asked === undefined
          ? Effect.succeed(noFaults)
          : Effect.map(metrics.ofAgent(permit, agent.id), (all) => {
              const known = new Set(all.map((metric) => metric.id))
              const unknown = asked.filter((id) => !known.has(id))
              return unknown.length === 0 ? noFaults : fault("metric_ids", ...unknown.map(Messages.unknownId))
            })

      /** Every fault of a body, an unknown agent and metrics of another's among them. */
      const refuse = (permit: Permit, { agent, faults, metricIds }: Refused) =>
        agent.id === undefined && agent.assistantId === undefined
          ? Effect.fail(new ValidationFailed({ faults }))
          : resolve(permit, agent).pipe(
              Effect.mapError((error) =>
                error._tag === "ValidationFailed"
                  ? new ValidationFailed({ faults: mergeFaults(faults, error.faults) })
                  : error
              ),
              Effect.flatMap((found) => foreignMetrics(permit, found, metricIds)),
              Effect.flatMap((foreign) => Effect.fail(new ValidationFailed({ faults: mergeFaults(faults, foreign) })))
            )

      const release = (keys: ReadonlyArray<string>) =>
        Effect.forEach(
          keys,
          (key) =>
            Effect.catchAll(blobs.remove(key), (error) =>
              Effect.logWarning("A recording that no call refers to was left behind", { key, error })
            ),
          { discard: true }
        )

      /** Keeps the bytes that an announced recording is; what the other side of a URL fails to give is no fault. */
      const keepRecording = (
        permit: Permit,
        announced: Announced,
        channel: 0 | 1 | undefined
      ): Effect.Effect<Kept, ValidationFailed | StorageFault> =>
        Effect.gen(function* () {
          const head: Array<Uint8Array> = []
          let seen = 0
          const content =
            announced.from === "upload" ? Stream.make(announced.upload.bytes) : source.fetch(announced.url)
          const blob = yield* blobs.put(
            permit.organizationId,
            Stream.tap(content, (bytes) =>
              Effect.sync(() => {
                if (seen < AUDIO_HEAD_BYTES) head.push(bytes.subarray(0, AUDIO_HEAD_BYTES - seen))
                seen += bytes.length
              })
            )
          )
          const facts = audioFacts(Buffer.concat(head), blob.sizeBytes)
          if (facts === undefined) {
            yield* release([blob.key])
            return yield* new RecordingUnavailable({ reason: NOT_AUDIO })
          }
          return {
            recording: {
              blobKey: blob.key,
              contentType: facts.contentType,
              sizeBytes: blob.sizeBytes,
              sha256: blob.sha256,
              durationSeconds: facts.durationSeconds,
              mainAgentChannelIndex: channel ?? null
            },
            fault: undefined
          }
        }).pipe(
          Effect.catchTags({
            RecordingUrlRefused: (error) =>
              new ValidationFailed({ faults: fault("voice_recording_url", error.reason) }),
            RecordingUnavailable: (error) =>
              Effect.succeed<Kept>({ recording: undefined, fault: `The recording is missing: ${error.reason}` }),
            BlobStoreFailed: (error) => blobFault(error)
          })
        )

      /** The transcript of a recording, where the call came without one. */
      const transcribed = (recording: Recording): Effect.Effect<Transcribed> =>
        Option.match(transcriber.transcribe, {
          onNone: () => Effect.succeed(notTranscribed),
          onSome: (transcribe) =>
            transcribe({
              contentType: recording.contentType,
              sizeBytes: recording.sizeBytes,
              content: blobs.get(recording.blobKey)
            }).pipe(
              Effect.map((transcript) => ({ transcript, fault: undefined })),
              Effect.catchTag("TranscriptionFailed", (error) =>
                Effect.succeed<Transcribed>({
                  transcript: undefined,
                  fault: `The transcript is missing: ${error.reason}`
                })
              )
            )
        })

      const answer = ({ call, created, released }: Delivered): Effect.Effect<Ingested> =>
        released.length === 0
          ? Effect.as(bell.ring, { call, created })
          : Effect.as(Effect.zipRight(bell.ring, release(released)), { call, created })

      /**
       * A call that brings a recording. Once its bytes are kept nothing interrupts the rest: a delivery that is under way
       * may be kept whoever waits for it, and would then refer to bytes that are gone. A storage fault leaves the bytes
       * too, since whether the record was kept is not known then.
       */
      const ingestWithRecording = (
        permit: Permit<"calls:write">,
        judged: Judged,
        agent: CalledAgent,
        recording: Announced,
        now: DateTime.Utc
      ) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const kept = yield* restore(
              keepRecording(permit, recording, channelOf(judged.body.main_agent_channel_index))
            )
            const speech =
              judged.transcribe && kept.recording !== undefined
                ? yield* restore(transcribed(kept.recording)).pipe(
                    Effect.onInterrupt(() => release(kept.recording === undefined ? [] : [kept.recording.blobKey]))
                  )
                : undefined
            const delivery = deliveryOf(
              speech?.transcript === undefined ? judged : { ...judged, transcript: speech.transcript },
              agent,
              { recording: kept.recording, fault: kept.fault ?? speech?.fault },
              evaluates,
              now
            )
            return yield* store.deliver(permit, delivery).pipe(
              Effect.tapError((error) =>
                release(kept.recording === undefined || !isToBeMadeAgain(error) ? [] : [kept.recording.blobKey])
              ),
              Effect.flatMap(answer)
            )
          })
        )

      /** A call of which something is to be redacted: nothing of it is kept before that is done. */
      const ingestRedacted = (
        permit: Permit<"calls:write">,
        judged: Judged,
        agent: CalledAgent,
        asked: ReadonlyArray<SensitiveField>,
        now: DateTime.Utc,
        tries = 1
      ): Effect.Effect<Ingested, ValidationFailed | StorageFault | RedactionUnavailable | CallGone> =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const prepared = yield* restore(redaction.prepare(permit, judged, agent, asked, now))
            const blob =
              prepared.sound === undefined
                ? undefined
                : yield* restore(blobs.put(permit.organizationId, Stream.make(prepared.sound.bytes))).pipe(
                    Effect.mapError(blobFault)
                  )
            return yield* store.deliver(permit, { ...prepared.of(blob), evaluates }).pipe(
              Effect.tapError((error) => release(blob === undefined || !isToBeMadeAgain(error) ? [] : [blob.key])),
              Effect.flatMap(answer)
            )
          })
        ).pipe(
          Effect.catchTag("RedactionOwed", ({ fields }) =>
            tries < MOST_REDACTIONS
              ? ingestRedacted(permit, judged, agent, fields, now, tries + 1)
              : new StorageBusy({ operation: "Calls.ingest" })
          )
        )

      /** A call of which nothing is to be redacted, as far as this delivery tells. */
      const ingestAsItIs = (
        permit: Permit<"calls:write">,
        judged: Judged,
        agent: CalledAgent,
        now: DateTime.Utc
      ): Effect.Effect<Ingested, ValidationFailed | StorageFault | RedactionUnavailable | CallGone> =>
        Effect.gen(function* () {
          if (judged.recording === undefined) {
            return yield* Effect.flatMap(
              store.deliver(permit, deliveryOf(judged, agent, nothingKept, evaluates, now)),
              answer
            )
          }
          // Bytes are kept before the record is, so what was asked before has to be known by then.
          const before = yield* store.findDelivered(permit, agent.id, judged.body.call_id)
          const asked = Option.match(before, { onNone: () => [], onSome: (call) => call.redactFields })
          return asked.length > 0
            ? yield* ingestRedacted(permit, judged, agent, asked, now)
            : yield* ingestWithRecording(permit, judged, agent, judged.recording, now)
        }).pipe(Effect.catchTag("RedactionOwed", ({ fields }) => ingestRedacted(permit, judged, agent, fields, now)))

      const orMissing = Effect.flatMap(
        Option.match({ onNone: () => missing, onSome: (call: CallRecord) => Effect.succeed(call) })
      )
      const find = (permit: Permit, id: CallId) => orMissing(store.find(permit, id))
      const findForUpdate = (permit: Permit<"calls:write" | "calls:delete">, id: CallId) =>
        orMissing(store.findForUpdate(permit, id))

      const question = useCase("calls.export")((permit, query: unknown) =>
        Effect.gen(function* () {
          return { permit, ...(yield* readQuery(query, yield* DateTime.now)) }
        })
      )

      return Calls.of({
        ingest: useCase("calls.ingest")((permit, input) =>
          Effect.flatMap(DateTime.now, (now) => {
            const judged = judge(input)
            if (Either.isLeft(judged)) return refuse(permit, judged.left)
            const { agent, metricIds, redact } = judged.right
            return Effect.flatMap(resolve(permit, agent), (called) => {
              const ingest = (
                redact.length > 0
                  ? ingestRedacted(permit, judged.right, called, redact, now)
                  : ingestAsItIs(permit, judged.right, called, now)
              ).pipe(
                Effect.retry({ while: ({ _tag }) => _tag === "CallGone", times: MOST_DELETIONS }),
                Effect.catchTag("CallGone", () => new StorageBusy({ operation: "Calls.ingest" }))
              )
              return metricIds === undefined
                ? ingest
                : Effect.flatMap(foreignMetrics(permit, called, metricIds), (faults) =>
                    isFaulty(faults) ? Effect.fail(new ValidationFailed({ faults })) : ingest
                  )
            })
          })
        ),
        list: useCase("calls.list")((permit, query) =>
          Effect.gen(function* () {
            const { page, question } = yield* readQuery(query, yield* DateTime.now)
            const found = yield* store.list(permit, question, page)
            return Pages.pageOf(page, found, (call) => call.id)
          })
        ),
        read: useCase("calls.read")(find),
        review: useCase("calls.review")((permit, id, input) =>
          work.atomically(
            Effect.gen(function* () {
              const call = yield* findForUpdate(permit, id)
              const reviewed = yield* Either.mapLeft(
                Either.flatMap(decode(ReviewPatch)(input), (patch) => review(call, patch)),
                (faults) => new ValidationFailed({ faults })
              )
              const feedback = redaction.feedback(reviewed)
              const changed = { ...reviewed, feedback, updatedAt: yield* DateTime.now }
              yield* store.saveReview(permit, changed)
              return changed
            })
          )
        ),
        delete: useCase("calls.delete")((permit, id) =>
          Effect.gen(function* () {
            const call = yield* work.atomically(Effect.tap(findForUpdate(permit, id), () => store.remove(permit, id)))
            if (call.recording !== null) yield* release([call.recording.blobKey])
          }).pipe(Effect.uninterruptible)
        ),
        export: (query) =>
          Stream.unwrap(
            Effect.map(question(query), ({ permit, question }) =>
              Stream.paginateChunkEffect(Pages.firstPage, (cursor) =>
                Effect.map(
                  store.list(permit, question, { cursor, limit: EXPORT_PAGE }),
                  (found): readonly [Chunk.Chunk<CallRecord>, Option.Option<Pages.Cursor>] => {
                    const results = found.slice(0, EXPORT_PAGE)
                    const last = results[results.length - 1]
                    return [
                      Chunk.unsafeFromArray(results),
                      found.length > EXPORT_PAGE && last !== undefined
                        ? Option.some({ at: "before", id: last.id })
                        : Option.none()
                    ]
                  }
                )
              )
            )
          )
      })
    })
  )

/** Calls that an export reads at a time; each carries its transcript. */
const EXPORT_PAGE = 200

const missing = new NotFound({ resource: "Call" })

/** The delivery that a judged body is. Nothing is asked to be redacted. */
const deliveryOf = (
  { body, metricIds, transcript }: Judged,
  agent: CalledAgent,
  kept: Kept,
  evaluates: boolean,
  now: DateTime.Utc
): Delivery => ({
  agent,
  callId: body.call_id,
  traceId: body.trace_id === "" ? undefined : body.trace_id,
  timestamp: body.timestamp ?? undefined,
  customerNumber: body.customer_number ?? undefined,
  callEndedReason: body.call_ended_reason ?? undefined,
  feedback: body.feedback ?? undefined,
  metadata: body.metadata ?? undefined,
  dynamicVariables: body.dynamic_variables ?? undefined,
  transcript: transcript === undefined ? undefined : { type: body.transcript_type, content: keepAll(transcript) },
  recording: kept.recording,
  recordingFault: kept.fault,
  metricIds,
  evaluates,
  redactFields: [],
  dropsRecording: false,
  receivedAt: now
})
