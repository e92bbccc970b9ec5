import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageError } from "../kernel/Storage.js"

/** A blob that was being stored, or was released, and whether a recording refers to it. */
export interface PendingBlob {
  readonly key: string
  readonly referred: boolean
}

/** What has a recording. */
export type RecordedThing = "call" | "run"

/**
 * Which blobs are referred to. They belong to no organization here: only `Recordings` uses it. A blob that no recording
 * refers to is pending, since the transaction that removes or replaces a recording makes its blob pending again.
 */
export class PendingBlobStore extends Context.Tag("@earshot/core/calls/PendingBlobStore")<
  PendingBlobStore,
  {
    /** Before the first byte is stored. */
    readonly add: (key: string, now: number) => Effect.Effect<void, StorageError>
    /** Those that have been pending since before an instant, the longest first. */
    readonly due: (before: number, limit: number) => Effect.Effect<ReadonlyArray<PendingBlob>, StorageError>
    readonly remove: (keys: ReadonlyArray<string>) => Effect.Effect<void, StorageError>
    /** Which of these keys a recording refers to, or have been pending since an instant or later. */
    readonly inUse: (keys: ReadonlyArray<string>, since: number) => Effect.Effect<ReadonlyArray<string>, StorageError>
    /** What recordings of calls or of runs refer to, by their ids, after one. */
    readonly referred: (
      by: RecordedThing,
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly id: number; readonly key: string }>, StorageError>
  }
>() {}
