/** What this process did with the column store, as metrics of Effect's registry, as those of redaction are. */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { ColumnStoreReason } from "./Projection.js"
import type { RowStoreReason } from "./ProjectionRules.js"

const projected = Metric.counter("earshot_projection_calls", { incremental: true })
const deleted = Metric.counter("earshot_projection_deletes", { incremental: true })
const batches = Metric.counter("earshot_projection_batches", { incremental: true })
const seconds = Metric.counter("earshot_projection_seconds", { incremental: true })
const erasures = Metric.counter("earshot_projection_erasures", { incremental: true })
const failures = Metric.counter("earshot_column_store_failures", { incremental: true })
const answers = Metric.counter("earshot_analytics_answers", { incremental: true })
const lag = Metric.gauge("earshot_projection_lag_seconds")
const pending = Metric.gauge("earshot_projection_pending")

/** How a question was answered. */
export type Answer = "column-store" | RowStoreReason

const ANSWERS: ReadonlyArray<Answer> = ["column-store", "unavailable", "rebuilding", "behind", "waited"]
const REASONS: ReadonlyArray<ColumnStoreReason> = [
  "unreachable",
  "slow",
  "full",
  "version",
  "owner",
  "changed",
  "failed"
]

const answeredBy = (answer: Answer) => Metric.tagged(answers, "answer", answer)
const failedFor = (reason: ColumnStoreReason) => Metric.tagged(failures, "reason", reason)

export const countBatch = (counts: {
  readonly upserts: number
  readonly deletes: number
  readonly millis: number
}): Effect.Effect<void> =>
  Effect.all(
    [
      Metric.incrementBy(projected, counts.upserts),
      Metric.incrementBy(deleted, counts.deletes),
      Metric.increment(batches),
      Metric.incrementBy(seconds, counts.millis / 1000)
    ],
    { discard: true }
  )

export const countErasure: Effect.Effect<void> = Metric.increment(erasures)

export const countFailure = (reason: ColumnStoreReason): Effect.Effect<void> => Metric.increment(failedFor(reason))

export const countAnswer = (answer: Answer): Effect.Effect<void> => Metric.increment(answeredBy(answer))

/** Sets how far the projection lags, as the process that projects sees it. */
export const showLag = (lagSeconds: number, changes: number): Effect.Effect<void> =>
  Effect.zipRight(Metric.set(lag, lagSeconds), Metric.set(pending, changes))

/** Counted since the process began; the lag and the pending changes as they were last seen. */
export interface ProjectionTotals {
  readonly calls: number
  readonly deletes: number
  readonly batches: number
  readonly seconds: number
  readonly erasures: number
  readonly lagSeconds: number
  readonly pending: number
  readonly failures: ReadonlyArray<readonly [reason: ColumnStoreReason, count: number]>
  readonly answers: ReadonlyArray<readonly [answer: Answer, count: number]>
}

export const projectionTotals: Effect.Effect<ProjectionTotals> = Effect.gen(function* () {
  const count = (of: typeof projected) => Effect.map(Metric.value(of), (state) => state.count)
  return {
    calls: yield* count(projected),
    deletes: yield* count(deleted),
    batches: yield* count(batches),
    seconds: yield* count(seconds),
    erasures: yield* count(erasures),
    lagSeconds: (yield* Metric.value(lag)).value,
    pending: (yield* Metric.value(pending)).value,
    failures: yield* Effect.forEach(REASONS, (reason) =>
      Effect.map(count(failedFor(reason)), (times) => [reason, times] as const)
    ),
    answers: yield* Effect.forEach(ANSWERS, (answer) =>
      Effect.map(count(answeredBy(answer)), (times) => [answer, times] as const)
    )
  }
})
