/** Scores in words, for people: `passed`, `failed`, or the value. */
import type { EvaluationStatus } from "./Evaluation.js"
import type { EvaluationValue } from "./FormulaResult.js"
import type { Direction } from "./MetricTerms.js"

/** A score as far as words need it. */
export interface DirectedScore {
  readonly better: Direction | null
  readonly status: EvaluationStatus
  readonly value: EvaluationValue
}

/**
 * What a score says: of a binary metric `passed` or `failed`, or `yes` or `no` where neither answer is better, as of voicemail
 * detection; of others the value; without a value its status, such as `not applicable`.
 */
export const scoreInWords = ({ better, status, value }: DirectedScore): string => {
  if (value === null) return status.replaceAll("_", " ")
  if (typeof value !== "boolean") return String(value)
  if (better === null) return value ? "yes" : "no"
  return value === (better === "higher") ? "passed" : "failed"
}

/** `lower is better`; blank where neither direction is. */
export const directionInWords = (better: Direction | null): string => (better === null ? "" : `${better} is better`)
