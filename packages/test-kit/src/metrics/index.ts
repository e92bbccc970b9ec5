export * from "./plain.js"
export { evaluationStoreContract, metricStoreContract } from "./MetricStoreContract.js"
export { sandboxContract } from "./SandboxContract.js"
