import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { ProjectId, ToolId } from "../kernel/Ids.js"
import type { Found, PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { JsonObject } from "../kernel/Json.js"
import type { Tool } from "./Tool.js"

/** What is stored of a new one. */
export interface NewTool {
  readonly projectId: ProjectId
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
}

/**
 * Storage of tools, limited to the permit's organization; soft-deleted ones, and those of deleted
 * projects, are not found.
 */
export class ToolStore extends Context.Tag("@earshot/core/catalog/ToolStore")<
  ToolStore,
  {
    readonly insert: (
      permit: Permit<"catalog:write">,
      tool: NewTool,
      now: DateTime.Utc
    ) => Effect.Effect<Tool, StorageError>
    readonly find: (permit: Permit, id: ToolId) => Effect.Effect<Option.Option<Tool>, StorageError>
    /** As `find`, and locks the row until the transaction ends. */
    readonly findForUpdate: (permit: Permit, id: ToolId) => Effect.Effect<Option.Option<Tool>, StorageError>
    /** Newest first, within the permit's scope; up to one row more than the page holds. Null matches any. */
    readonly list: (
      permit: Permit<"catalog:read">,
      of: { readonly projectId: ProjectId | null },
      page: PageRequest
    ) => Effect.Effect<Found<Tool>, StorageError>
    /** The tools with these ids, within the permit's scope, in one statement. */
    readonly findAll: (permit: Permit, ids: ReadonlyArray<ToolId>) => Effect.Effect<ReadonlyArray<Tool>, StorageError>
    /** The ids and names of the project's tools, oldest first. */
    readonly namesIn: (
      permit: Permit,
      project: ProjectId
    ) => Effect.Effect<ReadonlyArray<{ readonly id: ToolId; readonly name: string }>, StorageError>
    /** Saves all of its fields. */
    readonly save: (permit: Permit<"catalog:write">, tool: Tool) => Effect.Effect<void, StorageError>
    /** Soft-deletes it and removes it from evaluators. */
    readonly remove: (
      permit: Permit<"catalog:delete">,
      id: ToolId,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
  }
>() {}
