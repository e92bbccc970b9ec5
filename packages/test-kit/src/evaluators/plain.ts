export { arbitraryAction, arbitraryConditionalActions, arbitraryEvaluatorInput } from "./EvaluatorArbitraries.js"
export {
  checkEvaluatorModel,
  type BulkAnswer,
  type DoorAnswer,
  type EvaluatorDoor,
  type EvaluatorWorld,
  type SeenEvaluator
} from "./EvaluatorModel.js"
export { checkBulkUpdatesAtOnce } from "./EvaluatorsAtOnce.js"
export { bulkUpdateLaws, type PlanBulkUpdate } from "./BulkUpdateLaws.js"
export {
  actionLaws,
  type ActionSyntax,
  conditionalActionsLaws,
  type ConditionalActionsSyntax
} from "./ConditionalActionLaws.js"
export {
  type ConditionalActionsFlaw,
  conditionalActionsFlaws,
  invalidAction,
  type InvalidConditionalActions,
  invalidConditionalActions,
  wrongMarkers
} from "./InvalidConditionalActions.js"
