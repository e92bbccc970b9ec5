/** What a result comes to: a function of the runs that it has, so that it is right again as soon as they change. */
import * as Schema from "effect/Schema"
import type { RunStatus } from "./RunLifecycle.js"

export const ResultStatus = Schema.Literal("empty", "queued", "running", "completed")
export type ResultStatus = typeof ResultStatus.Type

/** Runs of a result that share a status and an outcome. */
export interface RunCount {
  readonly status: RunStatus
  /** Null until it is known. */
  readonly success: boolean | null
  readonly runs: number
}

export interface ResultEvaluation {
  /** `empty` where every run was deleted; `running` from the first that starts to the last that ends. */
  readonly status: ResultStatus
  readonly totalRuns: number
  readonly runsByStatus: Readonly<Record<RunStatus, number>>
  /** Runs that were a success out of those whose success is known or that failed otherwise; null where there are none. */
  readonly successRate: number | null
  /**
   * Whether the test as a whole is a success: false as soon as one run failed, timed out or was no success, true once all
   * runs are over, none of those among them and one at least a success. Cancelled runs and those of which nobody knows
   * decide nothing.
   */
  readonly success: boolean | null
}

const noRuns: Readonly<Record<RunStatus, number>> = {
  queued: 0,
  running: 0,
  evaluating: 0,
  completed: 0,
  failed: 0,
  timeout: 0,
  cancelled: 0
}

/** Evaluates a result by its runs that are not deleted. The order of the counts does not matter. */
export const evaluateResult = (counts: ReadonlyArray<RunCount>): ResultEvaluation => {
  const runsByStatus = { ...noRuns }
  let total = 0
  let judged = 0
  let successful = 0
  for (const { runs, status, success } of counts) {
    runsByStatus[status] += runs
    total += runs
    // What a worker reported of a run that waits for its scores is not the last word.
    const isKnown = (status === "completed" && success !== null) || status === "failed" || status === "timeout"
    if (isKnown) judged += runs
    if (success === true && status === "completed") successful += runs
  }
  const open = runsByStatus.queued + runsByStatus.running + runsByStatus.evaluating
  return {
    status:
      total === 0
        ? "empty"
        : open === 0
          ? "completed"
          : open === runsByStatus.queued && open === total
            ? "queued"
            : "running",
    totalRuns: total,
    runsByStatus,
    successRate: judged === 0 ? null : successful / judged,
    success: successful < judged ? false : open === 0 && successful > 0 ? true : null
  }
}
