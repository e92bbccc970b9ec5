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
  /** Assigned by the store and never reused; safe in paths and URLs. */
  readonly key: string
  readonly sizeBytes: number
  /** Lower-case hex. */
  readonly sha256: string
}

/** Port: where recordings are stored. */
export class BlobStore extends Context.Tag("@earshot/core/calls/BlobStore")<
  BlobStore,
  {
    /**
     * Stores bytes under a new key and completes when they are durable. Atomic: if the content fails, the store fails or
     * the fiber is interrupted, nothing is stored.
     */
    readonly put: <E, R>(
      owner: OrganizationId,
      content: Stream.Stream<Uint8Array, E, R>
    ) => Effect.Effect<Blob, E | BlobStoreFailed, R>
    /** Streams the bytes of a blob. */
    readonly get: (key: string) => Stream.Stream<Uint8Array, BlobMissing | BlobStoreFailed>
    /** Deletes a blob. Idempotent. */
    readonly remove: (key: string) => Effect.Effect<void, BlobStoreFailed>
  }
>() {}
