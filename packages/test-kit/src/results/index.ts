export * from "./plain.js"
export { resultStoreContract } from "./ResultStoreContract.js"
export { runWorkStoreContract } from "./RunWorkStoreContract.js"
