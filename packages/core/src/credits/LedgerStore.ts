import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type { Permit } from "../access/Permit.js"
import type { Found, PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Charge, LedgerEntry, LedgerFilter, ReasonTotal } from "./LedgerEntry.js"

/**
 * Storage of charges. Entries are written in the transaction that stores what they are for, at most one per charge key.
 */
export class LedgerStore extends Context.Tag("@earshot/core/credits/LedgerStore")<
  LedgerStore,
  {
    /** Inserts charges in the caller's transaction; one whose key exists already is skipped. */
    readonly insert: (
      permit: Permit,
      charges: ReadonlyArray<Charge>,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
    /** Newest first; a page ends early at `PageBytes`. */
    readonly list: (
      permit: Permit<"credits:read">,
      filter: LedgerFilter,
      page: PageRequest
    ) => Effect.Effect<Found<LedgerEntry>, StorageError>
    /** The sums of all entries that match, by reason in alphabetical order. */
    readonly totals: (
      permit: Permit<"credits:read">,
      filter: LedgerFilter
    ) => Effect.Effect<ReadonlyArray<ReasonTotal>, StorageError>
  }
>() {}
