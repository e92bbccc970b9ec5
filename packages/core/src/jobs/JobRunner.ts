import { randomUUID } from "node:crypto"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { inTurns } from "../kernel/TurnScheduler.js"
import { type Backoff, DEFAULT_BACKOFF, retryDelay } from "./Backoff.js"
import type { Claim } from "./Job.js"
import { JobSignal } from "./JobSignal.js"
import type { JobFailed } from "./JobErrors.js"
import { JobStore } from "./JobStore.js"

/** Runs the jobs of one kind. */
export interface JobHandler {
  readonly kind: string
  /** How many jobs of this kind this process runs at a time. */
  readonly concurrency: number
  /**
   * Runs one attempt. It must be idempotent: a job may be started several times, in several processes one after the
   * other. What a process that has lost the job must not write belongs in a transaction that checks
   * `JobQueue.isLeaseValid` first.
   */
  readonly run: (claim: Claim) => Effect.Effect<void, JobFailed | StorageError>
}

/** An idempotent task that every process with a job runner repeats. */
export interface PeriodicTask {
  /** The log message when it fails: `Failed to reclaim expired run leases`. */
  readonly failure: string
  readonly every: Duration.DurationInput
  readonly run: Effect.Effect<unknown, StorageError>
}

export interface JobRunnerConfig {
  /** How long a claim is valid without a heartbeat. Default: 30 seconds. */
  readonly lease?: Duration.DurationInput
  /** How often to poll for jobs that other processes enqueued. Default: 0.5 seconds. */
  readonly poll?: Duration.DurationInput
  readonly backoff?: Backoff
  /** How long succeeded jobs are retained. Default: 7 days. */
  readonly keepSucceeded?: Duration.DurationInput
  /** How long dead jobs are retained. Default: 90 days. */
  readonly keepDead?: Duration.DurationInput
}

/** Runs jobs in this process. */
export class JobRunner extends Context.Tag("@earshot/core/jobs/JobRunner")<
  JobRunner,
  {
    /**
     * Runs jobs as they become due until it is interrupted; the claims of running jobs are then released. Polls again
     * later when the database cannot be reached.
     */
    readonly run: Effect.Effect<never>
    /**
     * Runs the periodic tasks once and every due job, including those that become due meanwhile; returns the number of
     * attempts. If the database fails, the claims of running jobs are released.
     */
    readonly drain: Effect.Effect<number, StorageError>
  }
>() {}

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

interface Running {
  readonly claim: Claim
  readonly fiber: Fiber.RuntimeFiber<void>
}

