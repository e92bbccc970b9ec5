/** Reads the recordings of calls: their bytes, their waveforms, and signed URLs for players. */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { NotFound } from "../access/AccessErrors.js"
import { headerReader, signClaims, verifyClaims } from "../access/Jwt.js"
import { orNotFound } from "../access/OrNotFound.js"
import { hostPermit, type Permit } from "../access/Permit.js"
import { SecretSource } from "../access/SecretSource.js"
import { SigningKeys } from "../access/SigningKeys.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import type { Claim } from "../jobs/Job.js"
import { JobFailed } from "../jobs/JobErrors.js"
import type { JobHandler } from "../jobs/JobHandler.js"
import { JobQueue } from "../jobs/JobQueue.js"
import { JobSignal } from "../jobs/JobSignal.js"
import { decodeInput, fieldError, NON_FIELD, ValidationFailed } from "../kernel/FieldErrors.js"
import type { CallId, RunId } from "../kernel/Ids.js"
import type { Input } from "../kernel/Input.js"
import { reserveBytes } from "../kernel/ResponseBytes.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { type BlobMissing, type BlobRange, BlobStore, type BlobStoreFailed } from "./BlobStore.js"
import { RecordingUrlInvalid } from "./CallErrors.js"
import type { Recording } from "./CallRecord.js"
import { RecordingAudio } from "./RecordingAudio.js"
import { blobStoreError } from "./RecordingIntake.js"
import {
  MISSING_FILE,
  PEAKS,
  PEAKS_JOB,
  peaksBytes,
  peaksJob,
  PeaksPayload,
  PeaksQuery,
  pointsOf,
  type RecordingPeaks,
  type StoredPeaks,
  unavailableReason,
  withPoints
} from "./RecordingPeaks.js"
import { type CallRecording, type ReadableRecording, RecordingStore } from "./RecordingStore.js"
import {
  lifetimeOf,
  RECORDING_TOKEN,
  RecordingUrlDraft,
  SIGNED_RECORDINGS_PATH,
  type SignedRecording
} from "./RecordingUrl.js"

/** A recording whose bytes can be read, all of them or a range. */
export interface OpenAudio extends Pick<Recording, "contentType" | "sizeBytes" | "sha256"> {
  /** Fails with `NotFound` if the recording was deleted or replaced since. */
  readonly read: (range?: BlobRange) => Stream.Stream<Uint8Array, NotFound | StorageError>
}

export interface OpenRecording extends OpenAudio {
  readonly callId: CallId
}

/** The recordings of production calls, and of runs by voice. */
export class CallRecordings extends Context.Tag("@earshot/core/calls/CallRecordings")<
  CallRecordings,
  {
    readonly open: UseCase<"recordings.read", [call: CallId], OpenRecording, NotFound | StorageError>
    /** The recording of a run by voice: stereo, the testing agent left and the agent right. */
    readonly openRun: UseCase<"runs.recording", [run: RunId], OpenAudio, NotFound | StorageError>
    /** Makes a URL that reads the recording without a credential: `{ttl?}` in seconds, 10 minutes by default, at most an hour. */
    readonly sign: UseCase<
      "recordings.sign",
      [call: CallId, input?: Input<typeof RecordingUrlDraft>],
      SignedRecording,
      ValidationFailed | NotFound | StorageError
    >
    /** The recording that the token of a signed URL is for. */
    readonly openSigned: (token: string) => Effect.Effect<OpenRecording, RecordingUrlInvalid | NotFound | StorageError>
    /** The waveform with at most `{points?}` points per channel. The first request enqueues the job that computes it. */
    readonly peaks: UseCase<
      "recordings.peaks",
      [call: CallId, query?: Input<typeof PeaksQuery>],
      RecordingPeaks,
      ValidationFailed | NotFound | StorageError
    >
    /** Runs the jobs that compute waveforms. */
    readonly handler: JobHandler
  }
>() {}

const found = orNotFound("Recording")

const decodePayload = Schema.decodeUnknown(PeaksPayload)

/** The chunks of a blob as one array. */
const joined = (chunks: Stream.Stream<Uint8Array, BlobMissing | BlobStoreFailed>) =>
  Effect.map(
    Stream.runFold(chunks, Array<Uint8Array>(), (all, chunk) => {
      all.push(chunk)
      return all
    }),
    (all): Uint8Array => Buffer.concat(all)
  )

const readHeader = headerReader([RECORDING_TOKEN.name])

