import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { OrganizationId, ProjectId, ResultId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"

/** What a step of a purge has come to: rows were deleted and there may be more, all are, or some cannot be deleted yet. */
export type PurgeStep = "more" | "done" | "held"

/** Removes the rows of a deleted project. No permit: only the job that deletes the project uses it. */
export class ProjectPurgeStore extends Context.Tag("@earshot/core/catalog/ProjectPurgeStore")<
  ProjectPurgeStore,
  {
    /** Whether the project is deleted and its rows are not: anything else is not to be purged. */
    readonly isDue: (organization: OrganizationId, project: ProjectId) => Effect.Effect<boolean, StorageError>
    /** Results that still hold capacity, at most `limit`. */
    readonly liveResults: (project: ProjectId, limit: number) => Effect.Effect<ReadonlyArray<ResultId>, StorageError>
    /** Removes a bounded number of rows, those that others refer to last; the project itself at the end. */
    readonly purge: (organization: OrganizationId, project: ProjectId) => Effect.Effect<PurgeStep, StorageError>
  }
>() {}
