import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Scheduler from "effect/Scheduler"

/** How long tasks may run in one turn of the event loop, in milliseconds. */
const SLICE_MILLIS = 5

/** The same after a connection was accepted: more of them may wait, and each turn accepts one. */
const SHORT_SLICE_MILLIS = 1

/** The short slices after a connection was accepted: the rest of its turn, and the next one until it polls for sockets. */
const SHORT_SLICES = 2

/** Runs the tasks of fibers in slices, between which the event loop turns. */
export interface TurnScheduler extends Scheduler.Scheduler {
  /** Makes the next slices short, since something waits for the next turn. */
  readonly hurry: () => void
}

/**
 * A scheduler that returns to the event loop within milliseconds. Effect's default scheduler runs everything that is ready in
 * microtasks, up to 2,048 rounds of them, before sockets and timers are served. Statements of SQLite complete at once, so
 * their fibers are always ready: with 64 clients and evaluations the loop turned twice a second, and since libuv accepts
 * one connection per turn, the last of 64 connections was accepted after ten seconds.
 *
 * @param now the time in milliseconds
 */
export const make = (now: () => number = () => performance.now()): TurnScheduler => {
  let added = new Scheduler.PriorityBuckets()
  let current: ReadonlyArray<Scheduler.Task> = []
  let next = 0
  /** When the tasks of this turn of the event loop began to run; undefined before. */
  let sliceStart: number | undefined
  let shortSlices = 0
  /** How long tasks have run in this turn. */
  let ran = 0
  /** No tasks run until then while connections are accepted. */
  let pausedUntil = -Infinity
  let isScheduled = false

  const isPaused = (): boolean => shortSlices > 0 && now() < pausedUntil

  const isSliceOver = (): boolean =>
    isPaused() ||
    (sliceStart !== undefined && now() - sliceStart >= (shortSlices > 0 ? SHORT_SLICE_MILLIS : SLICE_MILLIS))

  const endTurn = (): void => {
    sliceStart = undefined
    // A task is not interrupted. What it ran too long is made up for, or each of many connections waits for such a task.
    if (ran > SHORT_SLICE_MILLIS) pausedUntil = now() + ran - SHORT_SLICE_MILLIS
    ran = 0
    shortSlices = Math.max(0, shortSlices - 1)
    if (!isScheduled) return
    if (isPaused()) beginSlice()
    else run()
  }

  const beginSlice = (): void => {
    if (sliceStart !== undefined) return
    sliceStart = now()
    setImmediate(endTurn)
  }

  /** The next task, by priority among those that were added since the last round. */
  const take = (): Scheduler.Task | undefined => {
    if (next >= current.length) {
      current = added.buckets.flatMap(([, tasks]) => tasks)
      added = new Scheduler.PriorityBuckets()
      next = 0
    }
    return current[next++]
  }

  const runSlice = (): void => {
    do {
      const task = take()
      if (task === undefined) {
        isScheduled = false
        return
      }
      task()
    } while (!isSliceOver())
    // The rest runs in a later turn, by `endTurn`.
  }

  const run = (): void => {
    beginSlice()
    const start = now()
    runSlice()
    ran += now() - start
  }

  return {
    shouldYield: (fiber) => Scheduler.defaultScheduler.shouldYield(fiber),
    scheduleTask: (task, priority) => {
      added.scheduleTask(task, priority)
      if (isScheduled) return
      isScheduled = true
      if (isPaused()) beginSlice()
      // Without a slice that has ended, tasks run at the end of the current callback, as with the default scheduler.
      else if (!isSliceOver()) queueMicrotask(run)
    },
    hurry: () => {
      shortSlices = SHORT_SLICES
    }
  }
}

/** The scheduler that all requests and jobs of this process share, so that none of them keeps the others waiting. */
export const turnScheduler: TurnScheduler = make()

/**
 * Whether the program has set no scheduler of its own. A `ManagedRuntime` builds its layers by a `SyncScheduler`, which stays
 * in the runtime and from then on passes tasks to the default one.
 */
export const isDefault = (scheduler: Scheduler.Scheduler): boolean =>
  scheduler === Scheduler.defaultScheduler || scheduler instanceof Scheduler.SyncScheduler

/** Runs an effect by `turnScheduler`, unless the program has set a scheduler of its own. */
export const inTurns = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(FiberRef.get(FiberRef.currentScheduler), (scheduler) =>
    isDefault(scheduler) ? Effect.withScheduler(effect, turnScheduler) : effect
  )
