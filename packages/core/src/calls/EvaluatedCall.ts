/** A call as metrics evaluate it. */
import * as DateTime from "effect/DateTime"
import { fillPlaceholders } from "../catalog/PlaceholderRules.js"
import { type EvaluatedSubject, expectedOutcomeOf } from "../metrics/EvaluatedSubject.js"
import type { EvaluationStatus } from "../metrics/Evaluation.js"
import type { JobId, MetricId } from "../kernel/Ids.js"
import type { Metric } from "../metrics/Metric.js"
import type { CallRecord } from "./CallRecord.js"
import type { EvaluationPayload } from "./EvaluationJob.js"

/** @param description the agent's description */
export const subjectOf = (call: CallRecord, description: string): EvaluatedSubject => ({
  name: call.callId,
  transcript: call.transcript ?? { _tag: "RedactedTranscript", turns: [], toolCalls: [] },
  durationSeconds: call.durationSeconds,
  startedAt: DateTime.toEpochMillis(call.timestamp),
  endedReason: call.callEndedReason,
  metadata: call.metadata,
  dynamicVariables: call.dynamicVariables,
  agentDescription: fillPlaceholders(description, call.dynamicVariables),
  expectedOutcome: expectedOutcomeOf(call.metadata)
})

/** A stored evaluation and the job that made it. */
export interface EarlierEvaluation {
  readonly metricId: MetricId
  readonly status: EvaluationStatus
  readonly job: JobId | null
}

/** The metrics that an attempt of a job evaluates. Results of an earlier attempt of the same job are reused. */
export const metricsToEvaluate = (
  all: ReadonlyArray<Metric>,
  stored: ReadonlyArray<EarlierEvaluation>,
  { again, metrics }: EvaluationPayload,
  job: JobId
): ReadonlyArray<Metric> => {
  const done = new Set(stored.filter((one) => one.job === job && one.status !== "failed").map((one) => one.metricId))
  const requested = metrics === null ? undefined : new Set(metrics)
  const evaluatedBefore = new Set(again ? stored.map((one) => one.metricId) : [])
  return all.filter(
    ({ id, observabilityEnabled }) =>
      ((requested === undefined ? observabilityEnabled : requested.has(id)) || evaluatedBefore.has(id)) && !done.has(id)
  )
}
