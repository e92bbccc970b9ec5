/** The background job that evaluates a call. */
import * as Schema from "effect/Schema"
import type { NewJob } from "../jobs/Job.js"
import { CallId, MetricId, type OrganizationId } from "../kernel/Ids.js"

export const EVALUATION_JOB = "evaluate_call"

/**
 * The same job once only metrics are left that need a language model or a sandbox. It is another kind, so that these take
 * no place of the formulas.
 */
export const EXTERNAL_EVALUATION_JOB = "evaluate_call_external"

/** Attempts per evaluation job; with the backoff between them they outlast an outage of an hour. */
const EVALUATION_ATTEMPTS = 8

export const EvaluationPayload = Schema.Struct({
  call: CallId,
  /** The metrics to evaluate; null means all that the agent has enabled for production calls. */
  metrics: Schema.NullOr(Schema.Array(MetricId)),
  /** Also evaluate metrics that have results for this call, because the transcript or its redaction changed. */
  again: Schema.optionalWith(Schema.Boolean, { default: () => false })
})
export type EvaluationPayload = typeof EvaluationPayload.Type

/** The evaluation jobs of one call share an ordering key, so that an older one cannot overwrite a newer result. */
export const evaluationJob = (
  organizationId: OrganizationId,
  call: CallId,
  metrics: ReadonlyArray<MetricId> | null,
  again = false
): NewJob => ({
  organizationId,
  kind: EVALUATION_JOB,
  payload: again ? { call, metrics, again } : { call, metrics },
  orderingKey: String(call),
  maxAttempts: EVALUATION_ATTEMPTS
})
