import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { JobId } from "../kernel/Ids.js"
import type { StorageFault } from "../kernel/Storage.js"
import type { Claim, NewJob } from "./Job.js"
import { JobStore } from "./JobStore.js"

/** Where subjects put work that is to be done later, and where those who do it ask whether it still is theirs. */
export class JobQueue extends Context.Tag("@earshot/core/jobs/JobQueue")<
  JobQueue,
  {
    /**
     * Enqueues in the caller's transaction, and answers the job, or the one of its kind and key that is there. Ring
     * `JobBell` once the transaction is committed.
     */
    readonly enqueue: (job: NewJob) => Effect.Effect<JobId, StorageFault>
    /** As `enqueue`, for many. */
    readonly enqueueAll: (jobs: ReadonlyArray<NewJob>) => Effect.Effect<void, StorageFault>
    /** As `JobStore.holds`, now. */
    readonly holds: (claim: Claim) => Effect.Effect<boolean, StorageFault>
  }
>() {}

export const layer = Layer.effect(
  JobQueue,
  Effect.map(JobStore, (store) =>
    JobQueue.of({
      enqueue: (job) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.map(store.enqueue(job, now), ({ id }) => id)),
      enqueueAll: (jobs) => Effect.flatMap(Clock.currentTimeMillis, (now) => store.enqueueAll(jobs, now)),
      holds: (claim) => Effect.flatMap(Clock.currentTimeMillis, (now) => store.holds(claim, now))
    })
  )
)
