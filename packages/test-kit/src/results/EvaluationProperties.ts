/** Properties of the evaluation of a result by its runs. Source: docs/results.md. */
import type { ResultEvaluation, RunCount } from "@earshot/core"
import * as fc from "fast-check"
import { expectEqual, type Property, property, expectEvery } from "../Property.js"
import { runCount } from "./ResultArbitraries.js"

export type Evaluate = (counts: ReadonlyArray<RunCount>) => ResultEvaluation

const counts = fc.array(runCount, { maxLength: 8 })

const sum = (some: ReadonlyArray<RunCount>): number => some.reduce((runs, one) => runs + one.runs, 0)

const single = (some: ReadonlyArray<RunCount>): ReadonlyArray<RunCount> =>
  some.flatMap((one) => Array.from({ length: one.runs }, () => ({ ...one, runs: 1 })))

/** Whether a run counts: it failed, timed out, or completed with a known success. */
const isDecided = ({ status, success }: RunCount): boolean =>
  status === "failed" || status === "timeout" || (status === "completed" && success !== null)
const isSuccess = ({ status, success }: RunCount): boolean => status === "completed" && success === true
const isOpen = ({ status }: RunCount): boolean => ["queued", "running", "evaluating"].includes(status)

export const evaluationProperties = (evaluate: Evaluate): ReadonlyArray<Property> => [
  property("the evaluation does not depend on the order and the grouping of runs", [counts], (some) => {
    expectEqual("the evaluation", evaluate(single(some).toReversed()), evaluate(some))
  }),
  property(
    "a result is evaluated by its remaining runs after a deletion",
    [counts, fc.nat({ max: 8 })],
    (some, cut) => {
      const rest = some.slice(cut)
      const fresh = JSON.stringify(evaluate(rest))
      evaluate(some)
      expectEqual("JSON.stringify(evaluate([...rest]))", JSON.stringify(evaluate([...rest])), fresh)
    }
  ),
  property("every run is counted once under its status", [counts], (some) => {
    const { runsByStatus, totalRuns } = evaluate(some)
    expectEqual("totalRuns", totalRuns, sum(some))
    expectEvery(
      "Object.entries(runsByStatus)",
      Object.entries(runsByStatus),
      ([name, runs]) => runs === sum(some.filter(({ status }) => status === name))
    )
    expectEqual(
      "Object.values(runsByStatus).reduce((all, runs) => all + runs, 0)",
      Object.values(runsByStatus).reduce((all, runs) => all + runs, 0),
      totalRuns
    )
  }),
  property("the success rate is that of runs with a known success, and null without any", [counts], (some) => {
    const validated = sum(some.filter(isDecided))
    const expected = validated === 0 ? null : sum(some.filter(isSuccess)) / validated
    expectEqual("the success rate", evaluate(some).successRate, expected)
  }),
  property(
    "removing an unsuccessful run does not lower the rate, removing a successful one does not raise it",
    [counts],
    (some) => {
      const { successRate } = evaluate(some)
      expectEvery("single(some)", single(some), (run, at, all) => {
        const without = evaluate(all.toSpliced(at, 1)).successRate
        if (successRate === null || without === null || !isDecided(run))
          return without === successRate || isDecided(run)
        return isSuccess(run) ? without <= successRate : without >= successRate
      })
    },
    100
  ),
  property(
    "the status is empty without runs, queued while all are, completed when all have ended, and else running",
    [counts],
    (some) => {
      const open = some.filter(isOpen)
      const expected =
        some.length === 0
          ? "empty"
          : open.length === 0
            ? "completed"
            : some.every(({ status }) => status === "queued")
              ? "queued"
              : "running"
      expectEqual("the status", evaluate(some).status, expected)
    }
  ),
  property(
    "the result fails with its first unsuccessful run, and succeeds when all runs have ended and one was successful",
    [counts],
    (some) => {
      const isLost = some.some((run) => isDecided(run) && !isSuccess(run))
      const isWon = !some.some(isOpen) && some.some(isSuccess)
      expectEqual("the success", evaluate(some).success, isLost ? false : isWon ? true : null)
    }
  )
]
