import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import type { MicroCredits } from "../kernel/Credits.js"
import { decodeInput, type ValidationFailed } from "../kernel/Faults.js"
import * as Fields from "../kernel/Fields.js"
import * as Pages from "../kernel/Pages.js"
import type { StorageFault } from "../kernel/Storage.js"
import type { Charge, CreditEntry } from "./CreditEntry.js"
import { LedgerStore } from "./LedgerStore.js"

/** What a list of charges takes. */
export const LedgerQuery = Fields.object({
  ...Pages.PageQuery.fields,
  kind: Fields.optional(Fields.text({ max: 100 }))
})

/** A page of charges, and the sum of all of them, on this page or not. */
export interface Statement extends Pages.Page<CreditEntry> {
  readonly total: MicroCredits
}

/** The credits that an organisation was charged. */
export class Ledger extends Context.Tag("@earshot/core/credits/Ledger")<
  Ledger,
  {
    /** `{kind?, cursor?, limit?}` */
    readonly list: UseCase<"credits.list", [query: unknown], Statement, ValidationFailed | StorageFault>
    /**
     * Makes charges in the transaction of what they are for. Nothing is charged twice: a charge whose kind and key were
     * charged before is passed over, and so is one of nothing.
     */
    readonly charge: (
      permit: Permit,
      charges: ReadonlyArray<Charge>,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageFault>
  }
>() {}

export const layer = Layer.effect(
  Ledger,
  Effect.map(LedgerStore, (store) =>
    Ledger.of({
      list: useCase("credits.list")((permit, query) =>
        Effect.gen(function* () {
          const { kind } = yield* decodeInput(LedgerQuery, query)
          const page = yield* Pages.decodeRequest(query)
          const found = yield* store.list(permit, { kind }, page)
          return { ...Pages.pageOf(page, found, (entry) => entry.id), total: yield* store.total(permit, { kind }) }
        })
      ),
      charge: (permit, charges, now) =>
        store.enter(
          permit,
          charges.filter(({ amount }) => amount !== 0n),
          now
        )
    })
  )
)
