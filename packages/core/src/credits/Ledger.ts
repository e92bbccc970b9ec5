import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import type { ValidationFailed } from "../kernel/FieldErrors.js"
import type { Input } from "../kernel/Input.js"
import * as Pages from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Charge, LedgerEntry } from "./LedgerEntry.js"
import { LedgerStore } from "./LedgerStore.js"

/** The charges of the caller's organization. Source: docs/redaction.md and docs/metrics.md. */
export class Ledger extends Context.Tag("@earshot/core/credits/Ledger")<
  Ledger,
  {
    /** `{cursor?, limit?}`. Newest first. */
    readonly list: UseCase<
      "credits.list",
      [query: Input<typeof Pages.PageQuery>],
      Pages.Page<LedgerEntry>,
      ValidationFailed | StorageError
    >
    /**
     * Adds charges in the transaction of what they are for. Charges are idempotent: one whose key was charged before is
     * skipped, and so is one of zero.
     */
    readonly charge: (
      permit: Permit,
      charges: ReadonlyArray<Charge>,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
  }
>() {}

export const layer = Layer.effect(
  Ledger,
  Effect.map(LedgerStore, (store) =>
    Ledger.of({
      charge: (permit, charges, now) =>
        store.insert(
          permit,
          charges.filter(({ amount }) => amount !== 0n),
          now
        ),
      list: useCase("credits.list")((permit, query) =>
        Pages.paginate(Pages.PageQuery, query, (page) => store.list(permit, page))
      )
    })
  )
)
