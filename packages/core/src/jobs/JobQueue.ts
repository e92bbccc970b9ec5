import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { JobId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Claim, NewJob } from "./Job.js"
import { JobStore } from "./JobStore.js"

/** Where subjects put work that is to be done later, and where those who do it ask whether it still is theirs. */
export class JobQueue extends Context.Tag("@earshot/core/jobs/JobQueue")<
  JobQueue,
  {
    /**
     * Enqueues in the caller's transaction, and answers the job, or the one of its kind and key that is there. Ring
     * `JobSignal` once the transaction is committed.
     */
    readonly enqueue: (job: NewJob) => Effect.Effect<JobId, StorageError>
    /** As `enqueue`, for many. */
    readonly enqueueAll: (jobs: ReadonlyArray<NewJob>) => Effect.Effect<void, StorageError>
    /** As `JobStore.holds`, now. */
    readonly isLeaseValid: (claim: Claim) => Effect.Effect<boolean, StorageError>
    /**
     * Ends the job well in the caller's transaction, so that it is over with the last thing it wrote instead of with a
     * transaction of its own. What is done after it must come to nothing.
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
