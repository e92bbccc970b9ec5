/** The reliability of scenarios that were run more than once. Pure. */
import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import type { ScenarioScores } from "./Compare.js"
import { evaluateResult } from "./Evaluate.js"

/** The greatest k of pass^k that is computed. */
const MAX_K = 100

const ScenarioRepeats = Schema.Struct({
  key: Schema.String,
  name: Schema.String,
  runs: Schema.Int,
  /** Runs with a known success, failed and timed out ones. */
  decided: Schema.Int,
  passed: Schema.Int,
  /** `passed / decided`; null without any decided run. */
  successRate: Fields.named("success_rate", Schema.NullOr(Schema.Number)),
  /** pass^k for k = 1, 2, ... up to the number of decided runs. */
  passAll: Fields.named("pass_all", Schema.Array(Schema.Number))
})

/** How reliably the scenarios of a result succeed. */
export const Repeats = Schema.Struct({
  scenarios: Schema.Array(ScenarioRepeats),
  /** The mean of pass^k over the scenarios, for k = 1, 2, ... as far as every scenario with a decided run has it. */
  passAll: Fields.named("pass_all", Schema.Array(Schema.Number))
}).annotations({ identifier: "Repeats" })
export type Repeats = typeof Repeats.Type

/** The wire form of repeats. */
export const encodeRepeats = Schema.encodeSync(Repeats)

/**
 * pass^k: the probability that k runs of a scenario all succeed, estimated without bias from n runs of which c succeeded, as
 * C(c, k) / C(n, k). Source: Yao et al., tau-bench (2024), section 3.
 */
const passAllOf = (decided: number, passed: number): ReadonlyArray<number> => {
  const estimates: Array<number> = []
  let estimate = 1
  for (let k = 0; k < Math.min(decided, MAX_K); k++) {
    estimate *= Math.max(0, passed - k) / (decided - k)
    estimates.push(estimate)
  }
  return estimates
}

/** The repeats of a result's scenarios. */
export const repeatsOf = (scenarios: ReadonlyArray<Pick<ScenarioScores, "key" | "name" | "counts">>): Repeats => {
  const all = scenarios.map(({ counts, key, name }) => {
    const { successRate, totalRuns } = evaluateResult(counts)
    const passed = sumOf(counts, ({ status, success }) => status === "completed" && success === true)
    const decided = sumOf(
      counts,
      ({ status, success }) =>
        status === "failed" || status === "timeout" || (status === "completed" && success !== null)
    )
    return { key, name, runs: totalRuns, decided, passed, successRate, passAll: passAllOf(decided, passed) }
  })
  const known = all.filter(({ decided }) => decided > 0)
  const length = known.length === 0 ? 0 : Math.min(...known.map(({ passAll }) => passAll.length))
  return {
    scenarios: all,
    passAll: Array.from(
      { length },
      (_, k) => known.reduce((sum, { passAll }) => sum + (passAll[k] ?? 0), 0) / known.length
    )
  }
}

const sumOf = (
  counts: ScenarioScores["counts"],
  includes: (count: ScenarioScores["counts"][number]) => boolean
): number => counts.reduce((sum, count) => sum + (includes(count) ? count.runs : 0), 0)
