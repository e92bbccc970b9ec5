/** Scores in words, for people: `passed`, `failed`, or the value. */
import type { EvaluationStatus } from "./Evaluation.js"
import type { EvaluationValue } from "./FormulaResult.js"
import { predefinedEntry } from "./PredefinedMetrics.js"

/** A score as far as words need it. */
export interface NamedScore {
  readonly slug: string | null
  readonly status: EvaluationStatus
  readonly value: EvaluationValue
}

/**
 * What a score says: of a binary metric `passed` or `failed`, or `yes` or `no` where neither answer is better, as of voicemail
 * detection; of others the value; without a value its status, such as `not applicable`.
 */
export const scoreInWords = ({ slug, status, value }: NamedScore): string => {
  if (value === null) return status.replaceAll("_", " ")
  if (typeof value !== "boolean") return String(value)
  const predefined = slug === null ? undefined : predefinedEntry(slug)
  const better = predefined === undefined ? "higher" : predefined.better
  if (better === null) return value ? "yes" : "no"
  return value === (better === "higher") ? "passed" : "failed"
}
