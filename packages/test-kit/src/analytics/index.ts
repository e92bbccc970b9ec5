export * from "./plain.js"
export { agreeing } from "./Agreeing.js"
export { analyticsStoreContract } from "./AnalyticsStoreContract.js"
