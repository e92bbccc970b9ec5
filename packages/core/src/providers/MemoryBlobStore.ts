import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { BlobMissing, BlobStore } from "../calls/BlobStore.js"

/** Blobs in memory, for tests and trials. */
export const layer = Layer.sync(BlobStore, () => {
  const blobs = new Map<string, Uint8Array>()
  return BlobStore.of({
    put: (key, content) =>
      Effect.map(
        Stream.runFold(content, Array<Uint8Array>(), (chunks, chunk) => [...chunks, Uint8Array.from(chunk)]),
        (chunks) => {
          const bytes = Buffer.concat(chunks)
          blobs.set(key, bytes)
          return { key, sizeBytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") }
        }
      ),
    get: (key, range) =>
      Stream.suspend(() => {
        const bytes = blobs.get(key)
        return bytes === undefined
          ? Stream.fail(new BlobMissing({ key }))
          : Stream.make(range === undefined ? bytes : bytes.subarray(range.start, range.end))
      }),
    remove: (key) =>
      Effect.sync(() => {
        blobs.delete(key)
      }),
    has: (key) => Effect.sync(() => blobs.has(key)),
    list: (after, limit) =>
      Effect.sync(() =>
        [...blobs]
          .map(([key, bytes]) => ({ key, sizeBytes: bytes.length }))
          .filter(({ key }) => after === undefined || key > after)
          .sort((a, b) => (a.key < b.key ? -1 : 1))
          .slice(0, limit)
      ),
    removeUnfinished: () => Effect.void
  })
})
