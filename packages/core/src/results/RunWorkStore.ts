import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { OrganizationId, ResultId, RunId } from "../kernel/Ids.js"
import type { StorageFault } from "../kernel/Storage.js"
import type { Evaluated } from "../metrics/Scorer.js"
import type { StoredEvaluation } from "../metrics/Evaluation.js"
import type { Criterion, PlayableRun, RunMoment, RunOutcome } from "./RunDetail.js"
import type { RunStatus } from "./RunLifecycle.js"

/** A run that nobody will take further: the job that was to is dead. */
export interface StrandedRun {
  readonly id: RunId
  readonly status: "queued" | "evaluating"
  /** Why the job's last attempt came to nothing. */
  readonly reason: string | null
}

/**
 * What storage promises about what runs play and what they came to. A permit's organisation and reach bound every answer,
 * and what is deleted is not there. Whatever changes a run is called with its organisation's capacity held (`ResultStore`).
 */
export class RunWorkStore extends Context.Tag("@earshot/core/results/RunWorkStore")<
  RunWorkStore,
  {
    /** A result's runs, oldest first. */
    readonly runsOf: (permit: Permit, result: ResultId) => Effect.Effect<ReadonlyArray<RunId>, StorageFault>
    /** A run with what it plays and what was said in it so far. */
    readonly find: (permit: Permit, run: RunId) => Effect.Effect<Option.Option<PlayableRun>, StorageFault>
    /** The organisations that have runs whose job is dead, whoever asks. It costs what there are of dead jobs. */
    readonly organizationsWithStranded: Effect.Effect<ReadonlyArray<OrganizationId>, StorageFault>
    /** Queued runs whose job to play them is dead, and evaluating ones whose job to score them is. */
    readonly stranded: (permit: Permit) => Effect.Effect<ReadonlyArray<StrandedRun>, StorageFault>
    readonly outcome: (permit: Permit, run: RunId) => Effect.Effect<RunOutcome, StorageFault>
    /** How the conversation ended; what was noted before is replaced. */
    readonly note: (
      permit: Permit<"results:write">,
      run: RunId,
      ended: { readonly reason: string | null; readonly moments: ReadonlyArray<RunMoment> }
    ) => Effect.Effect<void, StorageFault>
    /** Keeps what metrics said: one that said something before gets the new value. */
    readonly record: (
      permit: Permit<"results:write">,
      run: RunId,
      evaluated: ReadonlyArray<Evaluated>,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageFault>
    /** Everything that was said of a run by metrics that are there, by display order and id. */
    readonly scores: (permit: Permit, run: RunId) => Effect.Effect<ReadonlyArray<StoredEvaluation>, StorageFault>
    /** Ends a run that was evaluated. It holds nothing any more, so no capacity changes. */
    readonly conclude: (
      permit: Permit<"results:write">,
      run: RunId,
      end: {
        readonly to: RunStatus
        readonly success: boolean | null
        readonly error: string | null
        readonly criteria: ReadonlyArray<Criterion>
      },
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageFault>
  }
>() {}
