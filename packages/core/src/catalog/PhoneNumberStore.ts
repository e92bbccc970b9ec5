import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { PhoneNumberId, ProjectId } from "../kernel/Ids.js"
import type { Found, PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { NumberTaken } from "./CatalogErrors.js"
import type { PhoneNumber } from "./PhoneNumber.js"

/** What is stored of a new one. */
export interface NewPhoneNumber {
  readonly projectId: ProjectId
  readonly number: string
  readonly name: string
}

/**
 * Storage of phone numbers, limited to the permit's organization; soft-deleted ones, and those of deleted
 * projects, are not found. Numbers are unique.
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
    /** The phone number with this number, as given. */
    readonly findNumber: (permit: Permit, number: string) => Effect.Effect<Option.Option<PhoneNumber>, StorageError>
    /** As `find`, and locks the row until the transaction ends. */
    readonly findForUpdate: (
      permit: Permit,
      id: PhoneNumberId
    ) => Effect.Effect<Option.Option<PhoneNumber>, StorageError>
    /** Newest first, within the permit's scope; up to one row more than the page holds. Null matches any. */
    readonly list: (
      permit: Permit<"catalog:read">,
      of: { readonly projectId: ProjectId | null },
      page: PageRequest
    ) => Effect.Effect<Found<PhoneNumber>, StorageError>
    /** Saves all of its fields. */
    readonly save: (
      permit: Permit<"catalog:write">,
      phoneNumber: PhoneNumber
    ) => Effect.Effect<void, NumberTaken | StorageError>
    /** Soft-deletes it and removes it from evaluators; its number can be used again. */
    readonly remove: (
      permit: Permit<"catalog:delete">,
      id: PhoneNumberId,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
  }
>() {}
