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
    /** Whether the lease of a claim is valid now, as `JobStore.validLeases`. */
    readonly isLeaseValid: (claim: Claim) => Effect.Effect<boolean, StorageError>
    /** As `JobStore.validLeases`, now. */
    readonly validLeases: (claims: ReadonlyArray<Claim>) => Effect.Effect<ReadonlySet<JobId>, StorageError>
    /**
     * Marks jobs succeeded in the caller's transaction, so that their last write and their end commit together. The handler
     * must not write anything for them afterwards.
     */
    readonly succeed: (claims: ReadonlyArray<Claim>) => Effect.Effect<void, StorageError>
    /** As `JobStore.handOver`, now, in the caller's transaction. */
    readonly handOver: (claims: ReadonlyArray<Claim>, kind: string) => Effect.Effect<void, StorageError>
  }
>() {}

export const layer = Layer.effect(
  JobQueue,
  Effect.map(JobStore, (store) => {
    const validLeases = (claims: ReadonlyArray<Claim>) =>
      Effect.map(
        Effect.flatMap(store.now, (now) => store.validLeases(claims, now)),
        (ids): ReadonlySet<JobId> => new Set(ids)
      )
    return JobQueue.of({
      enqueue: (job) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.map(store.enqueue(job, now), ({ id }) => id)),
      enqueueAll: (jobs) => Effect.flatMap(Clock.currentTimeMillis, (now) => store.enqueueAll(jobs, now)),
      isLeaseValid: (claim) => Effect.map(validLeases([claim]), (valid) => valid.has(claim.id)),
      validLeases,
      succeed: (claims) => Effect.asVoid(Effect.flatMap(store.now, (now) => store.succeed(claims, now))),
      handOver: (claims, kind) => Effect.asVoid(Effect.flatMap(store.now, (now) => store.handOver(claims, kind, now)))
    })
  })
)
