import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { OrganizationId } from "../kernel/Ids.js"

/** The place that keeps recordings failed at something that should have worked; the cause is for the operator's log. */
export class BlobStoreFailed extends Schema.TaggedError<BlobStoreFailed>("@earshot/core/calls/BlobStoreFailed")(
  "BlobStoreFailed",
  { operation: Schema.String, cause: Schema.Defect }
) {
  override get message(): string {
    return `The blob store failed at ${this.operation}`
  }
}

/** No blob has this key. */
export class BlobMissing extends Schema.TaggedError<BlobMissing>("@earshot/core/calls/BlobMissing")("BlobMissing", {
  key: Schema.String
}) {
  override get message(): string {
    return `There is no blob ${this.key}`
  }
}

/** A blob that is kept. */
export interface Blob {
  /** Assigned by the store, never used again; safe in a path and a URL. */
  readonly key: string
  readonly sizeBytes: number
  /** Lower-case hex. */
  readonly sha256: string
}

/** What a place for recordings promises. */
export class BlobStore extends Context.Tag("@earshot/core/calls/BlobStore")<
  BlobStore,
  {
    /**
     * Keeps bytes under a key of their own; it answers when they are durable. All or nothing: where the content fails,
     * the store fails or the fiber is interrupted, nothing stays behind.
     */
    readonly put: <E, R>(
      owner: OrganizationId,
      content: Stream.Stream<Uint8Array, E, R>
    ) => Effect.Effect<Blob, E | BlobStoreFailed, R>
    /** The bytes, from the first to the last. */
    readonly get: (key: string) => Stream.Stream<Uint8Array, BlobMissing | BlobStoreFailed>
    /** Deletes a blob; one that is not there is no fault. */
    readonly remove: (key: string) => Effect.Effect<void, BlobStoreFailed>
  }
>() {}
