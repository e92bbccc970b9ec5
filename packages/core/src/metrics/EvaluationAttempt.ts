/** An attempt of a job that evaluates metrics: what the jobs of calls and of runs share. */
import * as Effect from "effect/Effect"
import type * as Context from "effect/Context"
import type { Claim } from "../jobs/Job.js"
import { JobFailed } from "../jobs/JobErrors.js"
import type { PreviousResult } from "./EvaluatedSubject.js"
import { outcomes, type StoredEvaluation } from "./Evaluation.js"
import type { EvaluationRequest, Postponed, Scorer } from "./Scorer.js"

/** Metrics that an attempt did not evaluate. */
export interface Unevaluated {
  /** Those that a later attempt evaluates. */
  readonly waiting: ReadonlyArray<Postponed>
  /** Those that failed for good; that is stored. */
  readonly failed: ReadonlyArray<Postponed>
}

/** Stored results by metric id and by slug, as formulas and prompts refer to them. */
const previousResultsOf = (stored: ReadonlyArray<StoredEvaluation>): ReadonlyMap<string, PreviousResult> =>
  new Map(
    stored.flatMap((one) => {
      const result = { value: one.value, status: one.status, explanation: one.detail.explanation }
      return [[String(one.metricId), result] as const, ...(one.slug === null ? [] : [[one.slug, result] as const])]
    })
  )

/** Evaluates metrics and stores their outcomes by `emit`. After the last attempt no metric waits. */
export const evaluateAttempt = <E>(
  scorer: Context.Tag.Service<Scorer>,
  { attempt, maxAttempts, organizationId }: Pick<Claim, "attempt" | "maxAttempts" | "organizationId">,
  stored: ReadonlyArray<StoredEvaluation>,
  request: Omit<EvaluationRequest<E>, "organizationId" | "previousResults" | "isLastAttempt">
): Effect.Effect<Unevaluated, E> =>
  Effect.gen(function* () {
    const isLastAttempt = attempt >= maxAttempts
    const postponed = yield* scorer.evaluate({
      ...request,
      organizationId,
      previousResults: previousResultsOf(stored),
      isLastAttempt
    })
    const failed = postponed.filter(({ error }) => isLastAttempt || !error.retry)
    if (failed.length > 0) {
      yield* request.emit(
        failed.map(({ error, metric }) => ({ metric, outcome: outcomes.withoutValue("failed", error.reason) }))
      )
    }
    return { failed, waiting: postponed.filter(({ error }) => !isLastAttempt && error.retry) }
  })

/** The failure of a job whose metrics wait; undefined where none does. */
export const waitingFailure = ({ waiting }: Unevaluated, total: number): JobFailed | undefined => {
  const [first] = waiting
  return first === undefined
    ? undefined
    : new JobFailed({
        reason: `${waiting.length} of ${total} metrics wait: ${first.error.reason}`,
        retry: true,
        retryAfter: Math.max(...waiting.map(({ error }) => error.retryAfter ?? 0))
      })
}
