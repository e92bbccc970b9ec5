import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type { Permit } from "../access/Permit.js"
import type { MicroCredits } from "../kernel/Credits.js"
import type { PageRequest } from "../kernel/Pages.js"
import type { StorageFault } from "../kernel/Storage.js"
import type { Charge, CreditEntry } from "./CreditEntry.js"

/** What storage promises about the ledger. */
export class LedgerStore extends Context.Tag("@earshot/core/credits/LedgerStore")<
  LedgerStore,
  {
    /** Enters charges, in the caller's transaction. One whose kind and key are there already is passed over. */
    readonly enter: (
      permit: Permit,
      charges: ReadonlyArray<Charge>,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageFault>
    /** Newest first; up to one more than the page holds. */
    readonly list: (
      permit: Permit<"credits:read">,
      of: { readonly kind: string | undefined },
      page: PageRequest
    ) => Effect.Effect<ReadonlyArray<CreditEntry>, StorageFault>
    /** All that was charged. */
    readonly total: (
      permit: Permit<"credits:read">,
      of: { readonly kind: string | undefined }
    ) => Effect.Effect<MicroCredits, StorageFault>
  }
>() {}
