export {
  type CapacityAnswer,
  type CapacityDoor,
  type CapacityView,
  type CapacityWorld,
  checkCapacityModel
} from "./CapacityModel.js"
export { checkDeletionsAtOnce } from "./DeletionsAtOnce.js"
export { deletionLaws, deletionSnapshot } from "./DeletionLaws.js"
export { type Evaluate, evaluationLaws } from "./EvaluationLaws.js"
export { lifecycleLaws, type RunLife } from "./LifecycleLaws.js"
export { metricScores, resultScores, runCount, scenarioScores } from "./ResultArbitraries.js"
