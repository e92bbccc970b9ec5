export {
  type CreditArithmetic,
  creditProperties,
  micros,
  type RedactionPrice,
  redactionPriceProperties
} from "./CreditProperties.js"
