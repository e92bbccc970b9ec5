import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { PersonalityId, ProjectId } from "../kernel/Ids.js"
import type { Found, PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { EnableRequest } from "./EnableRules.js"
import type { LanguageCode } from "./LanguageCode.js"
import type { Personality } from "./Personality.js"
import type { VoiceBehavior } from "./VoiceBehavior.js"

/** What is stored of a new one. */
export interface NewPersonality {
  readonly projectId: ProjectId
  readonly name: string
  readonly language: LanguageCode
  readonly description: string
  readonly voiceBehavior: VoiceBehavior | null
}

/**
 * Storage of personalities, limited to the permit's organization; soft-deleted ones, and those of deleted
 * projects, are not found.
 */
export class PersonalityStore extends Context.Tag("@earshot/core/catalog/PersonalityStore")<
  PersonalityStore,
  {
    readonly insert: (
      permit: Permit<"catalog:write">,
      personality: NewPersonality,
      now: DateTime.Utc
    ) => Effect.Effect<Personality, StorageError>
    readonly find: (permit: Permit, id: PersonalityId) => Effect.Effect<Option.Option<Personality>, StorageError>
    /** As `find`, and locks the row until the transaction ends. */
    readonly findForUpdate: (
      permit: Permit,
      id: PersonalityId
    ) => Effect.Effect<Option.Option<Personality>, StorageError>
    /** Newest first, within the permit's scope; up to one row more than the page holds. Null matches any. */
    readonly list: (
      permit: Permit<"catalog:read">,
      of: {
        readonly projectId: ProjectId | null
        readonly enabledIn: ProjectId | null
        readonly language: LanguageCode | null
      },
      page: PageRequest
    ) => Effect.Effect<Found<Personality>, StorageError>
    /** Saves all of its fields. */
    readonly save: (permit: Permit<"catalog:write">, personality: Personality) => Effect.Effect<void, StorageError>
    /** Soft-deletes it, disables it in every project and removes it from evaluators. */
    readonly remove: (
      permit: Permit<"catalog:delete">,
      id: PersonalityId,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
    /**
     * Enables these personalities in the project, or all in the permit's scope. With a language, only those of that
     * language. Unknown ids are skipped.
     */
    readonly enable: (
      permit: Permit<"catalog:write">,
      project: ProjectId,
      request: EnableRequest
    ) => Effect.Effect<void, StorageError>
    /** Which of these exist, within the permit's scope. */
    readonly existingIds: (
      permit: Permit,
      ids: ReadonlyArray<PersonalityId>
    ) => Effect.Effect<ReadonlySet<PersonalityId>, StorageError>
    /** Whether the project has it enabled. */
    readonly isEnabled: (permit: Permit, project: ProjectId, id: PersonalityId) => Effect.Effect<boolean, StorageError>
    /** All that the project has enabled, oldest first. */
    readonly enabledIn: (permit: Permit, project: ProjectId) => Effect.Effect<ReadonlyArray<Personality>, StorageError>
  }
>() {}
