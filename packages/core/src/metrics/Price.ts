/** What an evaluation costs. */
import { type MicroCredits, noCredits, fromMicros } from "../kernel/Credits.js"
import type { EvaluationStatus } from "./Evaluation.js"
import { isFormulaName } from "./Formulas.js"
import type { MetricType } from "./MetricTerms.js"

/** Credits an evaluation, by what has to run for it. */
export const evaluationPrices = {
  /** Arithmetic on a transcript that is there already. */
  formula: noCredits,
  /** A sandbox for a moment. */
  code: fromMicros(5_000n),
  /** A question to a language model. */
  judge: fromMicros(50_000n)
} as const

/** The price of one evaluation of a metric. Source: interface, Metric.cost. */
export const costOf = (metric: {
  readonly type: MetricType
  readonly functionName: string
  readonly customCode?: string
}): MicroCredits =>
  metric.type === "custom_code"
    ? (metric.customCode ?? "") === "" && isFormulaName(metric.functionName)
      ? evaluationPrices.formula
      : evaluationPrices.code
    : evaluationPrices.judge

/** Whether an evaluation is charged: where it came to a value, and where a judge was asked that could not tell. */
export const isCharged = (status: EvaluationStatus): boolean => status === "scored" || status === "could_not_judge"
