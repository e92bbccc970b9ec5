export * from "./plain.js"
export { ledgerStoreContract } from "./LedgerStoreContract.js"
