import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { JobId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Claim, NewJob } from "./Job.js"
import { JobStore } from "./JobStore.js"

/** Enqueues background work, and lets handlers check and finish their claims in their own transactions. */
export class JobQueue extends Context.Tag("@earshot/core/jobs/JobQueue")<
  JobQueue,
  {
    /**
     * Enqueues a job in the caller's transaction and returns its id, or that of the stored job with its kind and key.
     * Call `JobSignal.notify` once the transaction is committed.
     */
    readonly enqueue: (job: NewJob) => Effect.Effect<JobId, StorageError>
    /** As `enqueue`, for many. */
    readonly enqueueAll: (jobs: ReadonlyArray<NewJob>) => Effect.Effect<void, StorageError>
    /** As `JobStore.isLeaseValid`, now. */
    readonly isLeaseValid: (claim: Claim) => Effect.Effect<boolean, StorageError>
    /**
     * Marks the job succeeded in the caller's transaction, so that its last write and its end commit together. The handler
     * must not write anything afterwards.
     */
    readonly succeed: (claim: Claim) => Effect.Effect<void, StorageError>
  }
>() {}

export const layer = Layer.effect(
  JobQueue,
  Effect.map(JobStore, (store) =>
    JobQueue.of({
      enqueue: (job) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.map(store.enqueue(job, now), ({ id }) => id)),
      enqueueAll: (jobs) => Effect.flatMap(Clock.currentTimeMillis, (now) => store.enqueueAll(jobs, now)),
      isLeaseValid: (claim) => Effect.flatMap(Clock.currentTimeMillis, (now) => store.isLeaseValid(claim, now)),
      succeed: (claim) => Effect.asVoid(Effect.flatMap(Clock.currentTimeMillis, (now) => store.succeed(claim, now)))
    })
  )
)
