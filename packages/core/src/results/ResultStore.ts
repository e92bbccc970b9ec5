import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { Channel } from "../catalog/Agent.js"
import type { AgentId, OrganizationId, ProjectId, ResultId, RunId } from "../kernel/Ids.js"
import type { Found, PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { RedactedTranscript } from "../transcripts/Transcript.js"
import type { ResultScores } from "./Compare.js"
import type { DeletionPlan, DeletionSnapshot } from "./Deletion.js"
import type { Capacity, ClaimedRun, NewResult, Result, Run } from "./Result.js"
import type { RunDetail } from "./RunDetail.js"
import type { RunStatus } from "./RunLifecycle.js"

/** The state of a run in its lifecycle. */
export interface RunState {
  readonly id: RunId
  readonly resultId: ResultId
  readonly status: RunStatus
  readonly attempts: number
  readonly lease: string | null
  /** Epoch milliseconds; null where the run is not claimed. */
  readonly leaseUntil: number | null
}

/** How a run ends. */
export interface RunEnd {
  readonly to: RunStatus
  readonly success: boolean | null
  readonly durationSeconds: number | null
  readonly error: string | null
  readonly transcript: { readonly type: string; readonly turns: RedactedTranscript } | null
}

/**
 * Storage of results, their runs and the capacity that they use. Every operation is limited to the permit's organization
 * and ignores what is deleted. Everything that changes a run is called in a transaction that has locked the organization's
 * capacity (`lockCapacity`): the changes of one organization are serialized, in whichever process, and cannot deadlock.
 */
export class ResultStore extends Context.Tag("@earshot/core/results/ResultStore")<
  ResultStore,
  {
    /** Locks the capacity of the permit's organization until the transaction ends. */
    readonly lockCapacity: (permit: Permit) => Effect.Effect<void, StorageError>
    readonly capacity: (permit: Permit<"results:read">) => Effect.Effect<Capacity, StorageError>
    /** Inserts a result with its scenarios and its runs, all queued, and counts them. */
    readonly insert: (
      permit: Permit<"results:write">,
      result: NewResult,
      now: DateTime.Utc
    ) => Effect.Effect<ResultId, StorageError>
    /** Limited to the permit's scope, as everything below. */
    readonly find: (permit: Permit, id: ResultId) => Effect.Effect<Option.Option<Result>, StorageError>
    readonly list: (
      permit: Permit<"results:read">,
      of: { readonly projectId: ProjectId | null; readonly agentId: AgentId | null },
      page: PageRequest
    ) => Effect.Effect<Found<Result>, StorageError>
    readonly findRun: (permit: Permit, id: RunId) => Effect.Effect<Option.Option<Run>, StorageError>
    readonly listRuns: (
      permit: Permit<"results:read">,
      of: { readonly resultId: ResultId | null; readonly status: RunStatus | null },
      page: PageRequest
    ) => Effect.Effect<Found<Run>, StorageError>
    /** A result by its scenarios, for comparisons. */
    readonly scores: (
      permit: Permit<"results:read">,
      id: ResultId
    ) => Effect.Effect<Option.Option<ResultScores>, StorageError>
    readonly findDetail: (permit: Permit, id: RunId) => Effect.Effect<Option.Option<RunDetail>, StorageError>
    /** The details of a result's runs. */
    readonly details: (
      permit: Permit<"results:read">,
      result: ResultId,
      page: PageRequest
    ) => Effect.Effect<Found<RunDetail>, StorageError>
    /** Which of these runs belong to the result, including deleted ones. */
    readonly runsOf: (
      permit: Permit,
      result: ResultId,
      ids: ReadonlyArray<RunId>
    ) => Effect.Effect<ReadonlySet<RunId>, StorageError>
    /** The state that deleting these results is planned from; without those out of scope or deleted already. */
    readonly lockResultsForDeletion: (
      permit: Permit<"results:delete">,
      ids: ReadonlyArray<ResultId>
    ) => Effect.Effect<DeletionSnapshot, StorageError>
    /** The state that deleting these runs of a result is planned from; without those deleted already. */
    readonly lockRunsForDeletion: (
      permit: Permit<"results:delete">,
      result: ResultId,
      ids: ReadonlyArray<RunId>
    ) => Effect.Effect<DeletionSnapshot, StorageError>
    /** Applies a plan, in a number of statements that does not grow with it. */
    readonly apply: (
      permit: Permit<"results:delete">,
      plan: DeletionPlan,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
    /** The organizations that have running runs with an expired lease; not limited by a permit. */
    readonly organizationsWithExpiredLeases: (
      now: DateTime.Utc
    ) => Effect.Effect<ReadonlyArray<OrganizationId>, StorageError>
    /** Running runs with an expired lease. */
    readonly runsWithExpiredLease: (
      permit: Permit,
      now: DateTime.Utc
    ) => Effect.Effect<ReadonlyArray<RunState>, StorageError>
    /**
     * Queued runs that may start, oldest first, within their results' concurrency limits. The cost grows with the runs
     * returned and the results at their limit, not with the queued runs of the organization.
     */
    readonly startable: (
      permit: Permit<"results:write">,
      channel: Channel,
      limit: number
    ) => Effect.Effect<ReadonlyArray<RunId>, StorageError>
    /** The open runs of a result. */
    readonly openRuns: (permit: Permit, result: ResultId) => Effect.Effect<ReadonlyArray<RunState>, StorageError>
    readonly findRunForUpdate: (permit: Permit, id: RunId) => Effect.Effect<Option.Option<RunState>, StorageError>
    /** Starts queued runs under a lease. */
    readonly start: (
      permit: Permit<"results:write">,
      runs: ReadonlyArray<RunId>,
      lease: { readonly token: string; readonly until: number },
      now: DateTime.Utc
    ) => Effect.Effect<ReadonlyArray<ClaimedRun>, StorageError>
    readonly extendLease: (
      permit: Permit<"results:write">,
      run: RunId,
      until: number
    ) => Effect.Effect<void, StorageError>
    /** Requeues running runs. */
    readonly requeue: (
      permit: Permit<"results:write">,
      runs: ReadonlyArray<RunId>,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
    /** Ends runs that all have one status. */
    readonly end: (
      permit: Permit<"results:write">,
      runs: ReadonlyArray<RunId>,
      from: RunStatus,
      end: RunEnd,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
  }
>() {}
