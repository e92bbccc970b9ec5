import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { JobId } from "../kernel/Ids.js"
import type { PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Claim, Job, JobState, NewJob } from "./Job.js"

/** How many jobs of a kind a worker takes. */
export interface ClaimLimit {
  readonly kind: string
  readonly limit: number
}

/** Which claim is meant: a job that was claimed again since is another one's. */
export type ClaimRef = Pick<Claim, "id" | "owner" | "attempt">

/**
 * What storage promises about jobs. Instants are epoch milliseconds by the caller's clock; processes that share a
 * database have clocks that agree to within a fraction of a lease. Nothing here begins a transaction: what is enqueued
 * in the transaction of the thing it is about is there if and only if that thing is.
 */
export class JobStore extends Context.Tag("@earshot/core/jobs/JobStore")<
  JobStore,
  {
    /** Makes a job, or finds the one of its kind and key that is there. */
    readonly enqueue: (
      job: NewJob,
      now: number
    ) => Effect.Effect<{ readonly id: JobId; readonly created: boolean }, StorageError>
    /** Makes jobs, a thousand a statement; those whose kind and key are there already are passed over. */
    readonly enqueueAll: (jobs: ReadonlyArray<NewJob>, now: number) => Effect.Effect<void, StorageError>
    /** Whether any job of these kinds is due: a read, so that an idle worker takes no lock. */
    readonly hasDue: (kinds: ReadonlyArray<string>, now: number) => Effect.Effect<boolean, StorageError>
    /**
     * Takes jobs that are due, the longest due first: queued ones, and running ones whose lease has run out. The attempt
     * is counted and the lease begins. No two callers are given the same job while its lease holds.
     */
    readonly claim: (
      owner: string,
      appetite: ClaimLimit,
      lease: { readonly now: number; readonly until: number }
    ) => Effect.Effect<ReadonlyArray<Claim>, StorageError>
    /** Declares dead what was running when its lease ran out and has no attempt left; answers how many. */
    readonly markExhaustedDead: (kinds: ReadonlyArray<string>, now: number) => Effect.Effect<number, StorageError>
    /** Prolongs leases; answers the ids of those that still were this owner's. */
    readonly extend: (
      claims: ReadonlyArray<ClaimRef>,
      lease: { readonly now: number; readonly until: number }
    ) => Effect.Effect<ReadonlyArray<JobId>, StorageError>
    /**
     * Whether the claim still holds at `now`. Within a transaction nobody else can claim the job until it ends, so what is
     * written there is written by the one process that runs the job.
     */
    readonly isLeaseValid: (claim: ClaimRef, now: number) => Effect.Effect<boolean, StorageError>
    /** Ends a job well; false where the claim was lost, and nothing is changed then. */
    readonly succeed: (claim: ClaimRef, now: number) => Effect.Effect<boolean, StorageError>
    /** Ends an attempt: queued again for `retryAt`, or dead where that is null. False where the claim was lost. */
    readonly fail: (
      claim: ClaimRef,
      failure: { readonly reason: string; readonly retryAt: number | null },
      now: number
    ) => Effect.Effect<boolean, StorageError>
    /** Puts a job back as if it had not been claimed: its process is going, and that is not the job's fault. */
    readonly release: (claims: ReadonlyArray<ClaimRef>, now: number) => Effect.Effect<void, StorageError>
    readonly find: (permit: Permit, id: JobId) => Effect.Effect<Option.Option<Job>, StorageError>
    /** Newest first; up to one more than the page holds. */
    readonly list: (
      permit: Permit<"jobs:manage">,
      of: { readonly state: JobState | undefined; readonly kind: string | undefined },
      page: PageRequest
    ) => Effect.Effect<ReadonlyArray<Job>, StorageError>
    /** Queues a dead job anew, with all its attempts before it; false where it is not dead. */
    readonly requeue: (permit: Permit<"jobs:manage">, id: JobId, now: number) => Effect.Effect<boolean, StorageError>
    /** Removes what succeeded and what died before these instants; answers how many. */
    readonly prune: (before: {
      readonly succeeded: number
      readonly dead: number
    }) => Effect.Effect<number, StorageError>
  }
>() {}
