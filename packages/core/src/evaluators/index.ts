export { type ActionPart, parseAction, printAction } from "./ActionMarkup.js"
export {
  type BulkPlan,
  type ParsedBulkUpdate,
  type BulkRequest,
  type BulkTarget,
  BulkUpdateInput,
  bulkReferenceNames,
  MAX_BULK,
  planBulkUpdate,
  parseBulkUpdate
} from "./BulkUpdateRules.js"
export {
  type ConditionalAction,
  type ConditionalActions,
  ConditionalActionsWire,
  ConditionType,
  FIRST_MESSAGE,
  parseConditionalActions,
  parseConditionalActionsText,
  printConditionalActions,
  toConditionalActionsWire,
  type Trigger
} from "./ConditionalActions.js"
export {
  encodeEvaluator,
  Evaluator,
  type EvaluatorSpec,
  EvaluatorWire,
  MAX_EVALUATOR_NAME,
  MAX_INSTRUCTIONS,
  ScenarioType,
  specOf
} from "./Evaluator.js"
export {
  EvaluatorDraft,
  EvaluatorPatch,
  type EvaluatorInput,
  validateEvaluator,
  parseEvaluatorInput
} from "./EvaluatorRules.js"
export { BulkUpdateQuery, EvaluatorQuery, Evaluators } from "./Evaluators.js"
export { type EvaluatorFilter, EvaluatorStore } from "./EvaluatorStore.js"
export { type Found, type ReferenceNames, type References } from "./References.js"
