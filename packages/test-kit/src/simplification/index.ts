export * from "./plain.js"
export { simplificationStoreContract } from "./SimplificationStoreContract.js"
