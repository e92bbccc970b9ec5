/** Runs attempts of jobs and records how they ended. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Random from "effect/Random"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { type Backoff, retryDelay } from "./Backoff.js"
import type { Claim } from "./Job.js"
import { JobActivity } from "./JobActivity.js"
import type { JobFailed } from "./JobErrors.js"
import type { BatchHandler, JobHandler } from "./JobHandler.js"
import { JobStore } from "./JobStore.js"

/** The reason in the list of jobs: of an unexpected error only the class, since its message may contain anything. */
const reasonOf = (
  cause: Cause.Cause<JobFailed | StorageError>
): { reason: string; retry: boolean; retryAfter: number } => {
  const failure = Cause.failureOption(cause)
  if (failure._tag === "Some") {
    const error = failure.value
    return error._tag === "JobFailed"
      ? { reason: error.reason, retry: error.retry, retryAfter: error.retryAfter ?? 0 }
      : { reason: error.message, retry: true, retryAfter: 0 }
  }
  const defect = Cause.squash(cause)
  return { reason: `Unexpected: ${defect instanceof Error ? defect.name : "defect"}.`, retry: true, retryAfter: 0 }
}

export const make = (backoff: Backoff) =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const work = yield* UnitOfWork
    const activity = yield* JobActivity

    const recordFailure = (claim: Claim, cause: Cause.Cause<JobFailed | StorageError>) =>
      Effect.gen(function* () {
        const { reason, retry, retryAfter } = reasonOf(cause)
        const isRetried = retry && claim.attempt < claim.maxAttempts
        const delay = retryDelay(claim.attempt, backoff, yield* Random.next, retryAfter)
        const isRecorded = yield* work.atomically(
          Effect.flatMap(store.now, (now) =>
            store.fail(claim, { reason, retryAt: isRetried ? now + delay : null }, now)
          )
        )
        activity.failed(claim.kind, isRetried ? "retried" : "dead")
        if (isRecorded && !isRetried) {
          yield* Effect.logWarning("Job is dead: no attempts left", {
            job: claim.id,
            kind: claim.kind,
            attempts: claim.attempt,
            reason
          })
        }
        if (Cause.isDie(cause)) {
          yield* Effect.logError("Job failed with a defect", { job: claim.id, kind: claim.kind }, cause)
        }
      })

    const settle = (claims: ReadonlyArray<Claim>, exit: Exit.Exit<unknown, JobFailed | StorageError>) =>
      (Exit.isSuccess(exit)
        ? Effect.asVoid(work.atomically(Effect.flatMap(store.now, (now) => store.succeed(claims, now))))
        : Effect.forEach(claims, (claim) => recordFailure(claim, exit.cause), { discard: true })
      ).pipe(
        // The lease expires and the job is claimed again, which is safe since handlers are idempotent.
        Effect.catchAll((error) =>
          Effect.logWarning("Failed to record job outcome", { jobs: claims.map(({ id }) => id), error })
        )
      )

    /**
     * Runs steps and then `recorded`; if interrupted, it leaves the jobs as they are. Steps that fail interrupt those beside
     * them: that is a failure.
     */
    const attempted = <A>(
      kind: string,
      steps: Effect.Effect<A, JobFailed | StorageError>,
      recorded: (exit: Exit.Exit<A, JobFailed | StorageError>) => Effect.Effect<void>
    ): Effect.Effect<void> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(Effect.exit(restore(steps)), (exit) =>
          Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause) ? Effect.interrupt : recorded(exit)
        )
      ).pipe(Effect.withSpan(`job ${kind}`, { captureStackTrace: false }))

    return {
      /** Runs a claimed job and records the outcome. */
      attempt: (handler: JobHandler, claim: Claim): Effect.Effect<void> =>
        attempted(handler.kind, handler.run(claim), (exit) => settle([claim], exit)),
      /** Runs claimed jobs together and records the outcome of each. */
      attemptAll: (handler: BatchHandler, claims: ReadonlyArray<Claim>): Effect.Effect<void> =>
        attempted(handler.kind, handler.runAll(claims), (exit) => {
          if (Exit.isFailure(exit)) return settle(claims, exit)
          const succeeded = exit.value.filter(({ outcome }) => Either.isRight(outcome)).map(({ claim }) => claim)
          const failed = exit.value.flatMap(({ claim, outcome }) =>
            Either.isLeft(outcome) ? [{ claim, error: outcome.left }] : []
          )
          return Effect.zipRight(
            succeeded.length === 0 ? Effect.void : settle(succeeded, Exit.void),
            Effect.forEach(failed, ({ claim, error }) => settle([claim], Exit.fail(error)), { discard: true })
          )
        })
    }
  })
