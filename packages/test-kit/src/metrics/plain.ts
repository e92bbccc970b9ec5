export * from "./SpeechArbitraries.js"
export { type Quantile, quantileLaws } from "./QuantileLaws.js"
