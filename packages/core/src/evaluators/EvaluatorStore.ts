import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { AgentId, EvaluatorId, ProjectId } from "../kernel/Ids.js"
import type { Found, PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { BulkPlan, BulkTarget } from "./BulkUpdateRules.js"
import type { Evaluator, EvaluatorSpec } from "./Evaluator.js"

/** The filter of a list of evaluators; null matches any. */
export interface EvaluatorFilter {
  readonly projectId: ProjectId | null
  readonly agentId: AgentId | null
  /** Evaluators directly in this folder; "" for the root. */
  readonly folderPath: string | null
  readonly tag: string | null
  /** Case-insensitive text in the name or the instructions. */
  readonly text: string | null
}

/**
 * Storage of evaluators. Every operation is limited to the permit's organization and ignores deleted evaluators and those of
 * deleted agents and projects. References to deleted entities are not returned.
 */
export class EvaluatorStore extends Context.Tag("@earshot/core/evaluators/EvaluatorStore")<
  EvaluatorStore,
  {
    readonly insert: (
      permit: Permit<"evaluators:write">,
      spec: EvaluatorSpec,
      now: DateTime.Utc
    ) => Effect.Effect<Evaluator, StorageError>
    readonly find: (permit: Permit, id: EvaluatorId) => Effect.Effect<Option.Option<Evaluator>, StorageError>
    /** As `find`, with a row lock until the transaction ends. */
    readonly findForUpdate: (permit: Permit, id: EvaluatorId) => Effect.Effect<Option.Option<Evaluator>, StorageError>
    /** Those that exist in the permit's scope, in the order of the ids. */
    readonly findAll: (
      permit: Permit,
      ids: ReadonlyArray<EvaluatorId>
    ) => Effect.Effect<ReadonlyArray<Evaluator>, StorageError>
    /** Newest first, in the permit's scope; up to one more than the page's limit. */
    readonly list: (
      permit: Permit<"evaluators:read">,
      filter: EvaluatorFilter,
      page: PageRequest
    ) => Effect.Effect<Found<Evaluator>, StorageError>
    /** Saves all fields that clients set; other values of a legacy row are kept. */
    readonly save: (
      permit: Permit<"evaluators:write">,
      id: EvaluatorId,
      spec: EvaluatorSpec,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
    /** Soft-deletes an evaluator. */
    readonly remove: (
      permit: Permit<"evaluators:delete">,
      id: EvaluatorId,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
    /**
     * The targets of a bulk update that exist in the permit's scope, by id, with row locks until the transaction ends.
     */
    readonly findTargetsForUpdate: (
      permit: Permit,
      ids: ReadonlyArray<EvaluatorId>
    ) => Effect.Effect<ReadonlyArray<BulkTarget>, StorageError>
    /** The number of characters in these evaluators' texts and their test profiles. */
    readonly sizeOf: (permit: Permit, ids: ReadonlyArray<EvaluatorId>) => Effect.Effect<number, StorageError>
    /**
     * Applies a plan to its evaluators, in a number of statements that does not grow with theirs; the evaluators' own rows
     * are updated last. Called in the transaction of `findTargetsForUpdate`.
     */
    readonly apply: (
      permit: Permit<"evaluators:write">,
      plan: BulkPlan,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
  }
>() {}
