import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Permit } from "../access/Permit.js"
import { Ledger } from "../credits/Ledger.js"
import type { CallId, JobId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"
import type { StoredEvaluation } from "./Evaluation.js"
import { EvaluationStore } from "./EvaluationStore.js"
import type { Evaluated } from "./Scorer.js"
import { costOf, isCharged } from "./Price.js"

/** What was said of calls, and what it cost. */
export class Evaluations extends Context.Tag("@earshot/core/metrics/Evaluations")<
  Evaluations,
  {
    /**
     * Keeps outcomes and charges for them, in the caller's transaction: each metric once a call, however often it is
     * evaluated, and nothing for what was skipped, not applicable or failed. What is said by a metric that was deleted
     * meanwhile, or of a call that was, is neither kept nor charged.
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

/** What an evaluation is charged as; the key names call and metric. */
export const CHARGE_REASON = "metric_evaluation"

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
          const kept = yield* store.record(
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
          const there = new Set(kept.map(({ metricId }) => metricId))
          yield* ledger.charge(
            permit,
            evaluated
              .filter(({ metric, outcome }) => there.has(metric.id) && isCharged(outcome.status))
              .map(({ metric }) => ({
                reason: CHARGE_REASON,
                key: `${CHARGE_REASON}:call:${call}:${metric.id}`,
                projectId: metric.projectId,
                agentId: metric.agentId,
                callId: call,
                amount: costOf(metric)
              })),
            now
          )
        })
    })
  })
)
