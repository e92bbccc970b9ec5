/** Whether a result passes as a step of a pipeline. Pure. Source: docs/runs.md. */
import type { Comparison } from "./Compare.js"
import type { ResultEvaluation } from "./Evaluate.js"

/** What a result has to fulfill. */
export interface Gate {
  /** `regression`: it may fail where its base failed too, but not become worse than its base. */
  readonly failOn: "failure" | "regression"
  /** The least success rate, 0 to 1; null requires every run to succeed. */
  readonly minPassRate: number | null
  /** Whether runs with an unknown success are accepted. */
  readonly allowUnjudged: boolean
}

export interface GatedResult {
  readonly result: Pick<ResultEvaluation, "runsByStatus" | "successRate" | "totalRuns">
  /** The number of completed runs with an unknown success. */
  readonly unjudged: number
  /** The number of its runs that were deleted since it was created. */
  readonly deleted: number
  /** With its base; null where there is no base. */
  readonly comparison:
    | (Pick<Comparison, "change"> & {
        readonly base: { readonly id: number }
        readonly scenarios: ReadonlyArray<Pick<Comparison["scenarios"][number], "change" | "key">>
      })
    | null
}

const runs = (count: number): string => `${count} ${count === 1 ? "run" : "runs"}`

/** The scenarios named in a sentence at most. */
const MAX_NAMED = 10

/** Why a result does not pass, one sentence each; empty where it passes. */
export const gateFailures = (gate: Gate, of: GatedResult): ReadonlyArray<string> => {
  const { cancelled } = of.result.runsByStatus
  return [
    ...(cancelled > 0 ? [`${runs(cancelled)} canceled.`] : []),
    ...(of.deleted > 0 ? [`${runs(of.deleted)} deleted.`] : []),
    ...unjudgedFailures(gate, of),
    ...(gate.failOn === "regression" && of.comparison !== null
      ? regressionFailures(of.comparison)
      : gate.minPassRate === null
        ? unsuccessfulFailures(of)
        : []),
    ...rateFailures(gate, of)
  ]
}

const unjudgedFailures = (gate: Gate, { result, unjudged }: GatedResult): ReadonlyArray<string> =>
  gate.allowUnjudged || unjudged === 0
    ? []
    : [
        `The success of ${unjudged} of ${runs(result.totalRuns)} is unknown. Add assertions, an expected outcome with a language model, or a metric that decides success; or accept it with --allow-unjudged.`
      ]

const unsuccessfulFailures = ({ result, unjudged }: GatedResult): ReadonlyArray<string> => {
  const { completed, failed, timeout } = result.runsByStatus
  const decided = completed - unjudged + failed + timeout
  const unsuccessful = decided - Math.round((result.successRate ?? 0) * decided)
  return unsuccessful === 0 ? [] : [`${unsuccessful} of ${runs(result.totalRuns)} did not succeed.`]
}

const rateFailures = ({ minPassRate }: Gate, { result: { successRate } }: GatedResult): ReadonlyArray<string> => {
  if (minPassRate === null) return []
  if (successRate === null) return ["There is no success rate to compare with --min-pass-rate."]
  return successRate < minPassRate
    ? [`The success rate ${successRate.toFixed(3)} is below the minimum ${String(minPassRate)}.`]
    : []
}

const regressionFailures = ({
  base,
  change,
  scenarios
}: NonNullable<GatedResult["comparison"]>): ReadonlyArray<string> => {
  const worse = scenarios.filter((one) => one.change === "worse" || one.change === "mixed").map(({ key }) => key)
  if (worse.length > 0) {
    const named = `${worse.slice(0, MAX_NAMED).join(", ")}${worse.length > MAX_NAMED ? ", ..." : ""}`
    return [`Worse than result ${base.id}: ${named}.`]
  }
  return change === "worse" ? [`Worse than result ${base.id} as a whole.`] : []
}
