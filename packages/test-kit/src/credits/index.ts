export { type CreditArithmetic, creditLaws, micros, type RedactionPrice, redactionPriceLaws } from "./CreditLaws.js"
export { ledgerStoreContract } from "./LedgerStoreContract.js"
