import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { PersonalityId, ProjectId } from "../kernel/Ids.js"
import type { PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { EnableRequest } from "./EnableRules.js"
import type { LanguageCode } from "./LanguageCode.js"
import type { Personality } from "./Personality.js"

/** What is kept of a new one. */
export interface NewPersonality {
  readonly projectId: ProjectId
  readonly name: string
  readonly language: LanguageCode
  readonly description: string
}

/**
 * What storage promises about personalities. A permit's organisation bounds every answer; deleted ones, and those of deleted
 * projects, are not there.
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
    /** As `find`, and nobody changes or deletes it until the transaction ends. */
    readonly findForUpdate: (
      permit: Permit,
      id: PersonalityId
    ) => Effect.Effect<Option.Option<Personality>, StorageError>
    /** Newest first, within the permit's reach; up to one more than the page holds. Null stands for any. */
    readonly list: (
      permit: Permit<"catalog:read">,
      of: {
        readonly projectId: ProjectId | null
        readonly enabledIn: ProjectId | null
        readonly language: LanguageCode | null
      },
      page: PageRequest
    ) => Effect.Effect<ReadonlyArray<Personality>, StorageError>
    /** Saves the changed one as a whole. */
    readonly save: (permit: Permit<"catalog:write">, personality: Personality) => Effect.Effect<void, StorageError>
    /** Takes it out of sight: no project has it enabled any more, and evaluators that had it have none. */
    readonly remove: (
      permit: Permit<"catalog:delete">,
      id: PersonalityId,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
    /**
     * Adds these to the project's enabled ones, or all that the permit reaches; those enabled already stay. With a
     * language, those of another one are passed over. Ids that are not there are passed over too.
     */
    readonly enable: (
      permit: Permit<"catalog:write">,
      project: ProjectId,
      request: EnableRequest
    ) => Effect.Effect<void, StorageError>
    /** Which of these are there, within the permit's reach. */
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
