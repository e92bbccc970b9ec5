export * from "./SpeechArbitraries.js"
export { type Quantile, quantileProperties } from "./QuantileProperties.js"
export { formulaProperties, type MeasureFormula } from "./FormulaProperties.js"
