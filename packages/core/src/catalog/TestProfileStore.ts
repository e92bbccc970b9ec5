import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { AgentId, ProjectId, TestProfileId } from "../kernel/Ids.js"
import type { PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { JsonObject } from "../kernel/Json.js"
import type { TestProfile } from "./TestProfile.js"

/** What is kept of a new one. */
export interface NewTestProfile {
  readonly projectId: ProjectId
  readonly name: string
  readonly agentId: AgentId | null
  readonly information: JsonObject
}

/**
 * What storage promises about test profiles. A permit's organisation bounds every answer; deleted ones, and those of deleted
 * projects, are not there.
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
    /** As `find`, and nobody changes or deletes it until the transaction ends. */
    readonly findForUpdate: (
      permit: Permit,
      id: TestProfileId
    ) => Effect.Effect<Option.Option<TestProfile>, StorageError>
    /** Newest first, within the permit's reach; up to one more than the page holds. Null stands for any. */
    readonly list: (
      permit: Permit<"catalog:read">,
      of: { readonly projectId: ProjectId | null; readonly agentId: AgentId | null },
      page: PageRequest
    ) => Effect.Effect<ReadonlyArray<TestProfile>, StorageError>
    /** What the project has of them, by id and name, oldest first. */
    readonly namesIn: (
      permit: Permit,
      project: ProjectId
    ) => Effect.Effect<ReadonlyArray<{ readonly id: TestProfileId; readonly name: string }>, StorageError>
    /** Saves the changed one as a whole. */
    readonly save: (permit: Permit<"catalog:write">, profile: TestProfile) => Effect.Effect<void, StorageError>
    /** Takes it out of sight: evaluators that had it have none. */
    readonly remove: (
      permit: Permit<"catalog:delete">,
      id: TestProfileId,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
  }
>() {}
