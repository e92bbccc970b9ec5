import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CallId, OrganizationId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"
import type { ProjectedCall } from "./Projection.js"
import type { ProjectionStatus } from "./ProjectionStatus.js"

/** Calls to be projected, with the version that their projections get. */
export interface ProjectionBatch {
  readonly version: number
  readonly calls: ReadonlyArray<CallId>
  /** The changes that this covers. */
  readonly changes: ReadonlyArray<number>
  /** The last id of a rebuild that this covers; null if it is none. */
  readonly rebuiltTo: number | null
  /** Whether calls were deleted or redacted. */
  readonly erases: boolean
}

/**
 * Port: the calls that have changed since a column store was given them. Changes are recorded in the transaction of the
 * change, and removed after the state that the calls have then was applied, so their order does not matter and none is
 * skipped. What changes the projection requires the lease `owner`; without it nothing happens, and the answer is false.
 */
export class ProjectionFeed extends Context.Tag("@earshot/core/analytics/ProjectionFeed")<
  ProjectionFeed,
  {
    readonly status: Effect.Effect<ProjectionStatus, StorageError>
    /**
     * Takes or extends the lease, unless another owner has it. `active` says that the column store works. An owner is used
     * by one process and once: after it was lost, another one is made up.
     */
    readonly acquire: (
      owner: string,
      lease: { readonly millis: number; readonly active: boolean }
    ) => Effect.Effect<boolean, StorageError>
    readonly release: (owner: string) => Effect.Effect<void, StorageError>
    /** Starts to record changes, and begins a rebuild of an empty generation. */
    readonly begin: (owner: string, generation: string) => Effect.Effect<boolean, StorageError>
    /** Has the holder of the lease clear the column store and begin again. */
    readonly requestRebuild: Effect.Effect<void, StorageError>
    /**
     * Stops recording changes if no process was active since `since`, epoch milliseconds: the next one begins with a
     * rebuild. Answers whether it stopped.
     */
    readonly stopUnused: (since: number) => Effect.Effect<boolean, StorageError>
    /** The next calls to project: of at most `limit` changes, and of at most as many calls of a rebuild. Null if there are none. */
    readonly take: (owner: string, limit: number) => Effect.Effect<ProjectionBatch | null, StorageError>
    /** These calls in groups that are not too large to be loaded and applied at once: documents may have megabytes. */
    readonly parts: (calls: ReadonlyArray<CallId>) => Effect.Effect<ReadonlyArray<ReadonlyArray<CallId>>, StorageError>
    /** Calls as they are now. Those that are missing are deleted. */
    readonly load: (
      calls: ReadonlyArray<CallId>,
      version: number
    ) => Effect.Effect<ReadonlyArray<ProjectedCall>, StorageError>
    /** Removes what a batch covers, once it was applied. */
    readonly acknowledge: (owner: string, batch: ProjectionBatch) => Effect.Effect<boolean, StorageError>
    /** Removes the mark of changes applied before a moment, once they were erased from files. */
    readonly erased: (owner: string, before: number) => Effect.Effect<boolean, StorageError>
    /** Whether changes of an organization with ids up to `last` are not applied yet. */
    readonly isPending: (organization: OrganizationId, last: number) => Effect.Effect<boolean, StorageError>
    /** Which of these calls have changes that are not applied yet. */
    readonly pendingOf: (calls: ReadonlyArray<CallId>) => Effect.Effect<ReadonlySet<number>, StorageError>
    /** The ids of the calls after an id, ascending. */
    readonly idsAfter: (after: number, limit: number) => Effect.Effect<ReadonlyArray<CallId>, StorageError>
  }
>() {}
