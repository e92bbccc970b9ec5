import { encodeLedgerEntry, Ledger, LedgerEntry, LedgerEntryId, Pages } from "@earshot/core"
import * as Effect from "effect/Effect"
import { resource } from "./Resource.js"

export const ledger = resource({
  path: "/credits/ledger/",
  tag: "Credits",
  noun: "ledger entry",
  plural: "ledger entries",
  name: "LedgerEntry",
  id: LedgerEntryId,
  wire: LedgerEntry,
  encode: encodeLedgerEntry,
  list: {
    operation: "credits.list",
    query: Pages.PageQuery,
    run: (query) => Effect.flatMap(Ledger, (entries) => entries.list(query))
  }
})
