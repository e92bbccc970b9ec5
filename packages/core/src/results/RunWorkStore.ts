import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { VoiceBehavior } from "../catalog/VoiceBehavior.js"
import type { Permit } from "../access/Permit.js"
import type { OrganizationId, ResultId, RunId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Evaluated, StoredEvaluation } from "../metrics/Evaluation.js"
import type { Criterion, PlayableRun, RunMoment, RunOutcome, RunRecording } from "./RunDetail.js"
import type { RunStatus } from "./RunLifecycle.js"

/** An open run whose job is dead. */
export interface StrandedRun {
  readonly id: RunId
  readonly status: "queued" | "evaluating"
  /** Why the job's last attempt failed. */
  readonly reason: string | null
}

/**
 * Storage of what runs execute and of their outcome. Every operation is limited to the permit's organization and scope and
 * ignores what is deleted. Whatever changes a run is called with its organization's capacity locked (see `ResultStore`).
 */
export class RunWorkStore extends Context.Tag("@earshot/core/results/RunWorkStore")<
  RunWorkStore,
  {
    /** A result's runs, oldest first. */
    readonly runsOf: (permit: Permit, result: ResultId) => Effect.Effect<ReadonlyArray<RunId>, StorageError>
    /** A run with its script and its transcript so far. */
    readonly find: (permit: Permit, run: RunId) => Effect.Effect<Option.Option<PlayableRun>, StorageError>
    /** The organizations that have stranded runs; not limited by a permit. The cost grows with the dead jobs. */
    readonly organizationsWithStranded: Effect.Effect<ReadonlyArray<OrganizationId>, StorageError>
    /** Queued runs whose job to execute them is dead, and evaluating ones whose job to score them is. */
    readonly stranded: (permit: Permit) => Effect.Effect<ReadonlyArray<StrandedRun>, StorageError>
    readonly outcome: (permit: Permit, run: RunId) => Effect.Effect<RunOutcome, StorageError>
    /** Saves how the conversation ended, replacing what was saved before. */
    readonly saveOutcome: (
      permit: Permit<"results:write">,
      run: RunId,
      ended: {
        readonly reason: string | null
        readonly moments: ReadonlyArray<RunMoment>
        readonly voiceBehavior: VoiceBehavior | null
        readonly recording: RunRecording | null
      }
    ) => Effect.Effect<void, StorageError>
    /** Saves scores; a metric's earlier score is replaced. */
    readonly saveScores: (
      permit: Permit<"results:write">,
      run: RunId,
      evaluated: ReadonlyArray<Evaluated>,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
    /** The scores of a run, without those of deleted metrics, by display order and id. */
    readonly scores: (permit: Permit, run: RunId) => Effect.Effect<ReadonlyArray<StoredEvaluation>, StorageError>
    /** Ends an evaluating run. It holds no capacity, so none changes. */
    readonly complete: (
      permit: Permit<"results:write">,
      run: RunId,
      end: {
        readonly to: RunStatus
        readonly success: boolean | null
        readonly error: string | null
        readonly criteria: ReadonlyArray<Criterion>
      },
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
  }
>() {}
