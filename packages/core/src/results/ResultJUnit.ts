/** A result as a JUnit report: a case a run, grouped by scenario. */
import { type JUnitCase, printJUnit } from "../kernel/JUnit.js"
import type { Result } from "./Result.js"
import { undecidedSentence } from "./Rubric.js"
import type { RunDetail } from "./RunDetail.js"

/** What decided a run's success, and what its metrics said, a line each. */
const detailsOf = ({ criteria, metrics }: RunDetail): string =>
  [
    ...criteria.map(
      ({ name, passed, reason }) =>
        `${passed === null ? "undecided" : passed ? "passed" : "missed"}: ${name}${reason === null ? "" : `: ${reason}`}`
    ),
    ...metrics.map(({ metric_name: name, value }) => `${name}: ${value === null ? "no value" : String(value)}`)
  ].join("\n")

/**
 * What became of a run. One that was played and was no success failed; one that could not be played, or timed out, is an
 * error of the test's own; one that was cancelled, is not over, or could not be judged, was skipped.
 */
const outcomeOf = (run: RunDetail): JUnitCase["outcome"] => {
  switch (run.status) {
    case "completed":
      // One that nobody could judge has shown nothing, and must not look as if it had.
      return run.success === null
        ? { is: "skipped", message: undecidedSentence(run.criteria), details: detailsOf(run) }
        : run.success
          ? null
          : { is: "failure", message: run.error ?? "The run was no success.", details: detailsOf(run) }
    case "failed":
      return { is: "error", message: run.error ?? "The run failed.", details: detailsOf(run) }
    case "timeout":
      return { is: "error", message: run.error ?? "The run timed out.", details: detailsOf(run) }
    case "cancelled":
      return { is: "skipped", message: "The run was cancelled.", details: "" }
    default:
      return { is: "skipped", message: `The run is not over: it is ${run.status}.`, details: "" }
  }
}

/** The case of a run, named by its scenario and its own id. */
export const caseOfRun = (run: RunDetail): JUnitCase => ({
  name: `${run.scenarioName} (run ${run.id})`,
  group: run.scenarioKey,
  seconds: run.duration,
  outcome: outcomeOf(run)
})

/** The report of a result; `cases` are those of its runs, see `caseOfRun`. */
export const printResultJUnit = (result: Pick<Result, "name">, cases: ReadonlyArray<JUnitCase>): string =>
  printJUnit(result.name, cases)
