export * from "./plain.js"
export { evaluatorStoreContract } from "./EvaluatorStoreContract.js"
