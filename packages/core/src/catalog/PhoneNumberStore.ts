import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { PhoneNumberId, ProjectId } from "../kernel/Ids.js"
import type { PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { NumberTaken } from "./CatalogErrors.js"
import type { PhoneNumber } from "./PhoneNumber.js"

/** What is kept of a new one. */
export interface NewPhoneNumber {
  readonly projectId: ProjectId
  readonly number: string
  readonly name: string
}

/**
 * What storage promises about phone numbers. A permit's organisation bounds every answer; deleted ones, and those of deleted
 * projects, are not there. No two that are there are of one number.
 */
export class PhoneNumberStore extends Context.Tag("@earshot/core/catalog/PhoneNumberStore")<
  PhoneNumberStore,
  {
    readonly insert: (
      permit: Permit<"catalog:write">,
      phoneNumber: NewPhoneNumber,
      now: DateTime.Utc
    ) => Effect.Effect<PhoneNumber, NumberTaken | StorageError>
    readonly find: (permit: Permit, id: PhoneNumberId) => Effect.Effect<Option.Option<PhoneNumber>, StorageError>
    /** The one of this number, as it was given. */
    readonly findNumber: (permit: Permit, number: string) => Effect.Effect<Option.Option<PhoneNumber>, StorageError>
    /** As `find`, and nobody changes or deletes it until the transaction ends. */
    readonly findForUpdate: (
      permit: Permit,
      id: PhoneNumberId
    ) => Effect.Effect<Option.Option<PhoneNumber>, StorageError>
    /** Newest first, within the permit's reach; up to one more than the page holds. Null stands for any. */
    readonly list: (
      permit: Permit<"catalog:read">,
      of: { readonly projectId: ProjectId | null },
      page: PageRequest
    ) => Effect.Effect<ReadonlyArray<PhoneNumber>, StorageError>
    /** Saves the changed one as a whole. */
    readonly save: (
      permit: Permit<"catalog:write">,
      phoneNumber: PhoneNumber
    ) => Effect.Effect<void, NumberTaken | StorageError>
    /** Takes it out of sight: its number is free again, and evaluators that had it have none. */
    readonly remove: (
      permit: Permit<"catalog:delete">,
      id: PhoneNumberId,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
  }
>() {}
