export { Ledger } from "./Ledger.js"
export * from "./LedgerEntry.js"
export { LedgerStore } from "./LedgerStore.js"
