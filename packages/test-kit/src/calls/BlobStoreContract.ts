import { createHash, randomUUID } from "node:crypto"
import { blobKey, BlobStore, OrganizationId } from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const owner = OrganizationId.make(1)
const newKey = () => blobKey(owner, randomUUID())

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
        const blob = yield* blobs.put(newKey(), pieces)
        expect(blob.sizeBytes).toBe(bytes.length)
        expect(blob.sha256).toBe(createHash("sha256").update(bytes).digest("hex"))
        expect(bytes.equals(yield* read(blob.key))).toBe(true)
      })
    )
    it.effect("returns a part of the bytes that were put", () =>
      Effect.gen(function* () {
        const blobs = yield* BlobStore
        const bytes = Buffer.from(Array.from({ length: 150_000 }, (_, at) => (at * 11) % 251))
        const { key } = yield* blobs.put(newKey(), Stream.make(bytes))
        for (const [start, end] of [
          [0, 150_000],
          [0, 1],
          [149_999, 150_000],
          [65_000, 140_000],
          [7, 7],
          [149_000, 200_000],
          [150_000, 150_001]
        ] as const) {
          const part = yield* Stream.runCollect(blobs.get(key, { start, end }))
          const joined = Buffer.concat(Chunk.toReadonlyArray(part))
          expect(joined.equals(bytes.subarray(start, end)), `${start} to ${end}`).toBe(true)
        }
        const missing = yield* Effect.flip(Stream.runDrain(blobs.get(newKey(), { start: 0, end: 1 })))
        expect(missing._tag).toBe("BlobMissing")
      })
    )
    it.effect("stores the same bytes twice under different keys", () =>
      Effect.gen(function* () {
        const blobs = yield* BlobStore
        const first = yield* blobs.put(newKey(), Stream.make(Buffer.from("same")))
        const second = yield* blobs.put(newKey(), Stream.make(Buffer.from("same")))
        expect(first.key).not.toBe(second.key)
        yield* blobs.remove(first.key)
        expect((yield* read(second.key)).toString()).toBe("same")
      })
    )
    it.effect("stores an empty blob", () =>
      Effect.gen(function* () {
        const blobs = yield* BlobStore
        const blob = yield* blobs.put(newKey(), Stream.empty)
        expect((yield* read(blob.key)).length).toBe(0)
      })
    )
    it.effect("reports a deleted blob as missing, and deletes it again without an error", () =>
      Effect.gen(function* () {
        const blobs = yield* BlobStore
        const blob = yield* blobs.put(newKey(), Stream.make(Buffer.from("gone")))
        yield* blobs.remove(blob.key)
        yield* blobs.remove(blob.key)
        const failure = yield* Effect.flip(read(blob.key))
        expect(failure._tag).toBe("BlobMissing")
      })
    )
    it.effect("lists every blob once, in the order of keys, whatever the size of the pages", () =>
      Effect.gen(function* () {
        const blobs = yield* BlobStore
        const keys = [9, 10, 10, 10, 2].map((organization) => blobKey(OrganizationId.make(organization), randomUUID()))
        for (const [size, key] of keys.entries()) yield* blobs.put(key, Stream.make(Buffer.alloc(size)))
        for (const limit of [1, 2, 1000]) {
          const listed: Array<{ readonly key: string; readonly sizeBytes: number }> = []
          for (;;) {
            const page = yield* blobs.list(listed[listed.length - 1]?.key, limit)
            expect(page.length).toBeLessThanOrEqual(limit)
            if (page.length === 0) break
            listed.push(...page)
          }
          expect(listed.map(({ key }) => key)).toEqual(listed.map(({ key }) => key).sort())
          expect(new Set(listed.map(({ key }) => key)).size).toBe(listed.length)
          expect(listed.filter(({ key }) => keys.includes(key))).toHaveLength(keys.length)
          for (const [sizeBytes, key] of keys.entries()) expect(listed).toContainEqual({ key, sizeBytes })
        }
        expect(yield* blobs.has(keys[0] ?? "")).toBe(true)
        yield* blobs.remove(keys[0] ?? "")
        expect(yield* blobs.has(keys[0] ?? "")).toBe(false)
        expect((yield* blobs.list(undefined, 1000)).map(({ key }) => key)).not.toContain(keys[0])
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
          expect(yield* blobs.has(key)).toBe(false)
        })
    )
    it.effect("stores nothing when the content fails or the put is interrupted", () =>
      Effect.gen(function* () {
        const blobs = yield* BlobStore
        const half = Stream.make(Buffer.from("half of it"))
        const failed = yield* Effect.exit(blobs.put(newKey(), Stream.concat(half, Stream.fail("cut off"))))
        expect(failed).toEqual(Exit.fail("cut off"))
        const begun = yield* Deferred.make<undefined>()
        const fiber = yield* Effect.fork(
          blobs.put(
            newKey(),
            Stream.concat(
              Stream.tap(half, () => Deferred.succeed(begun, undefined)),
              Stream.never
            )
          )
        )
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(fiber)
        expect(yield* residue).toBe(0)
        yield* blobs.removeUnfinished(0)
      })
    )
  })
