import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { AgentId, EvaluatorId, ProjectId } from "../kernel/Ids.js"
import type { PageRequest } from "../kernel/Pages.js"
import type { StorageFault } from "../kernel/Storage.js"
import type { BulkPlan, BulkTarget } from "./BulkUpdateRules.js"
import type { Evaluator, EvaluatorSpec } from "./Evaluator.js"

/** Which evaluators a list asks for; null stands for any. */
export interface EvaluatorQuestion {
  readonly projectId: ProjectId | null
  readonly agentId: AgentId | null
  /** Those in this folder itself; "" for those in none. */
  readonly folderPath: string | null
  readonly tag: string | null
  /** Those with this text in their name or instructions, in any case. */
  readonly text: string | null
}

/**
 * What storage promises about evaluators. A permit's organisation bounds every answer; deleted ones, and those of deleted
 * agents and projects, are not there. What an evaluator refers to and is there no more, it does not have.
 */
export class EvaluatorStore extends Context.Tag("@earshot/core/evaluators/EvaluatorStore")<
  EvaluatorStore,
  {
    readonly insert: (
      permit: Permit<"evaluators:write">,
      spec: EvaluatorSpec,
      now: DateTime.Utc
    ) => Effect.Effect<Evaluator, StorageFault>
    readonly find: (permit: Permit, id: EvaluatorId) => Effect.Effect<Option.Option<Evaluator>, StorageFault>
    /** As `find`, and nobody changes or deletes it until the transaction ends. */
    readonly hold: (permit: Permit, id: EvaluatorId) => Effect.Effect<Option.Option<Evaluator>, StorageFault>
    /** All of these that are there, within the permit's reach, in the order of the ids given. */
    readonly findAll: (
      permit: Permit,
      ids: ReadonlyArray<EvaluatorId>
    ) => Effect.Effect<ReadonlyArray<Evaluator>, StorageFault>
    /** Newest first, within the permit's reach; up to one more than the page holds. */
    readonly list: (
      permit: Permit<"evaluators:read">,
      question: EvaluatorQuestion,
      page: PageRequest
    ) => Effect.Effect<ReadonlyArray<Evaluator>, StorageFault>
    /** Saves what callers set of an evaluator as a whole; what a legacy row holds beside it stays. */
    readonly save: (
      permit: Permit<"evaluators:write">,
      id: EvaluatorId,
      spec: EvaluatorSpec,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageFault>
    readonly remove: (
      permit: Permit<"evaluators:delete">,
      id: EvaluatorId,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageFault>
    /**
     * What has to be known of these evaluators to change them together: those that are there within the permit's reach,
     * by id. Nobody changes or deletes any of them until the transaction ends.
     */
    readonly holdAll: (
      permit: Permit,
      ids: ReadonlyArray<EvaluatorId>
    ) => Effect.Effect<ReadonlyArray<BulkTarget>, StorageFault>
    /** How many characters the texts of these evaluators have, with the information of each one's test profile. */
    readonly sizeOf: (permit: Permit, ids: ReadonlyArray<EvaluatorId>) => Effect.Effect<number, StorageFault>
    /**
     * Does to each of the plan's evaluators what it says, in a number of statements that does not grow with theirs. The
     * evaluators' own rows come last. To be called with what `holdAll` found, in the same transaction.
     */
    readonly apply: (
      permit: Permit<"evaluators:write">,
      plan: BulkPlan,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageFault>
  }
>() {}
