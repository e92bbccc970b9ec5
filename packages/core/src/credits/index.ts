export { type Charge, CreditEntry, encodeCreditEntry } from "./CreditEntry.js"
export { Ledger, LedgerQuery, type Statement } from "./Ledger.js"
export { LedgerStore } from "./LedgerStore.js"
