import type { Json } from "../kernel/Json.js"
import { formulaDirection, isFormulaName } from "./Formulas.js"
import { type Direction, type EvalType, isBinary } from "./MetricTerms.js"
import { predefinedEntry } from "./PredefinedMetrics.js"
import { settingsOf } from "./Settings.js"

/**
 * Which values of a metric are better: what its configuration states (`{"better": "higher"}` or `"lower"`); else what the
 * formula or the predefined metric states; else true for binary metrics and higher on a scale. Null for other numbers and
 * for words.
 */
export const directionOf = (metric: {
  readonly slug: string | null
  readonly evalType: EvalType
  readonly functionName: string
  readonly configuration: Json
}): Direction | null => {
  const configured = settingsOf(metric.configuration)?.better
  if (configured === "higher" || configured === "lower") return configured
  const formula = isFormulaName(metric.functionName) ? formulaDirection(metric.functionName) : null
  if (formula !== null) return formula
  const predefined = metric.slug === null ? undefined : predefinedEntry(metric.slug)
  const isSameKind =
    predefined?.type === "llm_judge" &&
    (predefined.evalType === metric.evalType || (isBinary(predefined.evalType) && isBinary(metric.evalType)))
  if (isSameKind) return predefined.better
  return isBinary(metric.evalType) || metric.evalType === "continuous_qualitative" ? "higher" : null
}
