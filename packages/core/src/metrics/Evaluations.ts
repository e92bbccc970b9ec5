import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Permit } from "../access/Permit.js"
import { Ledger } from "../credits/Ledger.js"
import type { CallId, JobId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Evaluated, StoredEvaluation } from "./Evaluation.js"
import { chargesOf } from "./EvaluationCharges.js"
import { EvaluationStore } from "./EvaluationStore.js"

/** Stores evaluations and charges for them. */
export class Evaluations extends Context.Tag("@earshot/core/metrics/Evaluations")<
  Evaluations,
  {
    /**
     * Stores outcomes and charges for them in the caller's transaction: once per metric and call, however often it is
     * evaluated, and nothing for what was skipped, not applicable or failed. Outcomes of a metric or a call that was
     * deleted meanwhile are neither stored nor charged.
     */
    readonly record: (
      permit: Permit<"calls:write">,
      call: CallId,
      evaluated: ReadonlyArray<Evaluated>,
      job: JobId
    ) => Effect.Effect<void, StorageError>
    readonly ofCall: (permit: Permit, call: CallId) => Effect.Effect<ReadonlyArray<StoredEvaluation>, StorageError>
  }
>() {}

export const layer = Layer.effect(
  Evaluations,
  Effect.gen(function* () {
    const store = yield* EvaluationStore
    const ledger = yield* Ledger
    return Evaluations.of({
      ofCall: store.ofCall,
      record: (permit, call, evaluated, job) =>
        Effect.gen(function* () {
          const now = yield* DateTime.now
          const stored = yield* store.record(
            permit,
            evaluated.map(({ metric, outcome }) => ({
              callId: call,
              metricId: metric.id,
              value: outcome.value,
              status: outcome.status,
              detail: { ...outcome.detail, job }
            })),
            now
          )
          const storedIds = new Set(stored.map(({ metricId }) => metricId))
          yield* ledger.charge(
            permit,
            chargesOf(
              { call },
              evaluated.filter(({ metric }) => storedIds.has(metric.id))
            ),
            now
          )
        })
    })
  })
)
