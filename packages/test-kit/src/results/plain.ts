export {
  type CapacityAnswer,
  type CapacityDriver,
  type CapacityView,
  type CapacityFixture,
  checkCapacityModel
} from "./CapacityModel.js"
export { assertion, assertionProperties, type CheckAssertion } from "./AssertionProperties.js"
export { checkConcurrentDeletions } from "./ConcurrentDeletions.js"
export { type Compare, comparisonProperties } from "./CompareProperties.js"
export { criteriaProperties, type CriteriaRules } from "./CriteriaProperties.js"
export { deletionProperties, deletionSnapshot } from "./DeletionProperties.js"
export { type Evaluate, evaluationProperties } from "./EvaluationProperties.js"
export { type GateFailures, gateProperties } from "./GateProperties.js"
export { lifecycleProperties, type RunLifecycle } from "./LifecycleProperties.js"
export { metricScores, resultScores, runCount, scenarioScores } from "./ResultArbitraries.js"
export { repeatProperties, type RepeatsOf } from "./RepeatProperties.js"
