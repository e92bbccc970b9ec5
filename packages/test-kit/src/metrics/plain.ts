export * from "./SpeechArbitraries.js"
export { type Quantile, quantileProperties } from "./QuantileLaws.js"
export { formulaProperties, type MeasureFormula } from "./FormulaLaws.js"
