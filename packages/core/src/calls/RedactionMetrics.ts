/**
 * What redaction did in this process, as metrics of Effect's registry: a server prints them with its own, and a program that
 * embeds the engine reads them there.
 */
import type { RedactionCount, SensitiveField } from "@earshot/redaction"
import { sensitiveFields } from "@earshot/redaction"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"

const redactions = Metric.counter("earshot_redactions", { incremental: true })
const dropped = Metric.counter("earshot_redaction_recordings_dropped", { incremental: true })
const seconds = Metric.counter("earshot_redaction_seconds", { incremental: true })
const calls = Metric.counter("earshot_redaction_calls", { incremental: true })

const ofField = (field: SensitiveField) => Metric.tagged(redactions, "field", field)

/** Counts one delivery that was redacted. */
export const countRedaction = (
  counts: ReadonlyArray<RedactionCount>,
  dropsRecording: boolean,
  tookMillis: number
): Effect.Effect<void> =>
  Effect.all(
    [
      ...counts.map(({ count, field }) => Metric.incrementBy(ofField(field), count)),
      Metric.increment(calls),
      Metric.incrementBy(seconds, tookMillis / 1000),
      ...(dropsRecording ? [Metric.increment(dropped)] : [])
    ],
    { discard: true }
  )

/** Counted since the process began. */
export interface RedactionTotals {
  readonly redactions: ReadonlyArray<readonly [field: SensitiveField, count: number]>
  readonly recordingsDropped: number
  /** Deliveries that were redacted, and the seconds from reading to redacting them. */
  readonly calls: number
  readonly seconds: number
}

export const redactionTotals: Effect.Effect<RedactionTotals> = Effect.gen(function* () {
  const byField = yield* Effect.forEach(sensitiveFields, (field) =>
    Effect.map(Metric.value(ofField(field)), ({ count }) => [field, count] as const)
  )
  return {
    redactions: byField.filter(([, count]) => count > 0),
    recordingsDropped: (yield* Metric.value(dropped)).count,
    calls: (yield* Metric.value(calls)).count,
    seconds: (yield* Metric.value(seconds)).count
  }
})
