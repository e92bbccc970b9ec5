export { type DeletionPlan, type DeletionSnapshot, type DoomedRuns, planDeletion } from "./Deletion.js"
export { evaluateResult, type ResultEvaluation, ResultStatus, type RunCount } from "./Evaluate.js"
export {
  type Capacity,
  CapacityWire,
  type ClaimedRun,
  encodeCapacity,
  encodeResult,
  encodeRun,
  type NewResult,
  Result,
  Run
} from "./Result.js"
export {
  BulkDeleteInput,
  ClaimInput,
  CompleteInput,
  DeleteRunsInput,
  FailInput,
  HeartbeatInput,
  ResultQuery,
  Results,
  RunQuery
} from "./Results.js"
export { type HeldRun, ResultStore, type RunEnd } from "./ResultStore.js"
export {
  after,
  capacityChange,
  type CapacityChange,
  type Holdings,
  holdingsOf,
  MAX_RUN_ATTEMPTS,
  onLostLease,
  type RunEvent,
  RunStatus,
  transitions
} from "./RunLifecycle.js"
