/** The outcomes that need neither a language model nor a sandbox. */
import type { EvaluatedSubject } from "./EvaluatedSubject.js"
import { type Evaluated, type Outcome, outcomes } from "./Evaluation.js"
import { type EvaluationOrder, formulaOf } from "./EvaluationOrder.js"
import { type FormulaContext, formulaContext } from "./FormulaContext.js"
import { measure } from "./Formulas.js"
import type { Metric } from "./Metric.js"

export const NO_MODEL = "No language model is configured."

/** The outcome of a metric that is a formula. */
export const formulaOutcome = (context: FormulaContext, metric: Metric): Outcome => {
  const name = formulaOf(metric)
  if (name === undefined) return outcomes.withoutValue("failed", "No such formula.")
  const { moments, reason, statistics, value } = measure(name, context, metric.configuration)
  const detail = { moments, ...(statistics === undefined ? {} : { statistics }) }
  return value === null
    ? outcomes.withoutValue("not_applicable", reason ?? "The formula has no value.", detail)
    : outcomes.scored(value, detail)
}

export const contextOf = (subject: EvaluatedSubject): FormulaContext =>
  formulaContext({
    turns: subject.transcript.turns,
    toolCalls: subject.transcript.toolCalls,
    durationSeconds: subject.durationSeconds
  })

/** The formulas whose trigger is a question to a language model. */
export const triggeredFormulas = ({ formulas }: EvaluationOrder): ReadonlyArray<Metric> =>
  formulas.filter((metric) => metric.evaluationTrigger === "custom")

/** Outcomes of formulas without a trigger prompt, of judges where there is no model, and of code that depends on itself. */
export const immediateOutcomes = (
  context: FormulaContext,
  order: EvaluationOrder,
  hasModel: boolean
): ReadonlyArray<Evaluated> => [
  ...order.formulas
    .filter((metric) => metric.evaluationTrigger !== "custom")
    .map((metric) => ({ metric, outcome: formulaOutcome(context, metric) })),
  ...(hasModel ? [] : order.judged.map((metric) => ({ metric, outcome: outcomes.withoutValue("skipped", NO_MODEL) }))),
  ...order.circular.map((metric) => ({
    metric,
    outcome: outcomes.withoutValue("failed", "The metric depends on itself: see configuration.depends_on.")
  }))
]
