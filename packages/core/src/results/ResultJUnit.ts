/** A result as a JUnit report: one test case per run, grouped by scenario. */
import { type JUnitCase, printJUnit } from "../kernel/JUnit.js"
import type { EvaluationJson } from "../metrics/Evaluation.js"
import { directionInWords, scoreInWords } from "../metrics/ScoreWords.js"
import type { Result } from "./Result.js"
import { undecidedReason } from "./SuccessCriteria.js"
import type { RunDetail } from "./RunDetail.js"

/** `Silence detection: passed`, with the reason if there is one. */
export const lineOfScore = (score: EvaluationJson): string => {
  const why = score.reason ?? score.explanation
  const direction = typeof score.value === "number" ? directionInWords(score.better) : ""
  return `${score.metric_name}: ${scoreInWords(score)}${direction === "" ? "" : `, ${direction}`}${why === null || why === "" ? "" : ` (${why})`}`
}

/** The success criteria and the metrics of a run, one per line. */
const detailsOf = ({ criteria, metrics }: RunDetail): string =>
  [
    ...criteria.map(
      ({ name, passed, reason }) =>
        `${passed === null ? "undecided" : passed ? "passed" : "missed"}: ${name}${reason === null ? "" : `: ${reason}`}`
    ),
    ...metrics.map(lineOfScore)
  ].join("\n")

/**
 * The outcome of a run. An unsuccessful run is a failure; one that could not be executed, timed out, or has an unknown
 * success is an error; one that was canceled or has not ended is skipped.
 */
const outcomeOf = (run: RunDetail, allowUnjudged: boolean): JUnitCase["outcome"] => {
  switch (run.status) {
    case "completed":
      // A run with an unknown success has shown nothing, and must not look like a pass.
      return run.success === null
        ? { is: allowUnjudged ? "skipped" : "error", message: undecidedReason(run.criteria), details: detailsOf(run) }
        : run.success
          ? null
          : { is: "failure", message: run.error ?? "The run was not a success.", details: detailsOf(run) }
    case "failed":
      return { is: "error", message: run.error ?? "The run failed.", details: detailsOf(run) }
    case "timeout":
      return { is: "error", message: run.error ?? "The run timed out.", details: detailsOf(run) }
    case "cancelled":
      return { is: "skipped", message: "The run was canceled.", details: "" }
    default:
      return { is: "skipped", message: `The run has not ended; its status is ${run.status}.`, details: "" }
  }
}

/** The test case of a run, named by its scenario and its id. With `allowUnjudged`, one with an unknown success is skipped. */
export const caseOfRun = (run: RunDetail, allowUnjudged = false): JUnitCase => ({
  name: `${run.scenarioName} (run ${run.id})`,
  group: run.scenarioKey,
  seconds: run.duration,
  outcome: outcomeOf(run, allowUnjudged)
})

/** The report of a result; `cases` are made by `caseOfRun`. */
export const printResultJUnit = (result: Pick<Result, "name">, cases: ReadonlyArray<JUnitCase>): string =>
  printJUnit(result.name, cases)
