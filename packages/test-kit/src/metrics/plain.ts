export * from "./SpeechArbitraries.js"
export { type Quantile, quantileLaws } from "./QuantileLaws.js"
export { formulaLaws, type MeasureFormula } from "./FormulaLaws.js"
