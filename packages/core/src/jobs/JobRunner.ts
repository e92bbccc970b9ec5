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
import { type Backoff, DEFAULT_BACKOFF, retryDelay } from "./Backoff.js"
import type { Claim } from "./Job.js"
import { JobSignal } from "./JobSignal.js"
import type { JobFailed } from "./JobErrors.js"
import { JobStore } from "./JobStore.js"

/** Who does the jobs of one kind. */
export interface JobHandler {
  readonly kind: string
  /** Jobs of this kind that this process runs at a time. */
  readonly concurrency: number
  /**
   * Does the work. It may be begun several times and in several processes one after the other, so doing it twice comes to
   * the same as doing it once. What must not be written by a process that has lost the job is written in a transaction
   * that asks `JobStore.holds` first.
   */
  readonly run: (claim: Claim) => Effect.Effect<void, JobFailed | StorageError>
}

/** What is looked after every so often by every process that runs jobs, so that doing it twice does no harm. */
export interface PeriodicTask {
  /** A sentence for the log of what could not be done: `Expired leases could not be taken back`. */
  readonly failure: string
  readonly every: Duration.DurationInput
  readonly run: Effect.Effect<unknown, StorageError>
}

export interface JobRunnerConfig {
  /** How long a job is this process's without a sign of life; 30 seconds unless told. */
  readonly lease?: Duration.DurationInput
  /** How often to look for jobs that other processes enqueued; half a second unless told. */
  readonly poll?: Duration.DurationInput
  readonly backoff?: Backoff
  /** How long jobs that succeeded stay in sight; a week unless told. */
  readonly keepSucceeded?: Duration.DurationInput
  /** How long dead jobs stay in sight; 90 days unless told. */
  readonly keepDead?: Duration.DurationInput
}

/** Runs the jobs of this process's kinds. */
export class JobRunner extends Context.Tag("@earshot/core/jobs/JobRunner")<
  JobRunner,
  {
    /**
     * Runs jobs as they become due until it is interrupted; jobs under way are then put back for others. A database that
     * cannot be reached is asked again later.
     */
    readonly run: Effect.Effect<never>
    /**
     * Does the chores once and runs every job that is due, those that become due meanwhile included; answers how many
     * attempts it made. Where the database fails it, what is under way is put back.
     */
    readonly drain: Effect.Effect<number, StorageError>
  }
>() {}

