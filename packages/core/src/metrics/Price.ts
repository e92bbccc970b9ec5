/** The price of evaluations. */
import type { MicroCredits } from "../kernel/Credits.js"
import type { EvaluationStatus } from "./Evaluation.js"
import { evaluationPrices } from "./EvaluationPrices.js"
import { isFormulaName } from "./Formulas.js"
import type { MetricType } from "./MetricTerms.js"

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

/** Whether an evaluation is charged: if it has a value, or if a language model was asked and could not tell. */
export const isCharged = (status: EvaluationStatus): boolean => status === "scored" || status === "could_not_judge"
