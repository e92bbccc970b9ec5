/** What any evaluation of a result has to keep to: it is what its runs that are there come to. Source: design, section 7. */
import type { ResultEvaluation, RunCount } from "@earshot/core"
import * as fc from "fast-check"
import { expectEqual, type Property, property } from "../Property.js"
import { runCount } from "./ResultArbitraries.js"

export type Evaluate = (counts: ReadonlyArray<RunCount>) => ResultEvaluation

const counts = fc.array(runCount, { maxLength: 8 })

const sum = (some: ReadonlyArray<RunCount>): number => some.reduce((runs, one) => runs + one.runs, 0)

const single = (some: ReadonlyArray<RunCount>): ReadonlyArray<RunCount> =>
  some.flatMap((one) => Array.from({ length: one.runs }, () => ({ ...one, runs: 1 })))

/** Whether a run counts: it failed, timed out, or is over and somebody knows whether it was a success. */
const isJudged = ({ status, success }: RunCount): boolean =>
  status === "failed" || status === "timeout" || (status === "completed" && success !== null)
const isSuccess = ({ status, success }: RunCount): boolean => status === "completed" && success === true
const isOpen = ({ status }: RunCount): boolean => ["queued", "running", "evaluating"].includes(status)

export const evaluationProperties = (evaluate: Evaluate): ReadonlyArray<Property> => [
  property("the order of runs, and how they are counted, change nothing", [counts], (some) => {
    expectEqual("the evaluation", evaluate(single(some).toReversed()), evaluate(some))
    return true
  }),
  property(
    "a result whose runs were deleted is what the others come to, whatever it was before",
    [counts, fc.nat({ max: 8 })],
    (some, cut) => {
      const rest = some.slice(cut)
      const fresh = JSON.stringify(evaluate(rest))
      evaluate(some)
      return JSON.stringify(evaluate([...rest])) === fresh
    }
  ),
  property("every run is counted once, under its status", [counts], (some) => {
    const { runsByStatus, totalRuns } = evaluate(some)
    return (
      totalRuns === sum(some) &&
      Object.entries(runsByStatus).every(
        ([name, runs]) => runs === sum(some.filter(({ status }) => status === name))
      ) &&
      Object.values(runsByStatus).reduce((all, runs) => all + runs, 0) === totalRuns
    )
  }),
  property(
    "the success rate is that of the runs of which it is known, and null where there are none",
    [counts],
    (some) => {
      const judged = sum(some.filter(isJudged))
      const expected = judged === 0 ? null : sum(some.filter(isSuccess)) / judged
      expectEqual("the success rate", evaluate(some).successRate, expected)
      return true
    }
  ),
  property(
    "without a run that was no success the rate is no lower, without one that was it is no higher",
    [counts],
    (some) => {
      const { successRate } = evaluate(some)
      return single(some).every((run, at, all) => {
        const without = evaluate(all.toSpliced(at, 1)).successRate
        if (successRate === null || without === null || !isJudged(run)) return without === successRate || isJudged(run)
        return isSuccess(run) ? without <= successRate : without >= successRate
      })
    },
    100
  ),
  property(
    "it is empty without runs, queued while all wait, completed when all are over, and runs otherwise",
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
      return true
    }
  ),
  property(
    "it is no success from the first run that was none on, and one when all are over and some were",
    [counts],
    (some) => {
      const isLost = some.some((run) => isJudged(run) && !isSuccess(run))
      const isWon = !some.some(isOpen) && some.some(isSuccess)
      expectEqual("the success", evaluate(some).success, isLost ? false : isWon ? true : null)
      return true
    }
  )
]
