import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { ProjectId } from "../kernel/Ids.js"
import type { Found, PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Project, ProjectDraft } from "./Project.js"

/** Storage of projects, limited to the permit's organization; soft-deleted projects are not found. */
export class ProjectStore extends Context.Tag("@earshot/core/catalog/ProjectStore")<
  ProjectStore,
  {
    readonly insert: (
      permit: Permit<"catalog:write">,
      draft: ProjectDraft,
      now: DateTime.Utc
    ) => Effect.Effect<Project, StorageError>
    readonly find: (permit: Permit, id: ProjectId) => Effect.Effect<Option.Option<Project>, StorageError>
    /** As `find`, and locks the row until the transaction ends. */
    readonly findForUpdate: (permit: Permit, id: ProjectId) => Effect.Effect<Option.Option<Project>, StorageError>
    /** Newest first, within the permit's scope; a page ends early at `PageBytes`. */
    readonly list: (permit: Permit<"catalog:read">, page: PageRequest) => Effect.Effect<Found<Project>, StorageError>
    /** Saves all of its fields. */
    readonly save: (permit: Permit<"catalog:write">, project: Project) => Effect.Effect<void, StorageError>
    /** Soft-deletes the project and its agents; their assistant ids can be used again. */
    readonly remove: (
      permit: Permit<"catalog:delete">,
      id: ProjectId,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
  }
>() {}
