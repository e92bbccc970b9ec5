import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { OrganizationId } from "../kernel/Ids.js"

/** A blob store operation failed; the cause is for the operator's log. */
export class BlobStoreFailed extends Schema.TaggedError<BlobStoreFailed>("@earshot/core/calls/BlobStoreFailed")(
  "BlobStoreFailed",
  { operation: Schema.String, cause: Schema.Defect }
) {
  override get message(): string {
    return `Blob store operation failed: ${this.operation}`
  }
}

/** There is no blob with this key. */
export class BlobMissing extends Schema.TaggedError<BlobMissing>("@earshot/core/calls/BlobMissing")("BlobMissing", {
  key: Schema.String
}) {
  override get message(): string {
    return `Blob not found: ${this.key}`
  }
}

/** A stored blob. */
export interface Blob {
  /** See `blobKey`. */
  readonly key: string
  readonly sizeBytes: number
  /** Lower-case hex. */
  readonly sha256: string
}

/** The key of a new blob, which is never used again: owner, two digits that spread files over folders, and a random id. */
export const blobKey = (owner: OrganizationId, uuid: string): string => `${owner}/${uuid.slice(0, 2)}/${uuid}`

/** A key as `blobKey` makes it; stores find and remove nothing under any other. */
export const BLOB_KEY = /^\d{1,16}\/[0-9a-f]{2}\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Bytes of a blob, from the first up to, and not including, the last. */
export interface BlobRange {
  readonly start: number
  readonly end: number
}

/** Port: where recordings are stored. */
export class BlobStore extends Context.Tag("@earshot/core/calls/BlobStore")<
  BlobStore,
  {
    /**
     * Stores bytes under a key that was never used and completes when they are durable. Atomic: if the content fails, the store fails or
     * the fiber is interrupted, nothing is stored.
     */
    readonly put: <E, R>(
      key: string,
      content: Stream.Stream<Uint8Array, E, R>
    ) => Effect.Effect<Blob, E | BlobStoreFailed, R>
    /** Streams the bytes of a blob, or of a part of it: of a range as far as there are bytes in it. */
    readonly get: (key: string, range?: BlobRange) => Stream.Stream<Uint8Array, BlobMissing | BlobStoreFailed>
    /** Deletes a blob. Idempotent. */
    readonly remove: (key: string) => Effect.Effect<void, BlobStoreFailed>
    readonly has: (key: string) => Effect.Effect<boolean, BlobStoreFailed>
    /** The stored blobs after a key, in the order of their keys by code point; an empty list at the end. */
    readonly list: (
      after: string | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Omit<Blob, "sha256">>, BlobStoreFailed>
    /** Removes what puts that began before an instant (epoch milliseconds) and never completed have left. */
    readonly removeUnfinished: (before: number) => Effect.Effect<void, BlobStoreFailed>
  }
>() {}
