import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { ProjectId, ToolId } from "../kernel/Ids.js"
import type { PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { JsonObject } from "../kernel/Json.js"
import type { Tool } from "./Tool.js"

/** What is kept of a new one. */
export interface NewTool {
  readonly projectId: ProjectId
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
}

/**
 * What storage promises about tools. A permit's organisation bounds every answer; deleted ones, and those of deleted
 * projects, are not there.
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
    /** As `find`, and nobody changes or deletes it until the transaction ends. */
    readonly findForUpdate: (permit: Permit, id: ToolId) => Effect.Effect<Option.Option<Tool>, StorageError>
    /** Newest first, within the permit's reach; up to one more than the page holds. Null stands for any. */
    readonly list: (
      permit: Permit<"catalog:read">,
      of: { readonly projectId: ProjectId | null },
      page: PageRequest
    ) => Effect.Effect<ReadonlyArray<Tool>, StorageError>
    /** All of these that are there, within the permit's reach, in one statement. */
    readonly findAll: (permit: Permit, ids: ReadonlyArray<ToolId>) => Effect.Effect<ReadonlyArray<Tool>, StorageError>
    /** What the project has of them, by id and name, oldest first. */
    readonly namesIn: (
      permit: Permit,
      project: ProjectId
    ) => Effect.Effect<ReadonlyArray<{ readonly id: ToolId; readonly name: string }>, StorageError>
    /** Saves the changed one as a whole. */
    readonly save: (permit: Permit<"catalog:write">, tool: Tool) => Effect.Effect<void, StorageError>
    /** Takes it out of sight, and away from the evaluators that had it. */
    readonly remove: (
      permit: Permit<"catalog:delete">,
      id: ToolId,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
  }
>() {}
