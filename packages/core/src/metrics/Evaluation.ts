import type { CallId, MetricId } from "../kernel/Ids.js"

/** What a metric can say of a call; null where it was evaluated and came to no value. */
export type EvaluationValue = number | boolean | string | null

/** What a metric said of a call. A call has at most one evaluation a metric. */
export interface Evaluation {
  readonly callId: CallId
  readonly metricId: MetricId
  readonly value: EvaluationValue
}
