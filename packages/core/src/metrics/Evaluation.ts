import * as Schema from "effect/Schema"
import type { CallId, JobId, MetricId } from "../kernel/Ids.js"
import type { EvaluationValue, Moment } from "./FormulaResult.js"
import type { Metric } from "./Metric.js"
import { Direction } from "./MetricTerms.js"

/**
 * How an evaluation ended: `scored` with a value; `not_applicable` to this call; `skipped` without a language model or
 * because its trigger did not apply; `could_not_judge` if the language model could not tell; `failed` with an error of the
 * metric's code or of what it needs.
 */
export const EvaluationStatus = Schema.Literal("scored", "not_applicable", "skipped", "could_not_judge", "failed")
export type EvaluationStatus = typeof EvaluationStatus.Type

/** How a language model decided: enough to repeat the question, and the turn that decided. */
export interface Judgment {
  readonly model: string
  readonly prompt_hash: string
  readonly seed: number
  /** The position of the deciding turn in the transcript, from 1. */
  readonly turn: number | null
  readonly quote: string | null
}

/** The explanation of a value, or why there is none. */
export interface EvaluationDetail {
  readonly reason: string | null
  readonly explanation: string | null
  readonly moments: ReadonlyArray<Moment>
  readonly statistics?: Readonly<Record<string, number>>
  readonly judgment?: Judgment
  /** The job that evaluated, which does not repeat it. */
  readonly job?: JobId
}

/** The outcome of evaluating a metric. */
export interface Outcome {
  readonly status: EvaluationStatus
  readonly value: EvaluationValue
  readonly detail: EvaluationDetail
  /** As `FormulaResult.sample`. */
  readonly sample?: ReadonlyArray<number>
}

/** A metric and the outcome of its evaluation. */
export interface Evaluated {
  readonly metric: Metric
  readonly outcome: Outcome
}

/** The evaluation of a metric for a call; at most one per metric and call. */
export interface Evaluation {
  readonly callId: CallId
  readonly metricId: MetricId
  readonly value: EvaluationValue
  /** Default: `scored`. */
  readonly status?: EvaluationStatus
  readonly detail?: EvaluationDetail
  /** Of the metric of latencies alone: that of each answer in the call, in whole milliseconds of 32 bits; empty if there are none. */
  readonly answerLatencies?: ReadonlyArray<number>
}

/** An evaluation with its metric. */
export interface StoredEvaluation extends Omit<Outcome, "sample"> {
  readonly metricId: MetricId
  readonly metricName: string
  readonly slug: string | null
  readonly type: string
  /** Which values of the metric are better; null for those of which neither is. */
  readonly better: Direction | null
}

/** An evaluation with its metric, without its explanation. */
export interface EvaluationSummary extends Omit<StoredEvaluation, "better" | "detail"> {
  /** The job that evaluated; null if none is known. */
  readonly job: JobId | null
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
    detail?: Partial<EvaluationDetail>
  ): Outcome => ({
    status,
    value: null,
    detail: detail === undefined ? { reason, explanation: null, moments: [] } : { ...noDetail, ...detail, reason }
  })
}

/** The wire form of an evaluation. */
export const EvaluationJson = Schema.Struct({
  metric: Schema.Int,
  metric_name: Schema.String,
  slug: Schema.NullOr(Schema.String),
  type: Schema.String,
  better: Schema.NullOr(Direction).annotations({
    description: "Which values of the metric are better; null where neither direction is."
  }),
  status: EvaluationStatus,
  value: Schema.NullOr(Schema.Union(Schema.Number, Schema.Boolean, Schema.String)),
  reason: Schema.NullOr(Schema.String),
  explanation: Schema.NullOr(Schema.String),
  moments: Schema.Array(Schema.Struct({ at_second: Schema.Number, duration_ms: Schema.Number })),
  statistics: Schema.NullOr(Schema.Record({ key: Schema.String, value: Schema.Number })),
  judgment: Schema.NullOr(
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
  better: evaluation.better,
  status: evaluation.status,
  value: evaluation.value,
  reason: detail.reason,
  explanation: detail.explanation,
  moments: detail.moments,
  statistics: detail.statistics ?? null,
  judgment: detail.judgment ?? null
})
