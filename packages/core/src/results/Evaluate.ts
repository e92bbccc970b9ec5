/** The evaluation of a result: a function of its runs, so that it is correct as soon as they change. */
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
  /** `empty` where every run was deleted; `running` from the start of the first to the end of the last. */
  readonly status: ResultStatus
  readonly totalRuns: number
  readonly runsByStatus: Readonly<Record<RunStatus, number>>
  /** The share of successful runs among those with a known success, failed and timed out ones; null without any. */
  readonly successRate: number | null
  /**
   * Whether the test as a whole is a success: false as soon as one run failed, timed out or was unsuccessful; true once all
   * runs are over, none of them failed and at least one was successful. Canceled runs and runs with an unknown success are
   * ignored.
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
  let decided = 0
  let successful = 0
  for (const { runs, status, success } of counts) {
    runsByStatus[status] += runs
    total += runs
    // The success that a worker reported of an evaluating run is provisional.
    const isKnown = (status === "completed" && success !== null) || status === "failed" || status === "timeout"
    if (isKnown) decided += runs
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
    successRate: decided === 0 ? null : successful / decided,
    success: successful < decided ? false : open === 0 && successful > 0 ? true : null
  }
}