/** Makes the runner of these handlers. */
export const make = (
  handlers: ReadonlyArray<JobHandler>,
  config: JobRunnerConfig = {},
  periodicTasks: ReadonlyArray<PeriodicTask> = []
) =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const work = yield* UnitOfWork
    const signal = yield* JobSignal
    const lease = Duration.toMillis(config.lease ?? "30 seconds")
    const poll = Duration.decode(config.poll ?? "500 millis")
    const backoff = config.backoff ?? DEFAULT_BACKOFF
    const keepSucceeded = Duration.toMillis(config.keepSucceeded ?? "7 days")
    const keepDead = Duration.toMillis(config.keepDead ?? "90 days")
    const owner = randomUUID()
    const running = new Map<number, Running>()

    const settle = (claim: Claim, exit: Exit.Exit<void, JobFailed | StorageError>) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (Exit.isSuccess(exit)) {
          yield* work.atomically(store.succeed(claim, now))
          return
        }
        const { reason, retry, retryAfter } = reasonOf(exit.cause)
        const isRetried = retry && claim.attempt < claim.maxAttempts
        const jitter = yield* Random.next
        const retryAt = isRetried ? now + retryDelay(claim.attempt, backoff, jitter, retryAfter) : null
        const isRecorded = yield* work.atomically(store.fail(claim, { reason, retryAt }, now))
        if (isRecorded && !isRetried) {
          yield* Effect.logWarning("Job is dead: no attempts left", {
            job: claim.id,
            kind: claim.kind,
            attempts: claim.attempt,
            reason
          })
        }
        if (Cause.isDie(exit.cause))
          yield* Effect.logError("Job failed with a defect", { job: claim.id, kind: claim.kind }, exit.cause)
      }).pipe(
        // The lease expires and the job is claimed again, which is safe since handlers are idempotent.
        Effect.catchAll((error) => Effect.logWarning("Failed to record job outcome", { job: claim.id, error }))
      )

    /** Runs a claimed job and records the outcome. If interrupted, it leaves the job as it is. */
    const attempt = (handler: JobHandler, claim: Claim): Effect.Effect<void> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(Effect.exit(restore(handler.run(claim))), (exit) =>
          Exit.isFailure(exit) && Cause.isInterrupted(exit.cause) ? Effect.interrupt : settle(claim, exit)
        )
      ).pipe(Effect.withSpan(`job ${handler.kind}`, { captureStackTrace: false }))

    const runningCount = (kind: string): number => {
      let count = 0
      for (const one of running.values()) if (one.claim.kind === kind) count++
      return count
    }

    /** Claims due jobs and starts them; returns how many. */
    const claimDue = Effect.gen(function* () {
      const withCapacity = handlers.filter(({ concurrency, kind }) => runningCount(kind) < concurrency)
      if (withCapacity.length === 0) return 0
      const polledAt = yield* Clock.currentTimeMillis
      const kinds = withCapacity.map(({ kind }) => kind)
      if (!(yield* store.hasDue(kinds, polledAt))) return 0
      const claimed = yield* work.atomically(
        Effect.gen(function* () {
          // Read again: waiting for the database lock may have taken long, and the lease starts now.
          const now = yield* Clock.currentTimeMillis
          yield* store.markExhaustedDead(kinds, now)
          return yield* Effect.forEach(withCapacity, (handler) =>
            Effect.map(
              store.claim(
                owner,
                { kind: handler.kind, limit: handler.concurrency - runningCount(handler.kind) },
                { now, until: now + lease }
              ),
              (claims) => claims.map((claim) => ({ claim, handler }))
            )
          )
        })
      )
      const all = claimed.flat()
      for (const { claim, handler } of all) {
        const fiber = yield* Effect.forkDaemon(
          // A fiber inherits the interruptibility of its parent, and this one must be interruptible.
          Effect.interruptible(attempt(handler, claim)).pipe(
            Effect.ensuring(
              Effect.zipRight(
                Effect.sync(() => running.delete(claim.id)),
                signal.notify
              )
            )
          )
        )
        running.set(claim.id, { claim, fiber })
        // It may have ended already.
        if ((yield* Fiber.poll(fiber))._tag === "Some") running.delete(claim.id)
      }
      return all.length
      // Uninterruptible, so that everything claimed is started.
    }).pipe(Effect.uninterruptible)

    /** Extends the leases of running jobs, and interrupts those whose claim was lost. */
    const heartbeat = Effect.gen(function* () {
      const claims = [...running.values()]
      if (claims.length === 0) return
      const now = yield* Clock.currentTimeMillis
      const extended = new Set<number>(
        yield* work.atomically(
          store.extend(
            claims.map(({ claim }) => claim),
            { now, until: now + lease }
          )
        )
      )
      for (const { claim, fiber } of claims) {
        if (!extended.has(claim.id) && running.get(claim.id)?.fiber === fiber) {
          yield* Effect.logWarning("Job lease lost", { job: claim.id, kind: claim.kind })
          yield* Fiber.interruptFork(fiber)
        }
      }
    }).pipe(Effect.catchAll((error) => Effect.logWarning("Failed to extend job leases", { error })))

    const heartbeats = Effect.forever(Effect.zipRight(Effect.sleep(Duration.millis(lease / 3)), heartbeat))

    const prune = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      work.atomically(store.prune({ succeeded: now - keepSucceeded, dead: now - keepDead }))
    ).pipe(Effect.catchAll((error) => Effect.logWarning("Failed to delete old jobs", { error })))

    const periodic = periodicTasks.map(({ every, failure, run }) =>
      Effect.forever(
        Effect.zipRight(
          run.pipe(
            Effect.catchAll((error) => Effect.logWarning(failure, { error })),
            // A defect must not end the task either.
            Effect.catchAllDefect((defect) => Effect.logError(failure, { defect }))
          ),
          Effect.sleep(every)
        )
      )
    )

    const pruning = Effect.forever(Effect.zipRight(prune, Effect.sleep("1 hour")))

    /** Interrupts running jobs and releases their claims. */
    const releaseClaims = Effect.gen(function* () {
      const held = [...running.values()]
      yield* Fiber.interruptAll(held.map(({ fiber }) => fiber))
      const now = yield* Clock.currentTimeMillis
      if (held.length > 0) {
        yield* work.atomically(
          store.release(
            held.map(({ claim }) => claim),
            now
          )
        )
      }
    }).pipe(Effect.catchAll((error) => Effect.logWarning("Failed to release job claims", { error })))

    const loop = claimDue.pipe(
      Effect.catchAll((error) => Effect.as(Effect.logWarning("Failed to poll for due jobs", { error }), 0)),
      // A defect must not end the worker: every job would wait forever.
      Effect.catchAllDefect((defect) => Effect.as(Effect.logError("Failed to poll for due jobs", { defect }), 0)),
      Effect.flatMap((started) => (started > 0 ? Effect.void : Effect.race(signal.wait, Effect.sleep(poll)))),
      Effect.forever
    )

    return JobRunner.of({
      run: Effect.all([loop, heartbeats, pruning, ...periodic], { concurrency: "unbounded", discard: true }).pipe(
        Effect.zipRight(Effect.never),
        Effect.ensuring(releaseClaims),
        inTurns
      ),
      drain: Effect.gen(function* () {
        let attempts = 0
        yield* Effect.forEach(periodicTasks, ({ run }) => run, { discard: true })
        for (;;) {
          // A job that ends during the poll may have enqueued another one, so poll again unless nothing was running.
          const wasIdle = running.size === 0
          const started = yield* claimDue
          attempts += started
          if (wasIdle && started === 0) return attempts
          const fibers = [...running.values()].map(({ fiber }) => fiber)
          // A job that ended since the poll has notified: its successors are due now, and the others may take long.
          if (fibers.length > 0) {
            yield* Effect.raceFirst(
              Effect.raceAll(fibers.map((fiber) => Effect.exit(Fiber.join(fiber)))),
              Effect.asVoid(signal.wait)
            )
          }
        }
      }).pipe(
        Effect.raceFirst(heartbeats),
        Effect.zipLeft(prune),
        Effect.onError(() => releaseClaims)
      )
    })
  })
