/**
 * What makes a run a success, and how that is told. Source: docs/runs.md.
 *
 * The criteria of a run are the metrics that decide success (`configuration.decides_success`; of the predefined ones that is
 * `expected_outcome`) among those it was scored by, and what the worker that executed it reported, if it did. A run is a
 * success if at least one criterion was met and none was missed, no success if one was missed, and neither is known where
 * none came to anything.
 */
import type { StoredEvaluation } from "../metrics/Evaluation.js"
import type { Criterion } from "./RunDetail.js"

/** A score, and whether its metric decides the run's success. */
export interface DecidingScore extends Pick<StoredEvaluation, "metricId" | "metricName" | "slug" | "value" | "status"> {
  readonly decidesSuccess: boolean
  readonly why: string | null
}

/** The criteria of a run; `reported` is what its worker said of it. */
export const criteriaOf = (
  scores: ReadonlyArray<DecidingScore>,
  reported: boolean | null
): ReadonlyArray<Criterion> => [
  ...scores
    .filter((score) => score.decidesSuccess)
    .map(({ metricId, metricName, slug, status, value, why }): Criterion => ({
      criterion: `metric:${slug ?? metricId}`,
      name: metricName,
      passed: status === "scored" && typeof value === "boolean" ? value : null,
      reason: why
    })),
  ...(reported === null
    ? []
    : [
        {
          criterion: "reported",
          name: "Reported by the worker",
          passed: reported,
          reason: reported ? null : "The worker that executed the run reported no success."
        }
      ])
]

/** Whether a run was a success by its criteria; null where none came to anything. */
export const successByCriteria = (criteria: ReadonlyArray<Criterion>): boolean | null =>
  criteria.some(({ passed }) => passed === false) ? false : criteria.some(({ passed }) => passed === true) ? true : null

/** Why nobody knows whether a run was a success, in a sentence; it goes by the criteria that came to nothing. */
export const undecidedSentence = (criteria: ReadonlyArray<Criterion>): string =>
  criteria.length === 0
    ? "Nothing decides its success: it has no expected outcome, and no metric that does."
    : sentenceOf("Not judged", criteria)

/** Why a run was no success, in a sentence; null where it was, or nobody knows. */
export const missedSentence = (criteria: ReadonlyArray<Criterion>): string | null => {
  const missed = criteria.filter(({ passed }) => passed === false)
  return missed.length === 0 ? null : sentenceOf("Not met", missed)
}

const sentenceOf = (what: string, criteria: ReadonlyArray<Criterion>): string =>
  `${what}: ${criteria.map(({ name, reason }) => (reason === null ? name : `${name} (${reason.slice(0, 500)})`)).join("; ")}`.slice(
    0,
    5000
  )
