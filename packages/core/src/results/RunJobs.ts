/** The jobs that play runs and score them. */
import * as Schema from "effect/Schema"
import type { NewJob } from "../jobs/Job.js"
import { type OrganizationId, type ResultId, RunId } from "../kernel/Ids.js"

export const EXECUTE_JOB = "execute_run"
export const SCORE_JOB = "score_run"

/**
 * Attempts at a run's job. How often a run itself is begun is bounded by its life cycle; the job has to outlive that, and
 * processes that go down for other reasons.
 */
export const EXECUTE_ATTEMPTS = 20

/** Attempts at a run's scores; a language model that is out for an hour is waited for. */
export const SCORE_ATTEMPTS = 8

export const RunPayload = Schema.Struct({ run: RunId })
export type RunPayload = typeof RunPayload.Type

/** A run has one job of each kind in its life, by which it is found again: `RunWorkStore.stranded`. */
const jobKey = (run: RunId): string => String(run)

/**
 * The jobs of a result's runs. Lanes keep its concurrency limit: as many lanes as runs may be under way, each playing its
 * runs one after the other, in whichever processes.
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
    lane: concurrencyLimit === null ? null : `${result}:${place % concurrencyLimit}`,
    maxAttempts: EXECUTE_ATTEMPTS
  }))

export const scoreJob = (organizationId: OrganizationId, run: RunId): NewJob => ({
  organizationId,
  kind: SCORE_JOB,
  key: jobKey(run),
  payload: { run },
  lane: String(run),
  maxAttempts: SCORE_ATTEMPTS
})
