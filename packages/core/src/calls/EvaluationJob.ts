/** The job that evaluates a call. */
import * as Schema from "effect/Schema"
import type { NewJob } from "../jobs/Job.js"
import { CallId, MetricId, type OrganizationId } from "../kernel/Ids.js"

export const EVALUATION_JOB = "evaluate_call"

/** Attempts at a call's evaluation; a language model that is out for an hour is waited for. */
export const EVALUATION_ATTEMPTS = 8

/** What the job needs to know. */
export const EvaluationPayload = Schema.Struct({
  call: CallId,
  /** The metrics to evaluate; null is all that the agent has enabled for production calls. */
  metrics: Schema.NullOr(Schema.Array(MetricId)),
  /** Whether metrics that spoke of the call before are asked again too: what they spoke of has changed. */
  again: Schema.optionalWith(Schema.Boolean, { default: () => false })
})
export type EvaluationPayload = typeof EvaluationPayload.Type

/** A call's evaluations run one after the other, or an older one could have the last word. */
export const evaluationJob = (
  organizationId: OrganizationId,
  call: CallId,
  metrics: ReadonlyArray<MetricId> | null,
  again = false
): NewJob => ({
  organizationId,
  kind: EVALUATION_JOB,
  payload: again ? { call, metrics, again } : { call, metrics },
  lane: String(call),
  maxAttempts: EVALUATION_ATTEMPTS
})
