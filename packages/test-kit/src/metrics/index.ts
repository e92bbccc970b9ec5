export * from "./SpeechArbitraries.js"
export { type Quantile, quantileLaws } from "./QuantileLaws.js"
export { evaluationStoreContract, metricStoreContract } from "./MetricStoreContract.js"
export { sandboxContract } from "./SandboxContract.js"
