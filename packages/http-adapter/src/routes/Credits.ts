import {
  encodeLedgerEntry,
  encodeLedgerTotals,
  Ledger,
  LedgerEntry,
  LedgerEntryId,
  LedgerFilterQuery,
  LedgerQuery,
  LedgerTotals
} from "@earshot/core"
import * as Effect from "effect/Effect"
import { type Endpoint, json } from "../Endpoint.js"
import { resource } from "./Resource.js"

const tag = "Credits"

export const ledger: ReadonlyArray<Endpoint> = [
  ...resource({
    path: "/credits/ledger/",
    tag,
    noun: "ledger entry",
    plural: "ledger entries",
    name: "LedgerEntry",
    id: LedgerEntryId,
    wire: LedgerEntry,
    encode: encodeLedgerEntry,
    list: {
      operation: "credits.list",
      query: LedgerQuery,
      run: (query) => Effect.flatMap(Ledger, (entries) => entries.list(query))
    }
  }),
  {
    method: "GET",
    path: "/credits/totals/",
    id: "credits.totals",
    operation: "credits.totals",
    tag,
    summary: "Sum up charges",
    description: "The number and sum of all charges that match, also by reason. The filters are those of the ledger.",
    query: LedgerFilterQuery,
    responses: [{ status: 200, description: "The totals.", body: { name: "LedgerTotals", schema: LedgerTotals } }],
    handle: ({ query }) =>
      Effect.gen(function* () {
        return json(200, encodeLedgerTotals(yield* (yield* Ledger).totals(query)))
      })
  }
]