export const layer = Layer.effect(
  CallRecordings,
  Effect.gen(function* () {
    const store = yield* RecordingStore
    const blobs = yield* BlobStore
    const audio = yield* RecordingAudio
    const keys = yield* SigningKeys
    const secrets = yield* SecretSource
    const queue = yield* JobQueue
    const signal = yield* JobSignal
    const work = yield* UnitOfWork

    const opened = (recording: ReadableRecording): OpenAudio => ({
      contentType: recording.contentType,
      sizeBytes: recording.sizeBytes,
      sha256: recording.sha256,
      read: (range) =>
        Stream.mapError(blobs.get(recording.blobKey, range), (error) =>
          error._tag === "BlobMissing" ? new NotFound({ resource: "Recording" }) : blobStoreError(error)
        )
    })

    const open = (permit: Permit<"recordings:read">, call: CallId) =>
      Effect.map(found(store.find(permit, call)), ({ callId, recording }) => ({ callId, ...opened(recording) }))

    const enqueue = (permit: Permit, { callId, recording }: CallRecording) =>
      work
        .atomically(queue.enqueue(peaksJob(permit.organizationId, callId, recording.blobKey)))
        .pipe(Effect.zipRight(signal.notify))

    /** The waveform of a blob, or why there is none. Only what may pass is an error. */
    const computePeaks = (blob: string): Effect.Effect<StoredPeaks, StorageError> =>
      joined(blobs.get(blob)).pipe(
        Effect.flatMap((bytes) =>
          Effect.match(audio.peaks(bytes, PEAKS), {
            onFailure: (error): StoredPeaks => ({ status: "unavailable", reason: unavailableReason(error) }),
            onSuccess: (peaks): StoredPeaks => ({ status: "ready", peaks })
          })
        ),
        Effect.catchTags({
          BlobMissing: () => Effect.succeed<StoredPeaks>({ status: "unavailable", reason: MISSING_FILE }),
          BlobStoreFailed: blobStoreError
        })
      )

    const run = (claim: Claim) =>
      Effect.gen(function* () {
        const { blob, call } = yield* decodePayload(claim.payload).pipe(
          Effect.mapError(() => new JobFailed({ reason: "The job payload names no recording.", retry: false }))
        )
        const permit = yield* hostPermit(claim.organizationId, "recordings.peaks")
        const current = yield* store.find(permit, call)
        // Deleted or replaced since: there is nothing to compute it for.
        if (Option.isNone(current) || current.value.recording.blobKey !== blob) return
        const peaks = yield* computePeaks(blob)
        yield* work.atomically(store.savePeaks(permit, call, blob, peaks))
      })

    return CallRecordings.of({
      // The bytes of a recording are held in memory while they are decoded, so one at a time.
      handler: { kind: PEAKS_JOB, concurrency: 1, reserve: 0, run },
      open: useCase("recordings.read")(open),
      openRun: useCase("runs.recording")((permit, run) => Effect.map(found(store.findOfRun(permit, run)), opened)),
      sign: useCase("recordings.sign")((permit, call, input) =>
        Effect.gen(function* () {
          const seconds = lifetimeOf(yield* decodeInput(RecordingUrlDraft, input ?? {}))
          yield* open(permit, call)
          const key = yield* Effect.mapError(keys.current, (error) =>
            error._tag === "SecretKeyMissing"
              ? new ValidationFailed({ errors: fieldError(NON_FIELD, error.message) })
              : error
          )
          const iat = Math.floor((yield* DateTime.now).epochMillis / 1000)
          const jti = Encoding.encodeBase64Url(secrets.bytes(16))
          const token = yield* signClaims(
            key,
            RECORDING_TOKEN.name,
            { jti, iat, exp: iat + seconds },
            { org: permit.organizationId, call }
          )
          return {
            url: `${SIGNED_RECORDINGS_PATH}?token=${Redacted.value(token)}`,
            expiresAt: DateTime.unsafeMake((iat + seconds) * 1000)
          }
        })
      ),
      openSigned: (token) =>
        Effect.gen(function* () {
          const header = readHeader(token)
          if (Option.isNone(header)) return yield* new RecordingUrlInvalid()
          // Anybody can send tokens with unknown keys, so their lookups are collected.
          const key = yield* keys.find(header.value.kid, () => true)
          if (Option.isNone(key)) return yield* new RecordingUrlInvalid()
          const now = yield* DateTime.now
          const claims = yield* verifyClaims(key.value, RECORDING_TOKEN, token, now.epochMillis)
          if (Option.isNone(claims)) return yield* new RecordingUrlInvalid()
          const permit = yield* hostPermit(claims.value.org, "recordings.read")
          return yield* open(permit, claims.value.call)
        }),
      peaks: useCase("recordings.peaks")((permit, call, query) =>
        Effect.gen(function* () {
          const points = pointsOf(yield* decodeInput(PeaksQuery, query ?? {}))
          const stored = yield* found(store.findWithPeaks(permit, call))
          const { peaks } = stored
          if (peaks === null) {
            yield* enqueue(permit, stored)
            return { status: "pending" }
          }
          if (peaks.status !== "ready") return peaks
          const shown = withPoints(peaks.peaks, points)
          yield* reserveBytes(peaksBytes(shown.peaks.length, (shown.peaks[0]?.length ?? 0) / 2))
          return { status: "ready", peaks: shown }
        })
      )
    })
  })
)
