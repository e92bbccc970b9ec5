import type { CallId, MetricId } from "../kernel/Ids.js"

import type { EvaluationValue } from "./Measured.js"

export type { EvaluationValue } from "./Measured.js"

/** What a metric said of a call. A call has at most one evaluation a metric. */
export interface Evaluation {
  readonly callId: CallId
  readonly metricId: MetricId
  readonly value: EvaluationValue
}
