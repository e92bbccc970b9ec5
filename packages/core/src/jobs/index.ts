export { type Backoff, DEFAULT_BACKOFF, retryDelay } from "./Backoff.js"
export { type Claim, DEFAULT_ATTEMPTS, encodeJob, Job, JobState, type NewJob } from "./Job.js"
export { JobSignal, layer as jobSignal } from "./JobSignal.js"
export { JobFailed, JobNotDead } from "./JobErrors.js"
export { JobQueue, layer as jobQueue } from "./JobQueue.js"
export {
  type PeriodicTask,
  type JobHandler,
  make as makeJobRunner,
  JobRunner,
  type JobRunnerConfig
} from "./JobRunner.js"
export { JobQuery, Jobs } from "./Jobs.js"
export { type ClaimLimit, type ClaimRef, JobStore } from "./JobStore.js"
