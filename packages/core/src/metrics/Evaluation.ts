import * as Schema from "effect/Schema"
import type { CallId, JobId, MetricId } from "../kernel/Ids.js"
import type { EvaluationValue, Moment } from "./FormulaResult.js"

/**
 * How an evaluation ended: with a value; with none, since the call has not what the metric measures; not begun, for want of
 * a model or of occasion; with a judge that could not tell, which says nothing of the call; or in a fault of the metric's
 * code or of what it needs.
 */
export const EvaluationStatus = Schema.Literal("scored", "not_applicable", "skipped", "could_not_judge", "failed")
export type EvaluationStatus = typeof EvaluationStatus.Type

/** How a judge came to its value: enough to ask the same again, and the turn that decided. */
export interface Judgement {
  readonly model: string
  readonly prompt_hash: string
  readonly seed: number
  /** The deciding turn's place in the transcript, from 1. */
  readonly turn: number | null
  readonly quote: string | null
}

/** What explains a value, or why there is none. */
export interface EvaluationDetail {
  readonly reason: string | null
  readonly explanation: string | null
  readonly moments: ReadonlyArray<Moment>
  readonly statistics?: Readonly<Record<string, number>>
  readonly judgement?: Judgement
  /** The job that evaluated: what it has done it does not do again. */
  readonly job?: JobId
}

/** What evaluating a metric came to. */
export interface Outcome {
  readonly status: EvaluationStatus
  readonly value: EvaluationValue
  readonly detail: EvaluationDetail
}

/** What a metric said of a call. A call has at most one evaluation a metric. */
export interface Evaluation {
  readonly callId: CallId
  readonly metricId: MetricId
  readonly value: EvaluationValue
  /** `scored` where it is left out. */
  readonly status?: EvaluationStatus
  readonly detail?: EvaluationDetail
}

/** An evaluation with the metric it is of. */
export interface StoredEvaluation extends Outcome {
  readonly metricId: MetricId
  readonly metricName: string
  readonly slug: string | null
  readonly type: string
}

const noDetail: EvaluationDetail = { reason: null, explanation: null, moments: [] }

export const outcomes = {
  scored: (value: number | boolean | string, detail: Partial<EvaluationDetail> = {}): Outcome => ({
    status: "scored",
    value,
    detail: { ...noDetail, ...detail }
  }),
  withoutValue: (
    status: Exclude<EvaluationStatus, "scored">,
    reason: string,
    detail: Partial<EvaluationDetail> = {}
  ): Outcome => ({ status, value: null, detail: { ...noDetail, ...detail, reason } })
}

/** Evaluations as they travel, for API descriptions. */
export const EvaluationJson = Schema.Struct({
  metric: Schema.Int,
  metric_name: Schema.String,
  slug: Schema.NullOr(Schema.String),
  type: Schema.String,
  status: EvaluationStatus,
  value: Schema.NullOr(Schema.Union(Schema.Number, Schema.Boolean, Schema.String)),
  reason: Schema.NullOr(Schema.String),
  explanation: Schema.NullOr(Schema.String),
  moments: Schema.Array(Schema.Struct({ at_second: Schema.Number, duration_ms: Schema.Number })),
  statistics: Schema.NullOr(Schema.Record({ key: Schema.String, value: Schema.Number })),
  judgement: Schema.NullOr(
    Schema.Struct({
      model: Schema.String,
      prompt_hash: Schema.String,
      seed: Schema.Number,
      turn: Schema.NullOr(Schema.Int),
      quote: Schema.NullOr(Schema.String)
    })
  )
}).annotations({ identifier: "Evaluation" })

export interface EvaluationJson extends Schema.Schema.Type<typeof EvaluationJson> {}

export const encodeEvaluation = ({ detail, ...evaluation }: StoredEvaluation): EvaluationJson => ({
  metric: evaluation.metricId,
  metric_name: evaluation.metricName,
  slug: evaluation.slug,
  type: evaluation.type,
  status: evaluation.status,
  value: evaluation.value,
  reason: detail.reason,
  explanation: detail.explanation,
  moments: detail.moments,
  statistics: detail.statistics ?? null,
  judgement: detail.judgement ?? null
})
