import { randomUUID } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { JobId } from "../kernel/Ids.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { inTurns } from "../kernel/TurnScheduler.js"
import { type Backoff, DEFAULT_BACKOFF } from "./Backoff.js"
import { claimableOrganizations, quotasOf } from "./ClaimRules.js"
import type { Claim } from "./Job.js"
import * as JobActivity from "./JobActivity.js"
import { type BatchHandler, capacityOf, isBatchHandler, type JobHandler } from "./JobHandler.js"
import * as JobOutcomes from "./JobOutcomes.js"
import { JobSignal } from "./JobSignal.js"
import { JobStore } from "./JobStore.js"
import { RunningJobs } from "./RunningJobs.js"

/** An idempotent task that every process with a job runner repeats. */
export interface PeriodicTask {
  /** The log message when it fails: `Failed to reclaim expired run leases`. */
  readonly failure: string
  readonly every: Duration.DurationInput
  readonly run: Effect.Effect<unknown, StorageError>
}

export interface JobRunnerConfig {
  /** How long a claim is valid without a heartbeat; a quarter of it is the time between heartbeats. Default: 8 seconds. */
  readonly lease?: Duration.DurationInput
  /** How often to poll for jobs that other processes enqueued. Default: 0.5 seconds. */
  readonly poll?: Duration.DurationInput
  readonly backoff?: Backoff
  /** How long succeeded jobs are retained. Default: 10 minutes. */
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
     * Runs the periodic tasks once and every due job, including those that become due meanwhile; returns how many jobs it
     * ran. A job that was attempted twice, or handed over to another kind, counts once. If the database fails, the claims
     * of running jobs are released.
     */
    readonly drain: Effect.Effect<number, StorageError>
  }
>() {}

/** Succeeded and dead jobs deleted by one statement each. */
const PRUNED = 1000

/**
 * Milliseconds before a handler that pauses is asked again. Notifications do not wake the runner meanwhile: each of the ingests
 * that it pauses for would.
 */
const SHORTEST_PAUSE = 5
const LONGEST_PAUSE = 100

/** Milliseconds between two searches for jobs whose lease expired on their last attempt. */
const EXHAUSTED = 1000

