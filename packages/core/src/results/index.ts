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
export { RunIsOver } from "./ResultErrors.js"
export {
  BulkDeleteInput,
  ClaimInput,
  CompareQuery,
  DeleteRunsInput,
  FailInput,
  HeartbeatInput,
  ResultQuery,
  Results,
  RunQuery
} from "./Results.js"
export { caseOfRun, printResultJUnit } from "./ResultJUnit.js"
export { type HeldRun, ResultStore, type RunEnd } from "./ResultStore.js"
export {
  after,
  capacityChange,
  type CapacityChange,
  type Holdings,
  holdingsOf,
  MAX_RUN_ATTEMPTS,
  onLostLease,
  openStatuses,
  type RunEvent,
  RunStatus,
  transitions
} from "./RunLifecycle.js"
export { CompleteInput } from "./ReportRules.js"
export { RunAudioUnusable, RunTranscriber } from "./RunTranscriber.js"
export { PlayedChannels } from "./PlayedChannels.js"
export { criteriaOf, type DecidingScore, missedSentence, successByCriteria, undecidedSentence } from "./Rubric.js"
export { Criterion, encodeRunDetail, type PlayableRun, RunDetail, RunMoment, type RunOutcome } from "./RunDetail.js"
export { EXECUTE_JOB, SCORE_JOB } from "./RunJobs.js"
export { type RunReported, RunWork, type TakenRun } from "./RunWork.js"
export { executeJobs, scoreJob } from "./RunJobs.js"
export { RunWorkStore, type StrandedRun } from "./RunWorkStore.js"
