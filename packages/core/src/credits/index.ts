export { Ledger, LedgerFilterQuery, LedgerQuery } from "./Ledger.js"
export * from "./LedgerEntry.js"
export { LedgerStore } from "./LedgerStore.js"
