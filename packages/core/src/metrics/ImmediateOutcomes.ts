/** The outcomes that need neither a language model nor a sandbox. */
import * as Effect from "effect/Effect"
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
  const { moments, reason, sample, statistics, value } = measure(name, context, metric.configuration)
  const why = value === null ? (reason ?? "The formula has no value.") : null
  // Without spreads, which take several times as long: there are some thirty metrics of a call.
  const detail =
    statistics === undefined
      ? { reason: why, explanation: null, moments }
      : { reason: why, explanation: null, moments, statistics }
  if (value === null) return { status: "not_applicable", value, detail }
  return sample === undefined ? { status: "scored", value, detail } : { status: "scored", value, detail, sample }
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

/** Characters of a transcript from which on other fibers run between two formulas, each of which takes milliseconds. */
const LONG_TRANSCRIPT = 100_000

const isLong = ({ transcript: { turns } }: EvaluatedSubject): boolean =>
  turns.reduce((length, { content }) => length + content.length, 0) >= LONG_TRANSCRIPT

/** Outcomes of formulas without a trigger prompt, of judges where there is no model, and of code that depends on itself. */
export const immediateOutcomes = (
  subject: EvaluatedSubject,
  context: FormulaContext,
  order: EvaluationOrder,
  hasModel: boolean
): Effect.Effect<ReadonlyArray<Evaluated>> => {
  const formulas = order.formulas.filter((metric) => metric.evaluationTrigger !== "custom")
  const evaluated = (metric: Metric): Evaluated => ({ metric, outcome: formulaOutcome(context, metric) })
  const skipped = hasModel ? [] : order.judged
  return Effect.map(
    isLong(subject)
      ? Effect.forEach(formulas, (metric) =>
          Effect.zipRight(
            Effect.yieldNow(),
            Effect.sync(() => evaluated(metric))
          )
        )
      : Effect.sync(() => formulas.map(evaluated)),
    (outcomesOfFormulas) => [
      ...outcomesOfFormulas,
      ...skipped.map((metric) => ({ metric, outcome: outcomes.withoutValue("skipped", NO_MODEL) })),
      ...order.circular.map((metric) => ({
        metric,
        outcome: outcomes.withoutValue("failed", "The metric depends on itself: see configuration.depends_on.")
      }))
    ]
  )
}
