import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type { Permit } from "../access/Permit.js"
import type { CallId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Evaluation, EvaluationSummary, StoredEvaluation } from "./Evaluation.js"

/** Storage of evaluations. */
export class EvaluationStore extends Context.Tag("@earshot/core/metrics/EvaluationStore")<
  EvaluationStore,
  {
    /**
     * Upserts evaluations in as few statements as possible; of two for the same call and metric the later one counts.
     * Skips those whose call or metric does not exist in the organization, and returns those that were stored. The
     * latencies of answers replace those stored, in the same transaction.
     */
    readonly record: (
      permit: Permit<"calls:write">,
      evaluations: ReadonlyArray<Evaluation>,
      now: DateTime.Utc
    ) => Effect.Effect<ReadonlyArray<Evaluation>, StorageError>
    /** The evaluations of these calls by metrics that exist, without their details; each by display order and id. */
    readonly summaries: (
      permit: Permit,
      calls: ReadonlyArray<CallId>
    ) => Effect.Effect<ReadonlyMap<CallId, ReadonlyArray<EvaluationSummary>>, StorageError>
    /** The evaluations of a call by metrics that exist, by display order and id. */
    readonly ofCall: (permit: Permit, call: CallId) => Effect.Effect<ReadonlyArray<StoredEvaluation>, StorageError>
  }
>() {}
