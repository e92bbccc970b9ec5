import {
  criteriaOf,
  type DecidingScore,
  evaluateResult,
  missedSentence,
  type RunCount,
  RunStatus,
  successByCriteria,
  undecidedSentence
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

describe("the rubric of a run", () => {
  it.each([
    ["nothing to go by", [], null, null],
    ["a criterion that was met", [score(true)], null, true],
    ["one met and one missed", [score(true), score(false)], null, false],
    ["one that nobody could judge", [score(null)], null, null],
    ["one met and one that nobody could judge", [score(true), score(null)], null, true],
    ["a value that is neither", [score(5)], null, null],
    ["a metric that does not decide", [score(false, { decidesSuccess: false })], null, null],
    ["a worker that says so", [], true, true],
    ["a worker that says no", [score(true)], false, false],
    ["a worker that says so of a run that missed", [score(false)], true, false]
  ] as const)("with %s", (_, scores, reported, success) => {
    expect(successByCriteria(criteriaOf(scores, reported))).toBe(success)
  })

  it("lists the metrics that decide, and what the worker said", () => {
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
        reason: "The worker that executed the run reported no success."
      }
    ])
    expect(criteriaOf([], null)).toEqual([])
  })

  it("tells several that were missed apart, and no more than 500 characters of why", () => {
    expect(
      missedSentence(criteriaOf([score(false, { why: null }), score(false, { metricName: "Politeness" })], null))
    ).toBe("Not met: Outcome; Politeness (Because.)")
    expect(missedSentence(criteriaOf([score(false, { why: "y".repeat(501) })], null))).toBe(
      `Not met: Outcome (${"y".repeat(500)})`
    )
  })

  it("says why nobody knows: nothing decides, or nothing that does could be judged", () => {
    expect(undecidedSentence([])).toBe(
      "Nothing decides its success: it has no expected outcome, and no metric that does."
    )
    expect(undecidedSentence(criteriaOf([score(null)], null))).toBe("Not judged: Outcome (Because.)")
  })

  it("names what was missed, with its reason, in a sentence of bounded length", () => {
    expect(missedSentence(criteriaOf([score(false), score(true)], null))).toBe("Not met: Outcome (Because.)")
    expect(missedSentence(criteriaOf([score(true)], null))).toBe(null)
    const many = Array.from({ length: 64 }, () => score(false, { why: "x".repeat(2000) }))
    expect(missedSentence(criteriaOf(many, null))?.length).toBe(5000)
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

describe("a result", () => {
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
      "of which some were cancelled",
      [
        { status: "completed", success: true, runs: 1 },
        { status: "cancelled", success: null, runs: 1 }
      ],
      true
    ],
    ["of whose runs nobody knows", [{ status: "completed", success: null, runs: 2 }], null],
    ["that timed out", [{ status: "timeout", success: null, runs: 1 }], false]
  ] as const)("%s", (_, runs, success) => {
    expect(evaluateResult(runs).success).toBe(success)
  })

  it("is a success only if it is over and every run that is known was one", () => {
    fc.assert(
      fc.property(counts, (runs) => {
        const { status, success, successRate } = evaluateResult(runs)
        if (success === true) expect([status, successRate]).toEqual(["completed", 1])
        if (success === false) expect(successRate).toBeLessThan(1)
      })
    )
  })
})
