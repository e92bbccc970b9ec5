export * from "./plain.js"
export { resultStoreContract, runWorkStoreContract } from "./ResultStoreContract.js"
