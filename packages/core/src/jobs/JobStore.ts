import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { JobId, OrganizationId } from "../kernel/Ids.js"
import type { Found, PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Quota } from "./ClaimRules.js"
import type { Claim, Job, JobState, NewJob } from "./Job.js"
import type { JobCounts } from "./JobCounts.js"

/** Identifies a claim: a job that was claimed again since has another one. */
export type ClaimRef = Pick<Claim, "id" | "owner" | "attempt">

/**
 * Storage of jobs. Instants are epoch milliseconds by the clock that `now` reads. Nothing here begins a transaction: a job
 * that is enqueued together with the data it is about is stored if and only if that data is.
 */
export class JobStore extends Context.Tag("@earshot/core/jobs/JobStore")<
  JobStore,
  {
    /**
     * The time by the database's clock, by which leases and due times are measured (see `LeaseClock`). Processes whose own
     * clocks differ agree on it.
     */
    readonly now: Effect.Effect<number, StorageError>
    /**
     * Inserts a job, or finds the stored one of its kind and key. `now` is by this process's clock; if that is ahead of the
     * database's, the job is due by the latter.
     */
    readonly enqueue: (
      job: NewJob,
      now: number
    ) => Effect.Effect<{ readonly id: JobId; readonly created: boolean }, StorageError>
    /** Inserts jobs, a thousand per statement; those whose kind and key are stored already are skipped. */
    readonly enqueueAll: (jobs: ReadonlyArray<NewJob>, now: number) => Effect.Effect<void, StorageError>
    /** Those of these kinds that have jobs which are not finished, due or not. Reads an index entry per kind. */
    readonly unfinished: (kinds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, StorageError>
    /**
     * Organizations with due jobs of a kind, by id, beginning after `after` and continuing with the lowest. Reads a few
     * index entries per organization, however many jobs there are.
     */
    readonly waiting: (
      kind: string,
      turn: { readonly after: number; readonly limit: number },
      now: number
    ) => Effect.Effect<ReadonlyArray<OrganizationId>, StorageError>
    /**
     * Claims due jobs of a kind within the quotas, of each organization the longest due first: queued ones, and running ones
     * whose lease has expired. Counts the attempt and starts the lease. No two callers get the same job while its lease is
     * valid.
     */
    readonly claim: (
      owner: string,
      of: { readonly kind: string; readonly quotas: ReadonlyArray<Quota> },
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
     * The ids of the jobs whose leases are valid at `now`; locks these jobs until the transaction ends. No other process can
     * claim them until then, so what the transaction writes is written by the one process that runs the job.
     */
    readonly validLeases: (
      claims: ReadonlyArray<ClaimRef>,
      now: number
    ) => Effect.Effect<ReadonlyArray<JobId>, StorageError>
    /** Marks jobs succeeded; returns the ids of those whose claims were current, and changes no others. */
    readonly succeed: (
      claims: ReadonlyArray<ClaimRef>,
      now: number
    ) => Effect.Effect<ReadonlyArray<JobId>, StorageError>
    /**
     * Turns claimed jobs into queued jobs of another kind, due at once, whose attempts begin again; returns the ids of those
     * whose claims were current. Ids, ordering keys and payloads stay.
     */
    readonly handOver: (
      claims: ReadonlyArray<ClaimRef>,
      kind: string,
      now: number
    ) => Effect.Effect<ReadonlyArray<JobId>, StorageError>
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
    /** Deletes up to `limit` jobs that succeeded or died before these instants; returns how many. */
    readonly prune: (before: {
      readonly succeeded: number
      readonly dead: number
      readonly limit: number
    }) => Effect.Effect<number, StorageError>
    /** Counts of all organizations' jobs by kind, for metrics; kinds without jobs are left out. */
    readonly counts: (now: number) => Effect.Effect<ReadonlyArray<JobCounts>, StorageError>
  }
>() {}
