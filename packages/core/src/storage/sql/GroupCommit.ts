import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** How a group commit runs. */
export interface GroupCommitConfig<In, Out, E> {
  /** Concurrent writers: 1 where the database has one writer. */
  readonly writers: number
  /** The most items in one transaction. */
  readonly maxItems: number
  /** The most weight in one transaction, for items whose size differs; one item alone may weigh more. */
  readonly maxWeight: number
  readonly weigh: (item: In) => number
  /**
   * Writes these items in one transaction and returns the outcome of each, in order. A failure means that none was written.
   */
  readonly commit: (items: ReadonlyArray<In>) => Effect.Effect<ReadonlyArray<Exit.Exit<Out, E>>, E>
  /** Whether a failure may be caused by one item, so that the items are retried one by one. */
  readonly mayBeOneItems: (error: E) => boolean
  /** Whether the database takes no writes at the moment, so that items that have waited for the group fail with it. */
  readonly isBusy: (error: E) => boolean
  /** The error of items that are added after the scope was closed. */
  readonly closed: E
}

interface Waiting<In, Out, E> {
  readonly item: In
  readonly resume: (outcome: Effect.Effect<Out, E>) => void
  /** When it was added, in milliseconds of a monotonic clock. */
  readonly since: number
  withdrawn: boolean
}

/** Items that have waited this long behind a group that failed because the database is busy fail too, in milliseconds. */
const BUSY_WAIT = 1000

/**
 * Group commit: concurrent items share a transaction. There is no timer: an idle writer takes what is queued at the end of
 * the event loop's turn, so that a single client does not wait, and while it writes the next group accumulates. Each item
 * has its own outcome; when a group fails because of one, all are retried one by one. An item whose caller is interrupted
 * is withdrawn if no writer has taken it yet. Closing the scope writes what is queued and then ends.
 */
export const make = <In, Out, E>(config: GroupCommitConfig<In, Out, E>) =>
  Effect.gen(function* () {
    const queue: Array<Waiting<In, Out, E>> = []
    const idle: Array<() => void> = []
    let waking = 0
    let open = true

    const take = (): ReadonlyArray<Waiting<In, Out, E>> => {
      const taken: Array<Waiting<In, Out, E>> = []
      let weight = 0
      let next = 0
      for (; next < queue.length && taken.length < config.maxItems; next++) {
        const waiting = queue[next]
        if (waiting === undefined || waiting.withdrawn) continue
        weight += config.weigh(waiting.item)
        if (taken.length > 0 && weight > config.maxWeight) break
        taken.push(waiting)
      }
      queue.splice(0, next)
      return taken
    }

    /** The end of the event loop's turn: what other sockets brought meanwhile joins the group. */
    const turn: Effect.Effect<void> = Effect.async((resume) => {
      setImmediate(() => resume(Effect.void))
    })

    const wake = (): void => {
      if (waking > 0 && waking >= Math.ceil(queue.length / config.maxItems)) return
      const writer = idle.pop()
      if (writer === undefined) return
      waking++
      writer()
    }

    const work = Effect.async<boolean>((resume) => {
      if (queue.length > 0) {
        resume(Effect.succeed(true))
      } else if (!open) {
        resume(Effect.succeed(false))
      } else {
        idle.push(() => resume(Effect.succeed(true)))
      }
    })

    const answer = (group: ReadonlyArray<Waiting<In, Out, E>>, outcomes: ReadonlyArray<Exit.Exit<Out, E>>): void => {
      group.forEach((waiting, position) => {
        waiting.resume(outcomes[position] ?? Effect.dieMessage("A group commit answered fewer outcomes than items"))
      })
    }

    /** The next group would wait as long as this one did. Those that have only come are left to it. */
    const failWaiting = (cause: Cause.Cause<E>): void => {
      const before = performance.now() - BUSY_WAIT
      for (const waiting of queue) {
        if (waiting.withdrawn || waiting.since > before) continue
        waiting.withdrawn = true
        waiting.resume(Effect.failCause(cause))
      }
    }

    const write = (group: ReadonlyArray<Waiting<In, Out, E>>): Effect.Effect<void> =>
      Effect.flatMap(Effect.exit(config.commit(group.map((waiting) => waiting.item))), (exit) => {
        if (Exit.isSuccess(exit)) return Effect.sync(() => answer(group, exit.value))
        const isOurs = exit.cause._tag === "Fail" ? config.mayBeOneItems(exit.cause.error) : true
        if (group.length > 1 && isOurs) return Effect.forEach(group, (waiting) => write([waiting]), { discard: true })
        return Effect.sync(() => {
          for (const waiting of group) waiting.resume(Effect.failCause(exit.cause))
          if (exit.cause._tag === "Fail" && config.isBusy(exit.cause.error)) failWaiting(exit.cause)
        })
      })

    const writer: Effect.Effect<void> = Effect.gen(function* () {
      while (yield* work) {
        yield* turn
        waking = Math.max(0, waking - 1)
        const group = take()
        if (queue.length > 0) wake()
        if (group.length > 0) yield* write(group)
      }
    })

    const fibers = yield* Effect.forEach(Array.from({ length: config.writers }), () =>
      Effect.forkDaemon(Effect.uninterruptible(writer))
    )
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        open = false
        for (const wakeUp of idle.splice(0)) wakeUp()
        return Effect.forEach(fibers, (fiber) => fiber.await, { discard: true })
      })
    )

    return (item: In): Effect.Effect<Out, E> =>
      Effect.async<Out, E>((resume) => {
        if (!open) {
          resume(Effect.fail(config.closed))
          return
        }
        const waiting: Waiting<In, Out, E> = { item, resume, since: performance.now(), withdrawn: false }
        queue.push(waiting)
        wake()
        return Effect.sync(() => {
          waiting.withdrawn = true
        })
      })
  })
