import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { FolderId, ProjectId } from "../kernel/Ids.js"
import type { Found, PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { FolderTaken } from "./CatalogErrors.js"
import type { Folder } from "./Folder.js"

/**
 * Storage of folders, limited to the permit's organization; soft-those of deleted projects are not
 * found. Paths are unique in a project.
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
     * The project's folders with these paths, in no order. Locks them until the transaction ends.
     */
    readonly findPathsForUpdate: (
      permit: Permit,
      project: ProjectId,
      paths: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Folder>, StorageError>
    /** The paths of all descendants of this folder. */
    readonly pathsIn: (permit: Permit, folder: Folder) => Effect.Effect<ReadonlyArray<string>, StorageError>
    /** Newest first, within the permit's scope, of one project or of all; up to one row more than the page holds. */
    readonly list: (
      permit: Permit<"catalog:read">,
      of: { readonly projectId: ProjectId | null },
      page: PageRequest
    ) => Effect.Effect<Found<Folder>, StorageError>
    /** Moves the folder and its descendants to another path; evaluators stay in their folders. */
    readonly move: (
      permit: Permit<"catalog:write">,
      folder: Folder,
      path: string,
      now: DateTime.Utc
    ) => Effect.Effect<void, FolderTaken | StorageError>
    /** Deletes the folder and the folders in it; their evaluators move to its parent, or to the root. */
    readonly remove: (permit: Permit<"catalog:delete">, folder: Folder) => Effect.Effect<void, StorageError>
  }
>() {}
