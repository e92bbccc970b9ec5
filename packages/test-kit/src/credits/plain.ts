export { type CreditArithmetic, creditProperties, micros, type RedactionPrice, redactionPriceProperties } from "./CreditLaws.js"
