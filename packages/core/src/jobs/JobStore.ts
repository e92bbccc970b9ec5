import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { JobId } from "../kernel/Ids.js"
import type { Found, PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Claim, Job, JobState, NewJob } from "./Job.js"

/** The most jobs of a kind that a worker claims at once. */
export interface ClaimLimit {
  readonly kind: string
  readonly limit: number
}

/** Identifies a claim: a job that was claimed again since has another one. */
export type ClaimRef = Pick<Claim, "id" | "owner" | "attempt">

/**
 * Storage of jobs. Instants are epoch milliseconds by the caller's clock; the clocks of processes that share a database
 * must agree to within a fraction of a lease. Nothing here begins a transaction: a job that is enqueued together with the
 * data it is about is stored if and only if that data is.
 */
export class JobStore extends Context.Tag("@earshot/core/jobs/JobStore")<
  JobStore,
  {
    /** Inserts a job, or finds the stored one of its kind and key. */
    readonly enqueue: (
      job: NewJob,
      now: number
    ) => Effect.Effect<{ readonly id: JobId; readonly created: boolean }, StorageError>
    /** Inserts jobs, a thousand per statement; those whose kind and key are stored already are skipped. */
    readonly enqueueAll: (jobs: ReadonlyArray<NewJob>, now: number) => Effect.Effect<void, StorageError>
    /** Whether any job of these kinds is due: a read, so that an idle worker takes no lock. */
    readonly hasDue: (kinds: ReadonlyArray<string>, now: number) => Effect.Effect<boolean, StorageError>
    /**
     * Claims due jobs, the longest due first: queued ones, and running ones whose lease has expired. Counts the attempt
     * and starts the lease. No two callers get the same job while its lease is valid.
     */
    readonly claim: (
      owner: string,
      limits: ClaimLimit,
      lease: { readonly now: number; readonly until: number }
    ) => Effect.Effect<ReadonlyArray<Claim>, StorageError>
    /** Marks as dead the jobs whose lease has expired on their last attempt; returns how many. */
    readonly markExhaustedDead: (kinds: ReadonlyArray<string>, now: number) => Effect.Effect<number, StorageError>
    /** Extends leases; returns the ids of the jobs whose claims are still current. */
    readonly extend: (
      claims: ReadonlyArray<ClaimRef>,
      lease: { readonly now: number; readonly until: number }
    ) => Effect.Effect<ReadonlyArray<JobId>, StorageError>
    /**
     * Whether the lease is valid at `now`; locks the job until the transaction ends. No other process can claim it until
     * then, so what the transaction writes is written by the one process that runs the job.
     */
    readonly isLeaseValid: (claim: ClaimRef, now: number) => Effect.Effect<boolean, StorageError>
    /** Marks a job succeeded; false, without a change, if the claim was lost. */
    readonly succeed: (claim: ClaimRef, now: number) => Effect.Effect<boolean, StorageError>
    /** Ends a failed attempt: queued again for `retryAt`, or dead if that is null. False if the claim was lost. */
    readonly fail: (
      claim: ClaimRef,
      failure: { readonly reason: string; readonly retryAt: number | null },
      now: number
    ) => Effect.Effect<boolean, StorageError>
    /** Releases claims when a process stops: the jobs are queued again, and the attempt does not count. */
    readonly release: (claims: ReadonlyArray<ClaimRef>, now: number) => Effect.Effect<void, StorageError>
    readonly find: (permit: Permit, id: JobId) => Effect.Effect<Option.Option<Job>, StorageError>
    /** Newest first; a page ends early at `PageBytes`. */
    readonly list: (
      permit: Permit<"jobs:manage">,
      of: { readonly state: JobState | undefined; readonly kind: string | undefined },
      page: PageRequest
    ) => Effect.Effect<Found<Job>, StorageError>
    /** Queues a dead job again with all its attempts; false if it is not dead. */
    readonly requeue: (permit: Permit<"jobs:manage">, id: JobId, now: number) => Effect.Effect<boolean, StorageError>
    /** Deletes jobs that succeeded or died before these instants; returns how many. */
    readonly prune: (before: {
      readonly succeeded: number
      readonly dead: number
    }) => Effect.Effect<number, StorageError>
  }
>() {}
