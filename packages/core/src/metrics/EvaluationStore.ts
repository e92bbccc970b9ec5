import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type { Permit } from "../access/Permit.js"
import type { CallId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Evaluation, StoredEvaluation } from "./Evaluation.js"

/** What storage promises about evaluations. */
export class EvaluationStore extends Context.Tag("@earshot/core/metrics/EvaluationStore")<
  EvaluationStore,
  {
    /**
     * Keeps evaluations, in as few statements as they fit in: a call and a metric that were there already get the new
     * value, and of two for the same pair in one list the later counts. Pairs whose call or metric is not there, deleted
     * or another organisation's, are passed over; what was kept is answered.
     */
    readonly record: (
      permit: Permit<"calls:write">,
      evaluations: ReadonlyArray<Evaluation>,
      now: DateTime.Utc
    ) => Effect.Effect<ReadonlyArray<Evaluation>, StorageError>
    /** Everything that was said of a call by metrics that are there, by display order and id. */
    readonly ofCall: (permit: Permit, call: CallId) => Effect.Effect<ReadonlyArray<StoredEvaluation>, StorageError>
  }
>() {}
