export * from "./TracedCalls.js"
export { traceStoreContract } from "./TraceStoreContract.js"
