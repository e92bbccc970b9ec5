/**
 * The success criteria of a run, and the messages about them. Source: docs/runs.md.
 *
 * The criteria of a run are the assertions of its scenario, the metrics that decide success (`configuration.decides_success`;
 * of the predefined ones that is `expected_outcome`) among those that scored it, and the success that the worker reported,
 * if it did. A run is a success if at least one criterion passed and none failed, not a success if one failed, and otherwise
 * its success is unknown.
 */
import type { StoredEvaluation } from "../metrics/Evaluation.js"
import type { Criterion } from "./RunDetail.js"

/** A score, and whether its metric decides the run's success. */
export interface DecidingScore extends Pick<StoredEvaluation, "metricId" | "metricName" | "slug" | "value" | "status"> {
  readonly decidesSuccess: boolean
  readonly why: string | null
}

/** The criteria of a run; `reported` is the success that its worker reported, `assertions` those of its scenario, checked. */
export const criteriaOf = (
  scores: ReadonlyArray<DecidingScore>,
  reported: boolean | null,
  assertions: ReadonlyArray<Criterion> = []
): ReadonlyArray<Criterion> => [
  ...assertions,
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
          reason: reported ? null : "The worker reported that the run failed."
        }
      ])
]

/** Whether a run was a success by its criteria; null where that is unknown. */
export const successByCriteria = (criteria: ReadonlyArray<Criterion>): boolean | null =>
  criteria.some(({ passed }) => passed === false) ? false : criteria.some(({ passed }) => passed === true) ? true : null

/** Why the success of a run is unknown, in one sentence. */
export const undecidedReason = (criteria: ReadonlyArray<Criterion>): string =>
  criteria.length === 0
    ? "The success of the run is unknown: it has no assertions, no expected outcome and no metric that decides success."
    : summarize("Not decided", criteria)

/** Why a run was not a success, in one sentence; null where it was, or where that is unknown. */
export const failureReason = (criteria: ReadonlyArray<Criterion>): string | null => {
  const failed = criteria.filter(({ passed }) => passed === false)
  return failed.length === 0 ? null : summarize("Not met", failed)
}

const summarize = (what: string, criteria: ReadonlyArray<Criterion>): string =>
  `${what}: ${criteria.map(({ name, reason }) => (reason === null ? name : `${name} (${reason.slice(0, 500)})`)).join("; ")}`.slice(
    0,
    5000
  )
