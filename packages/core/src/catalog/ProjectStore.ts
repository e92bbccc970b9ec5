import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { ProjectId } from "../kernel/Ids.js"
import type { PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Project, ProjectDraft } from "./Project.js"

/** What storage promises about projects. A permit's organisation bounds every answer; deleted projects are not there. */
export class ProjectStore extends Context.Tag("@earshot/core/catalog/ProjectStore")<
  ProjectStore,
  {
    readonly insert: (
      permit: Permit<"catalog:write">,
      draft: ProjectDraft,
      now: DateTime.Utc
    ) => Effect.Effect<Project, StorageError>
    readonly find: (permit: Permit, id: ProjectId) => Effect.Effect<Option.Option<Project>, StorageError>
    /** As `find`, and nobody changes or deletes the project until the transaction ends: for what is put into it. */
    readonly findForUpdate: (permit: Permit, id: ProjectId) => Effect.Effect<Option.Option<Project>, StorageError>
    /** Newest first, within the permit's reach; up to one more than the page holds (see `Pages.pageOf`). */
    readonly list: (
      permit: Permit<"catalog:read">,
      page: PageRequest
    ) => Effect.Effect<ReadonlyArray<Project>, StorageError>
    /** Saves the changed project as a whole. */
    readonly save: (permit: Permit<"catalog:write">, project: Project) => Effect.Effect<void, StorageError>
    /** Takes the project and its agents out of sight; their assistant ids are free again. */
    readonly remove: (
      permit: Permit<"catalog:delete">,
      id: ProjectId,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
  }
>() {}
