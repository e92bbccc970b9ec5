/** Keeps a column store's projection of calls up to date with the primary database. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import type { StorageError } from "../kernel/Storage.js"
import { ColumnStoreHealth } from "./ColumnStoreHealth.js"
import { ColumnStore, type ColumnStoreUnavailable } from "./Projection.js"
import { type ProjectionBatch, ProjectionFeed } from "./ProjectionFeed.js"
import type { ProjectionStatus } from "./ProjectionStatus.js"
import { countBatch, countErasure, showLag } from "./ProjectionMetrics.js"
import { isErasureDue, type Lag, nextLag, pendingChanges } from "./ProjectionRules.js"

export interface ProjectorConfig {
  /** Changes that are applied at a time. Default: 2000. */
  readonly batch?: number
  /** How long the lease is valid without being extended: another process takes over after that. Default: 8 seconds. */
  readonly lease?: Duration.DurationInput
  /**
   * How long values of deleted and redacted calls may stay in the column store's files before they are erased from them.
   * Answers do not contain them from the moment of the deletion. Default: 5 minutes.
   */
  readonly eraseAfter?: Duration.DurationInput
}

export interface Projector {
  /**
   * Applies what is pending, and erases files if that is due. Does nothing if another process holds the lease, or for
   * some time after the column store failed, which is recorded in `ColumnStoreHealth` and is no error here.
   */
  readonly run: Effect.Effect<void, StorageError>
}

/** How long after a try to take the lease the next one is, in milliseconds. */
const RETRY_LEASE = 1000

/** Makes the projector of this process; the lease is given back when the scope closes. */
export const make = (
  config: ProjectorConfig = {}
): Effect.Effect<Projector, never, ColumnStore | ColumnStoreHealth | ProjectionFeed | Scope.Scope> =>
  Effect.gen(function* () {
    const store = yield* ColumnStore
    const health = yield* ColumnStoreHealth
    const feed = yield* ProjectionFeed
    const scope = yield* Effect.scope
    const turn = yield* Effect.makeSemaphore(1)
    const lease = Duration.toMillis(config.lease ?? "8 seconds")
    const eraseAfter = Duration.toMillis(config.eraseAfter ?? "5 minutes")
    const batchSize = config.batch ?? 2000
    let owner = randomUUID()
    /** Until when this process surely holds the lease, by its own clock; and when it tries again to take it. */
    let heldUntil = -Infinity
    let nextTry = -Infinity
    let lag: Lag = { appliedUntil: 0, mark: null }
    let erasing = false

    const lost = Effect.sync(() => {
      owner = randomUUID()
      heldUntil = -Infinity
    })

    /** Takes or extends the lease; whether this process has it now. */
    const acquire = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const active = (yield* health.failure) === undefined
      if (yield* feed.acquire(owner, { millis: lease, active })) {
        heldUntil = now + lease
        return true
      }
      yield* lost
      return false
    })

    /** Whether this process holds the lease; it is extended when a quarter of it is over. */
    const hold = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const isHeld = now < heldUntil
      if (isHeld ? now < heldUntil - (lease * 3) / 4 : now < nextTry) return isHeld
      nextTry = now + RETRY_LEASE
      return yield* acquire
    })

    /**
     * Extends the lease while something runs that may take longer: on a busy machine, batches that outlast the lease would
     * be applied again and again and never acknowledged.
     */
    const holding = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.raceFirst(
        work,
        acquire.pipe(
          // It is tried again, as long as the lease lasts.
          Effect.orElseSucceed(() => true),
          Effect.delay(lease / 4),
          // Without the lease, what is done is not acknowledged.
          Effect.repeat({ while: (isHeld) => isHeld }),
          Effect.zipRight(Effect.never)
        )
      )

    const measured = (status: ProjectionStatus) =>
      Effect.suspend(() => {
        lag = nextLag(lag.appliedUntil === 0 ? { ...lag, appliedUntil: status.now } : lag, status.pending, status.now)
        return showLag((status.now - lag.appliedUntil) / 1000, pendingChanges(status))
      })

    const apply = (batch: ProjectionBatch) =>
      Effect.gen(function* () {
        const startedAt = yield* Clock.currentTimeMillis
        let applied = 0
        for (const part of yield* holding(feed.parts(batch.calls))) {
          const upserts = yield* holding(feed.load(part, batch.version))
          const found = new Set<number>(upserts.map(({ id }) => id))
          const deletes = part.filter((id) => !found.has(id))
          // A process that stood still must not apply what another one has applied since.
          if ((yield* Clock.currentTimeMillis) >= heldUntil) return false
          yield* holding(store.apply({ upserts, deletes }))
          applied += upserts.length
        }
        if ((yield* Clock.currentTimeMillis) >= heldUntil || !(yield* feed.acknowledge(owner, batch))) return false
        const millis = (yield* Clock.currentTimeMillis) - startedAt
        yield* countBatch({ upserts: applied, deletes: batch.calls.length - applied, millis })
        return true
      })

    /** Begins anew where the column store has not what was applied, or a rebuild was requested. */
    const begin = Effect.gen(function* () {
      const { generation } = yield* holding(store.clear)
      yield* health.invalidate
      yield* Effect.logInfo("Building the column store's projection of all calls")
      return yield* feed.begin(owner, generation)
    })

    /** Erases files beside the projection, which does not wait for it. */
    const erase = (status: ProjectionStatus) =>
      Effect.suspend(() => {
        if (erasing || !isErasureDue(status, eraseAfter)) return Effect.void
        erasing = true
        return store.eraseFiles.pipe(
          Effect.zipRight(feed.erased(owner, status.now)),
          Effect.zipRight(countErasure),
          Effect.catchTag("ColumnStoreUnavailable", health.failed),
          Effect.catchAll((error) =>
            Effect.logWarning("Failed to record an erasure of the column store's files", { error })
          ),
          Effect.ensuring(Effect.sync(() => (erasing = false))),
          Effect.interruptible,
          Effect.forkIn(scope)
        )
      })

    /** One batch; whether there may be more. */
    const step: Effect.Effect<boolean, StorageError | ColumnStoreUnavailable> = Effect.gen(function* () {
      if (!(yield* hold)) return false
      const status = yield* feed.status
      yield* measured(status)
      const known = yield* health.generation(status.installation ?? "")
      // Another process may have begun another generation since.
      const generation =
        status.generation === known
          ? known
          : yield* Effect.zipRight(health.invalidate, health.generation(status.installation ?? ""))
      if (!status.recording || status.generation !== generation) return yield* begin
      const batch = yield* feed.take(owner, batchSize)
      if (batch === null) {
        yield* health.worked
        yield* erase(status)
        return false
      }
      if (yield* apply(batch)) {
        yield* health.worked
        return true
      }
      yield* lost
      return false
    })

    const steps: Effect.Effect<void, StorageError | ColumnStoreUnavailable> = Effect.flatMap(step, (more) =>
      more ? Effect.zipRight(Effect.yieldNow(), steps) : Effect.void
    )

    const release = Effect.suspend(() => {
      if (heldUntil === -Infinity) return Effect.void
      const former = owner
      return Effect.zipRight(lost, feed.release(former))
    })

    const failed = (error: ColumnStoreUnavailable) =>
      // Another process may reach it.
      Effect.zipRight(health.failed(error), release)

    yield* Effect.addFinalizer(() => Effect.ignore(release))
    return {
      run: Effect.flatMap(health.isUsable, (usable) =>
        usable ? Effect.catchTag(steps, "ColumnStoreUnavailable", failed) : Effect.void
      ).pipe(turn.withPermits(1))
    }
  })
