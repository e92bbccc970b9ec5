/** The jobs that execute and score runs. */
import * as Schema from "effect/Schema"
import type { NewJob } from "../jobs/Job.js"
import { type OrganizationId, type ResultId, RunId } from "../kernel/Ids.js"

export const EXECUTE_JOB = "execute_run"
export const SCORE_JOB = "score_run"

/**
 * Attempts of the job that executes a run. The attempts of the run itself are limited by its lifecycle; the job needs more of
 * them, for processes that stop for other reasons.
 */
const EXECUTE_ATTEMPTS = 20

/** Attempts of the job that scores a run; enough to wait out an hour's outage of a language model. */
const SCORE_ATTEMPTS = 8

export const RunPayload = Schema.Struct({ run: RunId })
export type RunPayload = typeof RunPayload.Type

/** A run has one job of each kind; `RunWorkStore.stranded` finds it by this key. */
const jobKey = (run: RunId): string => String(run)

/**
 * The jobs of a result's runs. Ordering keys enforce its concurrency limit: as many keys as runs may be concurrent, and the
 * jobs of one key run one after the other, in whichever processes.
 */
export const executeJobs = (
  organizationId: OrganizationId,
  result: ResultId,
  runs: ReadonlyArray<RunId>,
  concurrencyLimit: number | null
): ReadonlyArray<NewJob> =>
  runs.map((run, place) => ({
    organizationId,
    kind: EXECUTE_JOB,
    key: jobKey(run),
    payload: { run },
    orderingKey: concurrencyLimit === null ? null : `${result}:${place % concurrencyLimit}`,
    maxAttempts: EXECUTE_ATTEMPTS
  }))

export const scoreJob = (organizationId: OrganizationId, run: RunId): NewJob => ({
  organizationId,
  kind: SCORE_JOB,
  key: jobKey(run),
  payload: { run },
  orderingKey: String(run),
  maxAttempts: SCORE_ATTEMPTS
})
