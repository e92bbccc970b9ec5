import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { Channel } from "../catalog/Agent.js"
import type { AgentId, OrganizationId, ProjectId, ResultId, RunId } from "../kernel/Ids.js"
import type { PageRequest } from "../kernel/Pages.js"
import type { StorageFault } from "../kernel/Storage.js"
import type { RedactedTranscript } from "../transcripts/Transcript.js"
import type { ResultScores } from "./Compare.js"
import type { DeletionPlan, DeletionSnapshot } from "./Deletion.js"
import type { Capacity, ClaimedRun, NewResult, Result, Run } from "./Result.js"
import type { RunDetail } from "./RunDetail.js"
import type { RunStatus } from "./RunLifecycle.js"

/** A run as far as its life goes. */
export interface HeldRun {
  readonly id: RunId
  readonly resultId: ResultId
  readonly status: RunStatus
  readonly attempts: number
  readonly lease: string | null
  /** Epoch milliseconds; null where nobody has claimed it. */
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
 * What storage promises about results, their runs and the capacity that they take. A permit's organisation bounds every
 * answer; what is deleted is not there. Everything that changes a run is called with the organisation's capacity held
 * (`holdCapacity`), in the same transaction: so the changes of one organisation come one after the other, in whatever
 * process, and none can wait for another in a circle.
 */
export class ResultStore extends Context.Tag("@earshot/core/results/ResultStore")<
  ResultStore,
  {
    readonly holdCapacity: (permit: Permit) => Effect.Effect<void, StorageFault>
    readonly capacity: (permit: Permit<"results:read">) => Effect.Effect<Capacity, StorageFault>
    /** Keeps a result with its scenarios and its runs, all queued, and counts them. */
    readonly insert: (
      permit: Permit<"results:write">,
      result: NewResult,
      now: DateTime.Utc
    ) => Effect.Effect<ResultId, StorageFault>
    /** Within the permit's reach, as all that follow. */
    readonly find: (permit: Permit, id: ResultId) => Effect.Effect<Option.Option<Result>, StorageFault>
    readonly list: (
      permit: Permit<"results:read">,
      of: { readonly projectId: ProjectId | null; readonly agentId: AgentId | null },
      page: PageRequest
    ) => Effect.Effect<ReadonlyArray<Result>, StorageFault>
    readonly findRun: (permit: Permit, id: RunId) => Effect.Effect<Option.Option<Run>, StorageFault>
    readonly listRuns: (
      permit: Permit<"results:read">,
      of: { readonly resultId: ResultId | null; readonly status: RunStatus | null },
      page: PageRequest
    ) => Effect.Effect<ReadonlyArray<Run>, StorageFault>
    /** A result by its scenarios, as it is compared. */
    readonly scores: (
      permit: Permit<"results:read">,
      id: ResultId
    ) => Effect.Effect<Option.Option<ResultScores>, StorageFault>
    /** The runs of a result after one of them (`null`: from the first), oldest first, with all that is known of them. */
    readonly details: (
      permit: Permit<"results:read">,
      result: ResultId,
      after: RunId | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<RunDetail>, StorageFault>
    /** Which of these runs are, or were, of the result: deleted ones included. */
    readonly runsOf: (
      permit: Permit,
      result: ResultId,
      ids: ReadonlyArray<RunId>
    ) => Effect.Effect<ReadonlySet<RunId>, StorageFault>
    /** What deleting these results would meet; those out of reach, or deleted already, are left out. */
    readonly doomedResults: (
      permit: Permit<"results:delete">,
      ids: ReadonlyArray<ResultId>
    ) => Effect.Effect<DeletionSnapshot, StorageFault>
    /** What deleting these runs of a result would meet; those deleted already are left out. */
    readonly doomedRuns: (
      permit: Permit<"results:delete">,
      result: ResultId,
      ids: ReadonlyArray<RunId>
    ) => Effect.Effect<DeletionSnapshot, StorageFault>
    /** Does what a plan says, in a number of statements that does not grow with it. */
    readonly apply: (
      permit: Permit<"results:delete">,
      plan: DeletionPlan,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageFault>
    /** The organisations that have running runs whose lease ran out, whoever asks. */
    readonly organizationsWithLost: (now: DateTime.Utc) => Effect.Effect<ReadonlyArray<OrganizationId>, StorageFault>
    /** Running runs whose lease ran out. */
    readonly lost: (permit: Permit, now: DateTime.Utc) => Effect.Effect<ReadonlyArray<HeldRun>, StorageFault>
    /**
     * Queued runs that may start, oldest first, within their results' concurrency limits. It costs what it answers, and a
     * step for each waiting result that may start none; not what the organisation has queued.
     */
    readonly startable: (
      permit: Permit<"results:write">,
      channel: Channel,
      limit: number
    ) => Effect.Effect<ReadonlyArray<RunId>, StorageFault>
    /** The runs of a result that are not over. */
    readonly openRuns: (permit: Permit, result: ResultId) => Effect.Effect<ReadonlyArray<HeldRun>, StorageFault>
    readonly holdRun: (permit: Permit, id: RunId) => Effect.Effect<Option.Option<HeldRun>, StorageFault>
    /** Makes queued runs running ones, under a lease. */
    readonly start: (
      permit: Permit<"results:write">,
      runs: ReadonlyArray<RunId>,
      lease: { readonly token: string; readonly until: number },
      now: DateTime.Utc
    ) => Effect.Effect<ReadonlyArray<ClaimedRun>, StorageFault>
    readonly prolong: (permit: Permit<"results:write">, run: RunId, until: number) => Effect.Effect<void, StorageFault>
    /** Puts running runs back into the queue. */
    readonly requeue: (
      permit: Permit<"results:write">,
      runs: ReadonlyArray<RunId>,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageFault>
    /** Moves runs that are all of one status on to the end that they come to. */
    readonly end: (
      permit: Permit<"results:write">,
      runs: ReadonlyArray<RunId>,
      from: RunStatus,
      end: RunEnd,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageFault>
  }
>() {}
