import { createHash } from "node:crypto"
import { BlobStore, OrganizationId } from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const owner = OrganizationId.make(1)

const read = (key: string) =>
  Effect.flatMap(BlobStore, (blobs) =>
    Effect.map(Stream.runCollect(blobs.get(key)), (chunks) => Buffer.concat(Chunk.toReadonlyArray(chunks)))
  )

/** The contract of every blob store. `residue` counts stored files without a key, if the store can tell. */
export const blobStoreContract = (
  name: string,
  store: Layer.Layer<BlobStore>,
  residue: Effect.Effect<number> = Effect.succeed(0)
): void =>
  layer(store)(`the blob store ${name}`, (it) => {
    it.effect("returns the bytes that were put, whatever their chunks", () =>
      Effect.gen(function* () {
        const blobs = yield* BlobStore
        const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, at) => (at * 7) % 256))
        const pieces = Stream.fromIterable([bytes.subarray(0, 1), bytes.subarray(1, 70_000), bytes.subarray(70_000)])
        const blob = yield* blobs.put(owner, pieces)
        expect(blob.sizeBytes).toBe(bytes.length)
        expect(blob.sha256).toBe(createHash("sha256").update(bytes).digest("hex"))
        expect(bytes.equals(yield* read(blob.key))).toBe(true)
      })
    )
    it.effect("stores the same bytes twice under different keys", () =>
      Effect.gen(function* () {
        const blobs = yield* BlobStore
        const first = yield* blobs.put(owner, Stream.make(Buffer.from("same")))
        const second = yield* blobs.put(owner, Stream.make(Buffer.from("same")))
        expect(first.key).not.toBe(second.key)
        yield* blobs.remove(first.key)
        expect((yield* read(second.key)).toString()).toBe("same")
      })
    )
    it.effect("stores an empty blob", () =>
      Effect.gen(function* () {
        const blobs = yield* BlobStore
        const blob = yield* blobs.put(owner, Stream.empty)
        expect((yield* read(blob.key)).length).toBe(0)
      })
    )
    it.effect("reports a deleted blob as missing, and deletes it again without an error", () =>
      Effect.gen(function* () {
        const blobs = yield* BlobStore
        const blob = yield* blobs.put(owner, Stream.make(Buffer.from("gone")))
        yield* blobs.remove(blob.key)
        yield* blobs.remove(blob.key)
        const failure = yield* Effect.flip(read(blob.key))
        expect(failure._tag).toBe("BlobMissing")
      })
    )
    it.effect.each(["../../etc/passwd", "1/../../x", "/etc/passwd", "", "1/ab/..", "1\0", "1/ab/%2e%2e"])(
      "finds and deletes no blob under the key %s",
      (key) =>
        Effect.gen(function* () {
          const blobs = yield* BlobStore
          const failure = yield* Effect.flip(read(key))
          expect(failure._tag).toBe("BlobMissing")
          yield* blobs.remove(key)
        })
    )
    it.effect("stores nothing when the content fails or the put is interrupted", () =>
      Effect.gen(function* () {
        const blobs = yield* BlobStore
        const half = Stream.make(Buffer.from("half of it"))
        const failed = yield* Effect.exit(blobs.put(owner, Stream.concat(half, Stream.fail("cut off"))))
        expect(failed).toEqual(Exit.fail("cut off"))
        const begun = yield* Deferred.make<undefined>()
        const fiber = yield* Effect.fork(
          blobs.put(
            owner,
            Stream.concat(
              Stream.tap(half, () => Deferred.succeed(begun, undefined)),
              Stream.never
            )
          )
        )
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(fiber)
        expect(yield* residue).toBe(0)
      })
    )
  })
