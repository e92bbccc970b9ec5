/** A result as a JUnit report: a case a run, grouped by scenario. */
import { type JUnitCase, printJUnit } from "../kernel/JUnit.js"
import type { Result } from "./Result.js"
import type { RunReport } from "./RunReport.js"

/**
 * What became of a run. One that was played and was no success failed; one that could not be played, or timed out, is an
 * error of the test's own; one that was cancelled, or is not over, was skipped.
 */
const outcomeOf = ({ metrics, run }: Pick<RunReport, "run" | "metrics">): JUnitCase["outcome"] => {
  const values = metrics.map(({ name, value }) => `${name}: ${value === null ? "no value" : String(value)}`).join("\n")
  switch (run.status) {
    case "completed":
      return run.success === false
        ? { is: "failure", message: run.error ?? "The run was no success.", details: values }
        : null
    case "failed":
      return { is: "error", message: run.error ?? "The run failed.", details: values }
    case "timeout":
      return { is: "error", message: run.error ?? "The run timed out.", details: "" }
    case "cancelled":
      return { is: "skipped", message: "The run was cancelled.", details: "" }
    default:
      return { is: "skipped", message: `The run is not over: it is ${run.status}.`, details: "" }
  }
}

/** The case of a run, named by its scenario and its own id. */
export const caseOfRun = (report: Pick<RunReport, "run" | "metrics">): JUnitCase => ({
  name: `${report.run.scenarioName} (run ${report.run.id})`,
  group: report.run.scenarioKey,
  seconds: report.run.duration,
  outcome: outcomeOf(report)
})

/** The report of a result; `cases` are those of its runs, see `caseOfRun`. */
export const printResultJUnit = (result: Pick<Result, "name">, cases: ReadonlyArray<JUnitCase>): string =>
  printJUnit(result.name, cases)
