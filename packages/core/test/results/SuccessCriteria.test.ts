import {
  criteriaOf,
  type DecidingScore,
  evaluateResult,
  failureReason,
  type RunCount,
  RunStatus,
  successByCriteria,
  undecidedReason
} from "@earshot/core"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { MetricId } from "../../src/kernel/Ids.js"

const score = (value: DecidingScore["value"], more: Partial<DecidingScore> = {}): DecidingScore => ({
  metricId: MetricId.make(1),
  metricName: "Outcome",
  slug: "outcome",
  status: value === null ? "skipped" : "scored",
  value,
  decidesSuccess: true,
  why: "Because.",
  ...more
})

describe("success criteria of a run", () => {
  it.each([
    ["no criterion", [], null, null],
    ["a passed criterion", [score(true)], null, true],
    ["one passed and one failed", [score(true), score(false)], null, false],
    ["one of unknown outcome", [score(null)], null, null],
    ["one passed and one of unknown outcome", [score(true), score(null)], null, true],
    ["a value that is not a boolean", [score(5)], null, null],
    ["a metric that does not decide", [score(false, { decidesSuccess: false })], null, null],
    ["a worker that reports success", [], true, true],
    ["a worker that reports failure", [score(true)], false, false],
    ["a worker that reports success and a failed metric", [score(false)], true, false]
  ] as const)("decide success with %s", (_, scores, reported, success) => {
    expect(successByCriteria(criteriaOf(scores, reported))).toBe(success)
  })

  it("list the deciding metrics and the success that the worker reported", () => {
    const metric = { criterion: "metric:outcome", name: "Outcome", reason: "Because." }
    expect(criteriaOf([score(true), score(5), score(true, { decidesSuccess: false })], true)).toEqual([
      { ...metric, passed: true },
      { ...metric, passed: null },
      { criterion: "reported", name: "Reported by the worker", passed: true, reason: null }
    ])
    expect(criteriaOf([score(true, { status: "failed" }), score(false, { status: "skipped" })], false)).toEqual([
      { ...metric, passed: null },
      { ...metric, passed: null },
      {
        criterion: "reported",
        name: "Reported by the worker",
        passed: false,
        reason: "The worker reported that the run failed."
      }
    ])
    expect(criteriaOf([], null)).toEqual([])
  })

  it("list every failed criterion with at most 500 characters of its reason", () => {
    expect(
      failureReason(criteriaOf([score(false, { why: null }), score(false, { metricName: "Politeness" })], null))
    ).toBe("Not met: Outcome; Politeness (Because.)")
    expect(failureReason(criteriaOf([score(false, { why: "y".repeat(501) })], null))).toBe(
      `Not met: Outcome (${"y".repeat(500)})`
    )
  })

  it("explain an unknown success: nothing decides it, or no deciding metric has a value", () => {
    expect(undecidedReason([])).toBe(
      "The success of the run is unknown: it has no assertions, no expected outcome and no metric that decides success."
    )
    expect(undecidedReason(criteriaOf([score(null)], null))).toBe("Not decided: Outcome (Because.)")
  })

  it("name each failed criterion and its reason in a message of bounded length", () => {
    expect(failureReason(criteriaOf([score(false), score(true)], null))).toBe("Not met: Outcome (Because.)")
    expect(failureReason(criteriaOf([score(true)], null))).toBe(null)
    const many = Array.from({ length: 64 }, () => score(false, { why: "x".repeat(2000) }))
    expect(failureReason(criteriaOf(many, null))?.length).toBe(5000)
    expect(criteriaOf([score(false, { slug: null })], null)[0]?.criterion).toBe("metric:1")
  })
})

const counts = fc.array(
  fc.record({
    status: fc.constantFrom(...RunStatus.literals),
    success: fc.constantFrom(null, true, false),
    runs: fc.integer({ min: 1, max: 5 })
  }),
  { maxLength: 6 }
) satisfies fc.Arbitrary<Array<RunCount>>

describe("success of a result", () => {
  it.each([
    ["without runs", [], null],
    ["whose runs all were", [{ status: "completed", success: true, runs: 3 }], true],
    [
      "of which one was none",
      [
        { status: "completed", success: true, runs: 3 },
        { status: "completed", success: false, runs: 1 }
      ],
      false
    ],
    [
      "of which one failed while others are under way",
      [
        { status: "failed", success: false, runs: 1 },
        { status: "running", success: null, runs: 1 }
      ],
      false
    ],
    [
      "whose last run is not scored",
      [
        { status: "completed", success: true, runs: 1 },
        { status: "evaluating", success: true, runs: 1 }
      ],
      null
    ],
    [
      "with some canceled runs",
      [
        { status: "completed", success: true, runs: 1 },
        { status: "cancelled", success: null, runs: 1 }
      ],
      true
    ],
    ["with only unknown runs", [{ status: "completed", success: null, runs: 2 }], null],
    ["with a timed-out run", [{ status: "timeout", success: null, runs: 1 }], false]
  ] as const)("is decided for a result %s", (_, runs, success) => {
    expect(evaluateResult(runs).success).toBe(success)
  })

  it("is true only if the result is completed and every known run was successful", () => {
    fc.assert(
      fc.property(counts, (runs) => {
        const { status, success, successRate } = evaluateResult(runs)
        if (success === true) expect([status, successRate]).toEqual(["completed", 1])
        if (success === false) expect(successRate).toBeLessThan(1)
      })
    )
  })
})
