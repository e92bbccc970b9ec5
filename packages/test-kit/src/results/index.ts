export {
  type CapacityAnswer,
  type CapacityDoor,
  type CapacityView,
  type CapacityWorld,
  checkCapacityModel
} from "./CapacityModel.js"
export { type DeletionLaw, deletionLaws, deletionSnapshot } from "./DeletionLaws.js"
export { metricScores, resultScores, runCount, scenarioScores } from "./ResultArbitraries.js"
export { resultStoreContract, runWorkStoreContract } from "./ResultStoreContract.js"
