export {
  type CapacityAnswer,
  type CapacityDoor,
  type CapacityView,
  type CapacityWorld,
  checkCapacityModel
} from "./CapacityModel.js"
export { type DeletionLaw, deletionLaws, deletionSnapshot } from "./DeletionLaws.js"
export { resultStoreContract } from "./ResultStoreContract.js"