/** Makes the runner of these handlers. */
export const make = (
  handlers: ReadonlyArray<JobHandler | BatchHandler>,
  config: JobRunnerConfig = {},
  periodicTasks: ReadonlyArray<PeriodicTask> = []
) =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const work = yield* UnitOfWork
    const signal = yield* JobSignal
    const activity = yield* JobActivity.JobActivity
    const lease = Duration.toMillis(config.lease ?? "8 seconds")
    const poll = Duration.toMillis(config.poll ?? "500 millis")
    const keepSucceeded = Duration.toMillis(config.keepSucceeded ?? "10 minutes")
    const keepDead = Duration.toMillis(config.keepDead ?? "90 days")
    const owner = randomUUID()
    const running = new RunningJobs()
    const outcomes = yield* JobOutcomes.make(config.backoff ?? DEFAULT_BACKOFF)
    /** The organization whose turn was last, by kind. */
    const turns = new Map<string, number>()
    const kinds = handlers.map(({ kind }) => kind)
    let searchedExhaustedAt = -Infinity

    const markExhaustedDead = (now: number) =>
      Effect.suspend(() => {
        if (Math.abs(now - searchedExhaustedAt) < EXHAUSTED) return Effect.void
        searchedExhaustedAt = now
        return store.markExhaustedDead(kinds, now)
      })

    /** Whether further jobs of a kind may begin: without capacity storage need not be asked for them. */
    const hasCapacity = (handler: JobHandler | BatchHandler) =>
      claimableOrganizations(capacityOf(handler), running.byOrganization(handler.kind)) === 0
        ? Effect.succeed(false)
        : isBatchHandler(handler)
          ? Effect.succeed(true)
          : (handler.hasCapacity ?? Effect.succeed(true))

    /** The quotas of a kind at its next claim. */
    const quotasFor = (handler: JobHandler | BatchHandler, now: number) =>
      Effect.gen(function* () {
        const capacity = capacityOf(handler)
        const counts = running.byOrganization(handler.kind)
        const limit = claimableOrganizations(capacity, counts)
        const waiting = yield* store.waiting(handler.kind, { after: turns.get(handler.kind) ?? 0, limit }, now)
        return quotasOf(capacity, counts, waiting)
      })

    /** Interrupts jobs whose claims were lost. */
    const stopLost = (lost: ReadonlyArray<Claim>) =>
      Effect.forEach(
        lost,
        (claim) => {
          activity.lostLease(claim.kind)
          return Effect.zipRight(
            Effect.logWarning("Job lease lost", { job: claim.id, kind: claim.kind }),
            running.stop(claim)
          )
        },
        { discard: true }
      )

    const start = (fiberOf: Effect.Effect<void>, claims: ReadonlyArray<Claim>, isInterruptible: boolean) =>
      Effect.gen(function* () {
        const startedAt = yield* Clock.currentTimeMillis
        // This process stood still for so long that it claimed a job again which it still runs.
        yield* stopLost(running.earlier(claims))
        const fiber = yield* Effect.forkDaemon(
          // A fiber inherits the interruptibility of its parent, and this one must be interruptible.
          Effect.interruptible(fiberOf).pipe(
            Effect.ensuring(
              Effect.flatMap(Clock.currentTimeMillis, (now) => {
                running.remove(claims)
                for (const { kind } of claims) activity.ended(kind, (now - startedAt) / 1000)
                return signal.wake
              })
            )
          )
        )
        running.add(claims, fiber, isInterruptible, startedAt)
        // It may have ended already.
        if ((yield* Fiber.poll(fiber))._tag === "Some") running.remove(claims)
      })

    /** Claims due jobs of a kind and starts them; returns the claims. */
    const claimKind = (handler: JobHandler | BatchHandler, now: number) =>
      Effect.gen(function* () {
        const quotas = yield* quotasFor(handler, now)
        const last = quotas.at(-1)
        if (last === undefined) return []
        turns.set(handler.kind, last.organizationId)
        const claimed = yield* work.atomically(
          // The time is read here: waiting for the database lock may have taken long, and the lease starts now.
          Effect.flatMap(store.now, (now) =>
            store.claim(owner, { kind: handler.kind, quotas }, { now, until: now + lease })
          )
        )
        activity.claimed(handler.kind, claimed.length)
        if (isBatchHandler(handler)) {
          for (let i = 0; i < claimed.length; i += handler.batch) {
            const batch = claimed.slice(i, i + handler.batch)
            yield* start(outcomes.attemptAll(handler, batch), batch, false)
          }
        } else {
          for (const claim of claimed) yield* start(outcomes.attempt(handler, claim), [claim], true)
        }
        return claimed
        // Uninterruptible, so that everything claimed is started.
      }).pipe(Effect.uninterruptible)

    /** Claims due jobs of these handlers and starts them; returns the claims. */
    const claimDue = (from: ReadonlyArray<JobHandler | BatchHandler>) =>
      Effect.gen(function* () {
        const now = yield* store.now
        yield* markExhaustedDead(now)
        const able = yield* Effect.filter(from, hasCapacity)
        // Most kinds have no jobs most of the time, and this asks for all of them in one statement.
        const unfinished = able.length === 0 ? [] : yield* store.unfinished(able.map(({ kind }) => kind))
        const claimed: Array<Claim> = []
        for (const handler of able) {
          if (unfinished.includes(handler.kind)) claimed.push(...(yield* claimKind(handler, now)))
        }
        return claimed
      })

    /** Claims as `claimDue`, of handlers that do not pause; returns how many, and how long the others pause at least. */
    const claimUnpaused = Effect.gen(function* () {
      const pauses = yield* Effect.forEach(handlers, (handler) =>
        isBatchHandler(handler) && handler.pause !== undefined ? handler.pause : Effect.succeed(0)
      )
      const claimed = yield* claimDue(handlers.filter((_, i) => pauses[i] === 0))
      return { started: claimed.length, pause: Math.min(...pauses.filter((pause) => pause > 0)) }
    })

    /** Extends the leases of running jobs, and interrupts those whose claim was lost. */
    const heartbeat = Effect.gen(function* () {
      const claims = running.claims()
      if (claims.length === 0) return
      const at = yield* Clock.currentTimeMillis
      const extended = new Set<number>(
        yield* work.atomically(Effect.flatMap(store.now, (now) => store.extend(claims, { now, until: now + lease })))
      )
      running.confirm(
        claims.filter(({ id }) => extended.has(id)),
        at
      )
      yield* stopLost(claims.filter((claim) => !extended.has(claim.id) && running.has(claim)))
    }).pipe(
      Effect.timeout(Duration.millis(lease / 2)),
      Effect.catchAll((error) => Effect.logWarning("Failed to extend job leases", { error })),
      // Without the database a process stops before another one, or it itself, may claim the jobs again.
      Effect.zipRight(
        Effect.flatMap(Clock.currentTimeMillis, (now) => stopLost(running.unconfirmedSince(now - (lease * 3) / 4)))
      )
    )

    const heartbeats = Effect.forever(Effect.zipRight(Effect.sleep(Duration.millis(lease / 4)), heartbeat))

    const prune = Effect.gen(function* () {
      for (;;) {
        const pruned = yield* work.atomically(
          Effect.flatMap(store.now, (now) =>
            store.prune({ succeeded: now - keepSucceeded, dead: now - keepDead, limit: PRUNED })
          )
        )
        if (pruned < PRUNED) return
      }
    }).pipe(Effect.catchAll((error) => Effect.logWarning("Failed to delete old jobs", { error })))

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

    const pruning = Effect.forever(Effect.zipRight(prune, Effect.sleep("10 seconds")))

    /** Interrupts running jobs and releases their claims. */
    const releaseClaims = Effect.gen(function* () {
      const held = running.claims()
      yield* Fiber.interruptAll(running.fibers())
      if (held.length > 0) yield* work.atomically(Effect.flatMap(store.now, (now) => store.release(held, now)))
    }).pipe(Effect.catchAll((error) => Effect.logWarning("Failed to release job claims", { error })))

    const nothing = { started: 0, pause: Infinity }

    const loop = claimUnpaused.pipe(
      Effect.catchAll((error) => Effect.as(Effect.logWarning("Failed to poll for due jobs", { error }), nothing)),
      // A defect must not end the worker: every job would wait forever.
      Effect.catchAllDefect((defect) => Effect.as(Effect.logError("Failed to poll for due jobs", { defect }), nothing)),
      Effect.flatMap(({ pause, started }) =>
        started > 0
          ? Effect.void
          : pause < Infinity
            ? Effect.sleep(Math.min(poll, LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, pause)))
            : Effect.race(signal.wait, Effect.sleep(poll))
      ),
      Effect.forever
    )

    return JobRunner.of({
      run: Effect.scoped(
        Effect.zipRight(
          signal.receive,
          Effect.all([loop, heartbeats, pruning, ...periodic], { concurrency: "unbounded", discard: true })
        )
      ).pipe(Effect.zipRight(Effect.never), Effect.ensuring(releaseClaims), inTurns),
      drain: Effect.gen(function* () {
        const ran = new Set<JobId>()
        yield* Effect.forEach(periodicTasks, ({ run }) => run, { discard: true })
        for (;;) {
          // A job that ends during the poll may have enqueued another one, so poll again unless nothing was running.
          const wasIdle = running.size === 0
          const started = yield* claimDue(handlers)
          for (const { id } of started) ran.add(id)
          if (wasIdle && started.length === 0) return ran.size
          const fibers = running.fibers()
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
