import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Permit } from "../access/Permit.js"
import { Ledger } from "../credits/Ledger.js"
import type { CallId, JobId, MetricId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Evaluated, Evaluation, EvaluationDetail, StoredEvaluation } from "./Evaluation.js"
import { chargesOf } from "./EvaluationCharges.js"
import { EvaluationStore } from "./EvaluationStore.js"
import { LATENCY_SLUG } from "./PredefinedMetrics.js"
import { wholeMilliseconds } from "./Statistics.js"

/** What a job evaluated of a call. */
export interface EvaluatedCall {
  readonly call: CallId
  readonly job: JobId
  readonly evaluated: ReadonlyArray<Evaluated>
}

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
    /** As `record`, for many calls in as few statements; returns what was stored. */
    readonly recordAll: (
      permit: Permit<"calls:write">,
      calls: ReadonlyArray<EvaluatedCall>
    ) => Effect.Effect<ReadonlyArray<EvaluatedCall>, StorageError>
    /** As `EvaluationStore.summaries`. */
    readonly summaries: Context.Tag.Service<EvaluationStore>["summaries"]
    readonly ofCall: (permit: Permit, call: CallId) => Effect.Effect<ReadonlyArray<StoredEvaluation>, StorageError>
  }
>() {}

/** An explanation with its job; of formulas, of which there are some thirty a call, without a spread. */
const ofJob = (detail: EvaluationDetail, job: JobId): EvaluationDetail => {
  const { explanation, judgment, moments, reason, statistics } = detail
  if (judgment !== undefined) return { ...detail, job }
  return statistics === undefined
    ? { reason, explanation, moments, job }
    : { reason, explanation, moments, statistics, job }
}

export const layer = Layer.effect(
  Evaluations,
  Effect.gen(function* () {
    const store = yield* EvaluationStore
    const ledger = yield* Ledger
    const recordAll = (permit: Permit<"calls:write">, calls: ReadonlyArray<EvaluatedCall>) =>
      Effect.gen(function* () {
        const now = yield* DateTime.now
        const stored = yield* store.record(
          permit,
          calls.flatMap(({ call, evaluated, job }) =>
            evaluated.map(({ metric, outcome }): Evaluation => {
              const { detail, status, value } = outcome
              const evaluation = { callId: call, metricId: metric.id, value, status, detail: ofJob(detail, job) }
              return metric.slug === LATENCY_SLUG
                ? { ...evaluation, answerLatencies: wholeMilliseconds(outcome.sample ?? []) }
                : evaluation
            })
          ),
          now
        )
        const metricsOf = new Map<CallId, Set<MetricId>>()
        for (const { callId, metricId } of stored) {
          const known = metricsOf.get(callId)
          if (known === undefined) metricsOf.set(callId, new Set([metricId]))
          else known.add(metricId)
        }
        const recorded = calls.map((one) => {
          const metrics = metricsOf.get(one.call)
          return { ...one, evaluated: one.evaluated.filter(({ metric }) => metrics?.has(metric.id) === true) }
        })
        yield* ledger.charge(
          permit,
          recorded.flatMap(({ call, evaluated }) => chargesOf({ call }, evaluated)),
          now
        )
        return recorded
      })
    return Evaluations.of({
      ofCall: store.ofCall,
      summaries: store.summaries,
      recordAll,
      record: (permit, call, evaluated, job) => Effect.asVoid(recordAll(permit, [{ call, evaluated, job }]))
    })
  })
)
