/** Properties of the price of evaluations. Source: docs/metrics.md, Prices; interface, Metric.cost. */
import { type costOf, Credits, EvaluationStatus, formulaNames, type isCharged, MetricType } from "@earshot/core"
import * as fc from "fast-check"
import { expectEqual, type Property, property } from "../Property.js"

export interface MetricPriceRules {
  readonly costOf: typeof costOf
  readonly isCharged: typeof isCharged
}

const [FREE, CODE, JUDGE] = ["0.000000", "0.005000", "0.050000"]

export const metricPriceProperties = ({ costOf, isCharged }: MetricPriceRules): ReadonlyArray<Property> => [
  property(
    "a formula is free, custom code costs 0.005 and a language model 0.05 credits",
    [
      fc.constantFrom(...MetricType.literals),
      fc.constantFrom("", "mine", "constructor", ...formulaNames),
      fc.constantFrom(undefined, "", "return 1")
    ],
    (type, functionName, customCode) => {
      const isFormula = formulaNames.some((name) => name === functionName) && (customCode ?? "") === ""
      const expected = type !== "custom_code" ? JUDGE : isFormula ? FREE : CODE
      const metric = { type, functionName, ...(customCode === undefined ? {} : { customCode }) }
      expectEqual("the price", Credits.format(costOf(metric)), expected)
    }
  ),
  property(
    "an evaluation is charged if it was scored, or if a language model could not decide",
    [fc.constantFrom(...EvaluationStatus.literals)],
    (status) => {
      expectEqual("charged", isCharged(status), status === "scored" || status === "could_not_judge")
    }
  )
]
