export {
  type CapacityAnswer,
  type CapacityDriver,
  type CapacityView,
  type CapacityFixture,
  checkCapacityModel
} from "./CapacityModel.js"
export { assertion, assertionProperties, type CheckAssertion } from "./AssertionProperties.js"
export { checkConcurrentDeletions } from "./ConcurrentDeletions.js"
export { deletionProperties, deletionSnapshot } from "./DeletionProperties.js"
export { type Evaluate, evaluationProperties } from "./EvaluationProperties.js"
export { lifecycleProperties, type RunLifecycle } from "./LifecycleProperties.js"
export { metricScores, resultScores, runCount, scenarioScores } from "./ResultArbitraries.js"
