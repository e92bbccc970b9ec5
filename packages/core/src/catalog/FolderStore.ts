import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { FolderId, ProjectId } from "../kernel/Ids.js"
import type { PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { FolderTaken } from "./CatalogErrors.js"
import type { Folder } from "./Folder.js"

/**
 * What storage promises about folders. A permit's organisation bounds every answer; those of deleted projects are not
 * there. A project has one folder of a path at most.
 */
export class FolderStore extends Context.Tag("@earshot/core/catalog/FolderStore")<
  FolderStore,
  {
    readonly insert: (
      permit: Permit<"catalog:write">,
      folder: { readonly projectId: ProjectId; readonly path: string },
      now: DateTime.Utc
    ) => Effect.Effect<Folder, FolderTaken | StorageError>
    readonly find: (permit: Permit, id: FolderId) => Effect.Effect<Option.Option<Folder>, StorageError>
    /**
     * The project's folders of these paths, in no order. None of them changes or goes until the transaction ends.
     */
    readonly findPathsForUpdate: (
      permit: Permit,
      project: ProjectId,
      paths: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Folder>, StorageError>
    /** The paths of all folders that lie in this one, however deep. */
    readonly pathsIn: (permit: Permit, folder: Folder) => Effect.Effect<ReadonlyArray<string>, StorageError>
    /** Newest first, within the permit's reach, of one project or of all; up to one more than the page holds. */
    readonly list: (
      permit: Permit<"catalog:read">,
      of: { readonly projectId: ProjectId | null },
      page: PageRequest
    ) => Effect.Effect<ReadonlyArray<Folder>, StorageError>
    /** Gives the folder another path, and all folders in it with it; evaluators stay in their folders. */
    readonly move: (
      permit: Permit<"catalog:write">,
      folder: Folder,
      path: string,
      now: DateTime.Utc
    ) => Effect.Effect<void, FolderTaken | StorageError>
    /** Deletes the folder and the folders in it; evaluators in any of them are then in its parent, or in no folder. */
    readonly remove: (permit: Permit<"catalog:delete">, folder: Folder) => Effect.Effect<void, StorageError>
  }
>() {}
