import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { AgentId, ProjectId, TestProfileId } from "../kernel/Ids.js"
import type { Found, PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { JsonObject } from "../kernel/Json.js"
import type { TestProfile } from "./TestProfile.js"

/** What is stored of a new one. */
export interface NewTestProfile {
  readonly projectId: ProjectId
  readonly name: string
  readonly agentId: AgentId | null
  readonly information: JsonObject
}

/**
 * Storage of test profiles, limited to the permit's organization; soft-deleted ones, and those of deleted
 * projects, are not found.
 */
export class TestProfileStore extends Context.Tag("@earshot/core/catalog/TestProfileStore")<
  TestProfileStore,
  {
    readonly insert: (
      permit: Permit<"catalog:write">,
      profile: NewTestProfile,
      now: DateTime.Utc
    ) => Effect.Effect<TestProfile, StorageError>
    readonly find: (permit: Permit, id: TestProfileId) => Effect.Effect<Option.Option<TestProfile>, StorageError>
    /** As `find`, and locks the row until the transaction ends. */
    readonly findForUpdate: (
      permit: Permit,
      id: TestProfileId
    ) => Effect.Effect<Option.Option<TestProfile>, StorageError>
    /** Newest first, within the permit's scope; up to one row more than the page holds. Null matches any. */
    readonly list: (
      permit: Permit<"catalog:read">,
      of: { readonly projectId: ProjectId | null; readonly agentId: AgentId | null },
      page: PageRequest
    ) => Effect.Effect<Found<TestProfile>, StorageError>
    /** The ids and names of the project's test profiles, oldest first. */
    readonly namesIn: (
      permit: Permit,
      project: ProjectId
    ) => Effect.Effect<ReadonlyArray<{ readonly id: TestProfileId; readonly name: string }>, StorageError>
    /** Saves all of its fields. */
    readonly save: (permit: Permit<"catalog:write">, profile: TestProfile) => Effect.Effect<void, StorageError>
    /** Soft-deletes it and removes it from evaluators. */
    readonly remove: (
      permit: Permit<"catalog:delete">,
      id: TestProfileId,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
  }
>() {}
