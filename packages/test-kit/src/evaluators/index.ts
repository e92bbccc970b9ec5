export { arbitraryAction, arbitraryConditionalActions, arbitraryEvaluatorInput } from "./EvaluatorArbitraries.js"
