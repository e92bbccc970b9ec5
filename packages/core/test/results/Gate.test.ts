import { type Gate, type GatedResult, gateFailures, repeatsOf, type RunCount } from "@earshot/core"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { evaluateResult } from "../../src/results/Evaluate.js"

const strict: Gate = { failOn: "failure", minPassRate: null, allowUnjudged: false }

const completed = (success: boolean | null, runs: number): RunCount => ({ status: "completed", success, runs })

const gated = (counts: ReadonlyArray<RunCount>, more: Partial<GatedResult> = {}): GatedResult => ({
  result: evaluateResult(counts),
  unjudged: counts.reduce(
    (sum, { runs, status, success }) => sum + (status === "completed" && success === null ? runs : 0),
    0
  ),
  deleted: 0,
  comparison: null,
  ...more
})

const comparison = (change: "worse" | "same", ...keys: ReadonlyArray<string>): GatedResult["comparison"] => ({
  base: { id: 7 },
  change,
  scenarios: keys.map((key) => ({ key, change: "worse" }))
})

describe("the gate of a result", () => {
  it("passes if every run succeeded", () => {
    expect(gateFailures(strict, gated([completed(true, 3)]))).toEqual([])
  })

  it.each<readonly [string, Partial<Gate>, GatedResult, ReadonlyArray<string | RegExp>]>([
    [
      "a run failed",
      {},
      gated([completed(true, 2), { status: "timeout", success: null, runs: 1 }]),
      [/^1 of 3 runs did/]
    ],
    [
      "nothing decides a run's success",
      {},
      gated([completed(true, 1), completed(null, 2)]),
      [/^The success of 2 of 3 runs is unknown/]
    ],
    [
      "a run was canceled",
      {},
      gated([completed(true, 1), { status: "cancelled", success: null, runs: 1 }]),
      ["1 run canceled."]
    ],
    ["a run was deleted", {}, gated([completed(true, 1)], { deleted: 2 }), ["2 runs deleted."]],
    [
      "the rate is below the minimum",
      { minPassRate: 0.9 },
      gated([completed(true, 8), completed(false, 2)]),
      [/0\.800 is below the minimum 0\.9/]
    ],
    [
      "there is no rate to compare",
      { minPassRate: 0, allowUnjudged: true },
      gated([completed(null, 1)]),
      [/^There is no success rate/]
    ],
    [
      "a scenario became worse",
      { failOn: "regression" },
      gated([completed(true, 1)], { comparison: comparison("same", "a", "b") }),
      ["Worse than result 7: a, b."]
    ],
    [
      "the whole became worse",
      { failOn: "regression" },
      gated([completed(true, 1)], { comparison: comparison("worse") }),
      ["Worse than result 7 as a whole."]
    ],
    [
      "a run failed and there is no base",
      { failOn: "regression" },
      gated([completed(false, 1)]),
      [/^1 of 1 run did not succeed/]
    ]
  ])("does not pass if %s", (_, gate, of, expected) => {
    const failures = gateFailures({ ...strict, ...gate }, of)
    expect(failures).toHaveLength(expected.length)
    for (const [at, one] of expected.entries()) expect(failures[at]).toMatch(one)
  })

  it("accepts what its options accept", () => {
    expect(gateFailures({ ...strict, allowUnjudged: true }, gated([completed(null, 2)]))).toEqual([])
    expect(gateFailures({ ...strict, minPassRate: 0.8 }, gated([completed(true, 8), completed(false, 2)]))).toEqual([])
    const failing = gated([completed(false, 1)], { comparison: comparison("same") })
    expect(gateFailures({ ...strict, failOn: "regression" }, failing)).toEqual([])
  })
})

describe("the reliability of scenarios", () => {
  const scenario = (key: string, ...counts: ReadonlyArray<RunCount>) => ({ key, name: key, counts })

  it("is the success rate and pass^k of each scenario, and their mean", () => {
    const repeats = repeatsOf([
      scenario("a", completed(true, 3), completed(false, 1)),
      scenario("b", completed(true, 2), completed(null, 5)),
      scenario("c", { status: "queued", success: null, runs: 2 })
    ])
    expect(repeats.scenarios).toEqual([
      { key: "a", name: "a", runs: 4, decided: 4, passed: 3, successRate: 0.75, passAll: [0.75, 0.5, 0.25, 0] },
      { key: "b", name: "b", runs: 7, decided: 2, passed: 2, successRate: 1, passAll: [1, 1] },
      { key: "c", name: "c", runs: 2, decided: 0, passed: 0, successRate: null, passAll: [] }
    ])
    expect(repeats.passAll).toEqual([0.875, 0.75])
  })

  it("estimates pass^k as the share of samples of k runs that all succeeded", () => {
    const samplesOf = <A>(all: ReadonlyArray<A>, k: number): ReadonlyArray<ReadonlyArray<A>> =>
      k === 0 ? [[]] : all.flatMap((first, at) => samplesOf(all.slice(at + 1), k - 1).map((rest) => [first, ...rest]))
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }), (outcomes) => {
        const counts = outcomes.map((success) => completed(success, 1))
        const { passAll = [] } = repeatsOf([scenario("a", ...counts)]).scenarios[0] ?? {}
        for (const [at, estimate] of passAll.entries()) {
          const samples = samplesOf(outcomes, at + 1)
          expect(estimate).toBeCloseTo(samples.filter((one) => one.every(Boolean)).length / samples.length, 12)
        }
        expect(passAll).toHaveLength(outcomes.length)
      }),
      { numRuns: 50 }
    )
  })
})
