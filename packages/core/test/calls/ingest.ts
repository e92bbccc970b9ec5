import {
  type Actor,
  BlobStore,
  Calls,
  RecordingSource,
  RecordingUnavailable,
  RecordingUrlNotAllowed,
  Transcriber,
  TranscriptionFailed,
  untrusted
} from "@earshot/core"
import * as MemoryBlobStore from "@earshot/core/providers/MemoryBlobStore"
import { CallKit, TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** Fake downloads, whose outcome depends on the URL. */
export const recordings = Layer.succeed(RecordingSource, {
  fetch: (url: string) =>
    url.includes("blocked")
      ? Stream.fail(new RecordingUrlNotAllowed({ reason: "It is not public." }))
      : url.includes("gone")
        ? Stream.fail(new RecordingUnavailable({ reason: "the server answered 404." }))
        : url.includes("broken")
          ? Stream.concat(
              Stream.make(CallKit.wav(1).subarray(0, 100)),
              Stream.fail(new RecordingUnavailable({ reason: "the connection failed." }))
            )
          : url.includes("page")
            ? Stream.make(Buffer.from("<html>Expired</html>"))
            : Stream.make(CallKit.wav(90))
})

/** Fails for recordings of more than 100,000 bytes. */
export const transcriber = Layer.succeed(Transcriber, {
  transcribe: Option.some(({ sizeBytes }: { readonly sizeBytes: number }) =>
    sizeBytes > 100_000
      ? Effect.fail(new TranscriptionFailed({ reason: "the transcriber answered 503." }))
      : Effect.succeed({
          _tag: "RawTranscript" as const,
          turns: [{ speaker: "main_agent" as const, content: "Hello", startTime: 0, endTime: 1, words: [] }],
          toolCalls: []
        })
  )
})

export const turns = [
  { role: "Main Agent", content: "Hello", start_time: 0, end_time: 1.5 },
  { role: "Testing Agent", content: "Hi there", start_time: 2, end_time: 63.2 }
]

export const ingest = (actor: Actor, body: unknown) =>
  Effect.flatMap(Calls, (calls) => calls.ingest(untrusted(body))).pipe(TestEngine.as(actor))

/** The field errors that a body is rejected with. */
export const errorsOf = (actor: Actor, body: unknown) =>
  Effect.map(Effect.flip(ingest(actor, body)), (error) => (error._tag === "ValidationFailed" ? error.errors : error))

/** An in-memory blob store, and the keys of the blobs in it. */
export const countedBlobs = () => {
  const keys = new Set<string>()
  const blobs = Layer.effect(
    BlobStore,
    Effect.map(BlobStore, (store) =>
      BlobStore.of({
        ...store,
        put: (key, content) => Effect.tap(store.put(key, content), (blob) => Effect.sync(() => keys.add(blob.key))),
        remove: (key) =>
          Effect.zipRight(
            Effect.sync(() => keys.delete(key)),
            store.remove(key)
          )
      })
    )
  ).pipe(Layer.provide(MemoryBlobStore.layer))
  return { keys, blobs }
}
