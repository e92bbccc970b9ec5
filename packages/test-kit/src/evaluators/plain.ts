export { arbitraryAction, arbitraryConditionalActions, arbitraryEvaluatorInput } from "./EvaluatorArbitraries.js"
export { checkEvaluatorModel } from "./EvaluatorModel.js"
export type {
  BulkAnswer,
  EvaluatorResponse,
  EvaluatorDriver,
  EvaluatorFixture,
  SeenEvaluator
} from "./EvaluatorModelState.js"
export { checkConcurrentBulkUpdates } from "./ConcurrentBulkUpdates.js"
export { bulkUpdateProperties, type PlanBulkUpdate } from "./BulkUpdateProperties.js"
export {
  actionProperties,
  type ActionSyntax,
  conditionalActionsProperties,
  type ConditionalActionsSyntax
} from "./ConditionalActionProperties.js"
export {
  type ConditionalActionsFlaw,
  conditionalActionsFlaws,
  invalidAction,
  type InvalidConditionalActions,
  invalidConditionalActions,
  wrongMarkers
} from "./InvalidConditionalActions.js"
