export { AssertedSpeaker, Assertion, assertionTypes } from "./Assertion.js"
export { checkAssertion, checkAssertions, type Conversation, describeAssertion } from "./AssertionRules.js"
export {
  Change,
  compareResults,
  Comparison,
  encodeComparison,
  type MetricScores,
  type ResultScores,
  ScenarioChange,
  type ScenarioScores
} from "./Compare.js"
export { type DeletionPlan, type DeletionSnapshot, type RunsToDelete, planDeletion } from "./Deletion.js"
export { type Gate, type GatedResult, gateFailures } from "./GateRules.js"
export { encodeRepeats, Repeats, repeatsOf } from "./Repeats.js"
export { evaluateResult, type ResultEvaluation, ResultStatus, type RunCount } from "./Evaluate.js"
export {
  type Capacity,
  CapacityWire,
  type ClaimedRun,
  encodeCapacity,
  encodeClaimedRun,
  encodeLease,
  encodeResult,
  encodeRun,
  type NewResult,
  Result,
  Run
} from "./Result.js"
export { RunIsOver } from "./ResultErrors.js"
export {
  BulkDeleteInput,
  ClaimInput,
  CompareQuery,
  DeleteRunsInput,
  FailInput,
  HeartbeatInput,
  JUnitQuery,
  ReportQuery,
  ResultQuery,
  RunQuery
} from "./ResultInputs.js"
export { Results } from "./Results.js"
export { printResultReport, type ReportedRun, reportedRun, type ReportFormat, reportFormats } from "./ResultReport.js"
export { caseOfRun, printResultJUnit } from "./ResultJUnit.js"
export { type RunState, ResultStore, type RunEnd } from "./ResultStore.js"
export {
  nextStatus,
  capacityChange,
  type CapacityChange,
  type Holdings,
  holdingsOf,
  isOverdue,
  MAX_RUN_ATTEMPTS,
  onExpiredLease,
  openStatuses,
  type RunEvent,
  RunStatus,
  transitions
} from "./RunLifecycle.js"
export { CompleteInput } from "./ReportRules.js"
export { RunAudioUnusable, RunTranscriber } from "./RunTranscriber.js"
export { type Played, PlayedChannels, type SharedChannels } from "./PlayedChannels.js"
export { criteriaOf, type DecidingScore, failureReason, successByCriteria, undecidedReason } from "./SuccessCriteria.js"
export {
  Criterion,
  encodeRunDetail,
  type PlayableRun,
  RunDetail,
  RunMoment,
  type RunOutcome,
  type RunRecording
} from "./RunDetail.js"
export { type RunReport, RunWork, type LeasedRun } from "./RunWork.js"
export { EXECUTE_JOB, executeJobs, SCORE_JOB, scoreJob } from "./RunJobs.js"
export { RunWorkStore, type StrandedRun } from "./RunWorkStore.js"
