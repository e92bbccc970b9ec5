export { type CreditArithmetic, creditLaws, micros, type RedactionPrice, redactionPriceLaws } from "./CreditLaws.js"