/** A sentence for the list of jobs: what is not expected tells its class alone, since its text may hold anything. */
const reasonOf = (cause: Cause.Cause<JobFailed | StorageError>): { reason: string; retry: boolean; asked: number } => {
  const failure = Cause.failureOption(cause)
  if (failure._tag === "Some") {
    const error = failure.value
    return error._tag === "JobFailed"
      ? { reason: error.reason, retry: error.retry, asked: error.retryAfter ?? 0 }
      : { reason: error.message, retry: true, asked: 0 }
  }
  const defect = Cause.squash(cause)
  return { reason: `Unexpected: ${defect instanceof Error ? defect.name : "defect"}.`, retry: true, asked: 0 }
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
    const bell = yield* JobSignal
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
        const { asked, reason, retry } = reasonOf(exit.cause)
        const again = retry && claim.attempt < claim.maxAttempts
        const chance = yield* Random.next
        const retryAt = again ? now + retryDelay(claim.attempt, backoff, chance, asked) : null
        const kept = yield* work.atomically(store.fail(claim, { reason, retryAt }, now))
        if (kept && !again) {
          yield* Effect.logWarning("A job is dead", {
            job: claim.id,
            kind: claim.kind,
            attempts: claim.attempt,
            reason
          })
        }
        if (Cause.isDie(exit.cause))
          yield* Effect.logError("A job died of a defect", { job: claim.id, kind: claim.kind }, exit.cause)
      }).pipe(
        // The lease runs out and the job is taken up again: its work is such that this does no harm.
        Effect.catchAll((error) =>
          Effect.logWarning("What became of a job could not be kept", { job: claim.id, error })
        )
      )

    /** Runs a claimed job to its end, whatever that is. Interrupted, it leaves the job as it is. */
    const attempt = (handler: JobHandler, claim: Claim): Effect.Effect<void> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(Effect.exit(restore(handler.run(claim))), (exit) =>
          Exit.isFailure(exit) && Cause.isInterrupted(exit.cause) ? Effect.interrupt : settle(claim, exit)
        )
      ).pipe(Effect.withSpan(`job ${handler.kind}`, { captureStackTrace: false }))

    const busy = (kind: string): number => {
      let count = 0
      for (const one of running.values()) if (one.claim.kind === kind) count++
      return count
    }

    /** Takes what is due and starts it; answers how many were started. */
    const claimDue = Effect.gen(function* () {
      const withCapacity = handlers.filter(({ concurrency, kind }) => busy(kind) < concurrency)
      if (withCapacity.length === 0) return 0
      const looked = yield* Clock.currentTimeMillis
      const wanted = withCapacity.map(({ kind }) => kind)
      if (!(yield* store.hasDue(wanted, looked))) return 0
      const claimed = yield* work.atomically(
        Effect.gen(function* () {
          // Waiting for the database's lock may have taken its time, and the lease begins now.
          const now = yield* Clock.currentTimeMillis
          yield* store.markExhaustedDead(wanted, now)
          return yield* Effect.forEach(withCapacity, (handler) =>
            Effect.map(
              store.claim(
                owner,
                { kind: handler.kind, limit: handler.concurrency - busy(handler.kind) },
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
          // A fiber begins as its parent is, and this one has to be open to interruption.
          Effect.interruptible(attempt(handler, claim)).pipe(
            Effect.ensuring(
              Effect.zipRight(
                Effect.sync(() => running.delete(claim.id)),
                bell.notify
              )
            )
          )
        )
        running.set(claim.id, { claim, fiber })
        // It may be over by now.
        if ((yield* Fiber.poll(fiber))._tag === "Some") running.delete(claim.id)
      }
      return all.length
      // What is claimed has to be started: between the two nothing interrupts.
    }).pipe(Effect.uninterruptible)

    /** Prolongs the leases of what runs, and stops what is no longer ours. */
    const heartbeat = Effect.gen(function* () {
      const held = [...running.values()]
      if (held.length === 0) return
      const now = yield* Clock.currentTimeMillis
      const kept = new Set<number>(
        yield* work.atomically(
          store.extend(
            held.map(({ claim }) => claim),
            { now, until: now + lease }
          )
        )
      )
      for (const { claim, fiber } of held) {
        if (!kept.has(claim.id) && running.get(claim.id)?.fiber === fiber) {
          yield* Effect.logWarning("A job's lease was lost", { job: claim.id, kind: claim.kind })
          yield* Fiber.interruptFork(fiber)
        }
      }
    }).pipe(Effect.catchAll((error) => Effect.logWarning("Leases of jobs could not be prolonged", { error })))

    const heartbeats = Effect.forever(Effect.zipRight(Effect.sleep(Duration.millis(lease / 3)), heartbeat))

    const prune = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      work.atomically(store.prune({ succeeded: now - keepSucceeded, dead: now - keepDead }))
    ).pipe(Effect.catchAll((error) => Effect.logWarning("Old jobs could not be removed", { error })))

    const regularly = periodicTasks.map(({ every, failure, run }) =>
      Effect.forever(
        Effect.zipRight(
          run.pipe(
            Effect.catchAll((error) => Effect.logWarning(failure, { error })),
            // As with the loop: what nobody watches must go on.
            Effect.catchAllDefect((defect) => Effect.logError(failure, { defect }))
          ),
          Effect.sleep(every)
        )
      )
    )

    const housekeeping = Effect.forever(Effect.zipRight(prune, Effect.sleep("1 hour")))

    /** Ends what runs and puts it back. */
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
    }).pipe(Effect.catchAll((error) => Effect.logWarning("Jobs could not be put back", { error })))

    const loop = claimDue.pipe(
      Effect.catchAll((error) => Effect.as(Effect.logWarning("Jobs could not be looked for", { error }), 0)),
      // Nobody watches the worker: one that ended would leave every job waiting for good.
      Effect.catchAllDefect((defect) => Effect.as(Effect.logError("Jobs could not be looked for", { defect }), 0)),
      Effect.flatMap((started) => (started > 0 ? Effect.void : Effect.race(bell.wait, Effect.sleep(poll)))),
      Effect.forever
    )

    return JobRunner.of({
      run: Effect.all([loop, heartbeats, housekeeping, ...regularly], { concurrency: "unbounded", discard: true }).pipe(
        Effect.zipRight(Effect.never),
        Effect.ensuring(releaseClaims)
      ),
      drain: Effect.gen(function* () {
        let attempts = 0
        yield* Effect.forEach(periodicTasks, ({ run }) => run, { discard: true })
        for (;;) {
          // One that ends during the look may have enqueued another after it: then it is looked for again.
          const wasIdle = running.size === 0
          const started = yield* claimDue
          attempts += started
          if (wasIdle && started === 0) return attempts
          const fibers = [...running.values()].map(({ fiber }) => fiber)
          // One that ended since the look rang the bell: what waited for it is due now, and the others may take long.
          if (fibers.length > 0) {
            yield* Effect.raceFirst(
              Effect.raceAll(fibers.map((fiber) => Effect.exit(Fiber.join(fiber)))),
              Effect.asVoid(bell.wait)
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
