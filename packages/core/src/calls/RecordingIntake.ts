/** Stores the recording of a delivery: an uploaded file, or the bytes behind a URL. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import type { Permit } from "../access/Permit.js"
import { fieldError, ValidationFailed } from "../kernel/FieldErrors.js"
import { type StorageError, StorageFailed } from "../kernel/Storage.js"
import { AUDIO_HEAD_BYTES, detectAudioFormat } from "./AudioFormat.js"
import { AudioProbe } from "./AudioProbe.js"
import { BlobStore, type BlobStoreFailed } from "./BlobStore.js"
import type { Delivery } from "./Delivery.js"
import type { RecordingRef } from "./IngestValidation.js"
import { Recordings } from "./Recordings.js"
import { RecordingSource, RecordingUnavailable } from "./RecordingSource.js"

/** A stored recording, or an error message for the call record. */
export type RecordingOutcome = Pick<Delivery, "recording" | "recordingError">

export const recordingMissing = (reason: string): string => `The recording is missing: ${reason}`

/** A URL that is not allowed is an error of the body, but one of an envelope was not chosen by its sender. */
export const urlNotAllowed = (ref: RecordingRef, reason: string): Effect.Effect<RecordingOutcome, ValidationFailed> =>
  ref.from === "url" && ref.isFromEnvelope
    ? Effect.succeed({ recording: undefined, recordingError: recordingMissing(reason) })
    : Effect.fail(new ValidationFailed({ errors: fieldError("voice_recording_url", reason) }))

export const blobStoreError = (error: BlobStoreFailed): StorageFailed =>
  new StorageFailed({ operation: `BlobStore.${error.operation}`, cause: error.cause })

export const make = Effect.gen(function* () {
  const recordings = yield* Recordings
  const source = yield* RecordingSource
  const blobs = yield* BlobStore
  const audioProbe = yield* AudioProbe

  /** Stores a recording. A failed download is reported in the call record; it does not fail the delivery. */
  const store = (
    permit: Permit,
    ref: RecordingRef,
    channel: 0 | 1 | undefined
  ): Effect.Effect<RecordingOutcome, ValidationFailed | StorageError> =>
    Effect.gen(function* () {
      const head: Array<Uint8Array> = []
      let seen = 0
      const content = ref.from === "upload" ? Stream.make(ref.upload.bytes) : source.fetch(ref.url)
      const blob = yield* recordings.put(
        permit.organizationId,
        Stream.tap(content, (bytes) =>
          Effect.sync(() => {
            if (seen < AUDIO_HEAD_BYTES) head.push(bytes.subarray(0, AUDIO_HEAD_BYTES - seen))
            seen += bytes.length
          })
        )
      )
      const detected = detectAudioFormat(Buffer.concat(head), blob.sizeBytes)
      if (Either.isLeft(detected)) {
        yield* recordings.release([blob.key])
        return yield* new RecordingUnavailable({ reason: detected.left })
      }
      const format = detected.right
      const { channels, durationSeconds } = format.isFinal
        ? format
        : yield* audioProbe.probe(blobs.get(blob.key), { ...format, sizeBytes: blob.sizeBytes })
      const recording = {
        blobKey: blob.key,
        contentType: format.contentType,
        sizeBytes: blob.sizeBytes,
        sha256: blob.sha256,
        durationSeconds,
        channels,
        mainAgentChannelIndex: channel ?? null
      }
      return { recording, recordingError: undefined }
    }).pipe(
      Effect.catchTags({
        RecordingUrlNotAllowed: ({ reason }) => urlNotAllowed(ref, reason),
        RecordingUnavailable: ({ reason }) =>
          Effect.succeed<RecordingOutcome>({ recording: undefined, recordingError: recordingMissing(reason) }),
        BlobStoreFailed: blobStoreError
      })
    )

  return { release: recordings.release, store }
})
