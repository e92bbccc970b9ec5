/** Properties of pass^k, against counting every choice of k runs. Source: docs/runs.md; Yao et al., tau-bench (2024), 3. */
import type { Repeats, RunCount, ScenarioScores } from "@earshot/core"
import * as fc from "fast-check"
import { expectClose, expectEqual, type Property, property } from "../Property.js"
import { runCount } from "./ResultArbitraries.js"

export type RepeatsOf = (scenarios: ReadonlyArray<Pick<ScenarioScores, "key" | "name" | "counts">>) => Repeats

const counts = fc.array(
  runCount.map((one) => ({ ...one, runs: Math.min(one.runs, 3) })),
  { maxLength: 4 }
)
const scenarios = fc
  .array(counts, { maxLength: 3 })
  .map((all) => all.map((counts, at) => ({ key: `key-${at}`, name: `Scenario ${at}`, counts })))

/** Whether each decided run of a scenario succeeded. */
const outcomesOf = (counts: ReadonlyArray<RunCount>): ReadonlyArray<boolean> =>
  counts.flatMap(({ runs, status, success }) => {
    const outcome =
      status === "failed" || status === "timeout"
        ? false
        : status === "completed" && success !== null
          ? success
          : undefined
    return outcome === undefined ? [] : Array.from({ length: runs }, () => outcome)
  })

/** Every choice of k of some items. */
const choices = <A>(all: ReadonlyArray<A>, k: number): ReadonlyArray<ReadonlyArray<A>> => {
  if (k === 0) return [[]]
  return all.flatMap((one, at) => choices(all.slice(at + 1), k - 1).map((rest) => [one, ...rest]))
}

/** The share of choices of k runs in which all succeeded. */
const shareOf = (outcomes: ReadonlyArray<boolean>, k: number): number => {
  const all = choices(outcomes, k)
  return all.filter((chosen) => chosen.every(Boolean)).length / all.length
}

export const repeatProperties = (repeatsOf: RepeatsOf): ReadonlyArray<Property> => [
  property(
    "pass^k is the share of the choices of k decided runs in which all succeeded",
    [counts],
    (some) => {
      const outcomes = outcomesOf(some)
      const [found] = repeatsOf([{ key: "a", name: "A", counts: some }]).scenarios
      const expected = outcomes.map((_, at) => shareOf(outcomes, at + 1))
      expectClose("pass^k", found?.passAll ?? [], expected)
      const passed = outcomes.filter(Boolean).length
      expectEqual(
        "decided, passed and rate",
        [found?.decided, found?.passed, found?.successRate],
        [outcomes.length, passed, outcomes.length === 0 ? null : passed / outcomes.length]
      )
      expectEqual(
        "the runs",
        found?.runs,
        some.reduce((sum, { runs }) => sum + runs, 0)
      )
    },
    100
  ),
  property(
    "pass^k of a result is the mean over its scenarios with decided runs, as far as all have it",
    [scenarios],
    (some) => {
      const known = some.map((one) => outcomesOf(one.counts)).filter((outcomes) => outcomes.length > 0)
      const length = known.length === 0 ? 0 : Math.min(...known.map((outcomes) => outcomes.length))
      const expected = Array.from(
        { length },
        (_, at) => known.reduce((sum, outcomes) => sum + shareOf(outcomes, at + 1), 0) / known.length
      )
      expectClose("pass^k", repeatsOf(some).passAll, expected)
    },
    100
  ),
  property("pass^1 is the success rate, and pass^k never increases with k", [counts], (some) => {
    const [found] = repeatsOf([{ key: "a", name: "A", counts: some }]).scenarios
    const all = found?.passAll ?? []
    if (all.length > 0) expectClose("pass^1", [all[0] ?? -1], [found?.successRate ?? -1])
    expectEqual(
      "increases",
      all.filter((one, at) => at > 0 && one > (all[at - 1] ?? 0) + 1e-12),
      []
    )
  }),
  property("pass^k is computed for up to 100 runs", [fc.integer({ min: 95, max: 105 })], (runs) => {
    const [found] = repeatsOf([
      { key: "a", name: "A", counts: [{ status: "completed", success: true, runs }] }
    ]).scenarios
    expectEqual(
      "pass^k",
      found?.passAll,
      Array.from({ length: Math.min(100, runs) }, () => 1)
    )
  })
]
