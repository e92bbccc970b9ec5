export {
  type CapacityCommand,
  capacityCommand,
  type CapacityMismatch,
  type CapacitySystem,
  type CapacityView,
  playCapacity
} from "./CapacityModel.js"
export { type DeletionLaw, deletionLaws, deletionSnapshot } from "./DeletionLaws.js"
