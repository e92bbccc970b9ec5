export { type Backoff, DEFAULT_BACKOFF, retryDelay } from "./Backoff.js"
export { type Claim, DEFAULT_ATTEMPTS, encodeJob, Job, JobState, type NewJob } from "./Job.js"
export { JobSignal, layer as jobSignal } from "./JobSignal.js"
export { JobFailed, JobNotDead } from "./JobErrors.js"
export { JobQueue, layer as jobQueue } from "./JobQueue.js"
export { type Capacity as JobCapacity, claimableOrganizations, type Quota, quotasOf } from "./ClaimRules.js"
export { JobActivity, type KindActivity } from "./JobActivity.js"
export { type JobCounts, MAX_COUNTED } from "./JobCounts.js"
export { type BatchHandler, type BatchOutcome, type JobHandler } from "./JobHandler.js"
export { JobNotifications } from "./JobNotifications.js"
export { LeaseClock } from "./LeaseClock.js"
export {
  type PeriodicTask,
  make as makeJobRunner,
  JobRunner,
  type JobRunnerConfig
} from "./JobRunner.js"
export { JobQuery, Jobs } from "./Jobs.js"
export { type ClaimRef, JobStore } from "./JobStore.js"
