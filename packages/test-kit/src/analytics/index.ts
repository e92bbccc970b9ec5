export * from "./plain.js"
export { checkedSource } from "./AgreementCheck.js"
export { analyticsStoreContract } from "./AnalyticsStoreContract.js"
