/** A clock for tests whose time passes as soon as every fiber waits for it, so that minutes of a program take milliseconds. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

interface Sleeper {
  readonly at: number
  readonly order: number
  readonly wake: () => void
}

/** A binary heap: the earliest first, in the order of insertion. */
const makeHeap = () => {
  const items: Array<Sleeper> = []
  const isBefore = (a: Sleeper, b: Sleeper): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)
  const swap = (a: number, b: number): void => {
    const [first, second] = [items[a], items[b]]
    if (first === undefined || second === undefined) return
    items[a] = second
    items[b] = first
  }
  const isOrdered = (above: number, below: number): boolean => {
    const [first, second] = [items[above], items[below]]
    return first === undefined || second === undefined || isBefore(first, second)
  }
  return {
    push: (item: Sleeper): void => {
      items.push(item)
      for (let at = items.length - 1; at > 0;) {
        const above = (at - 1) >> 1
        if (isOrdered(above, at)) return
        swap(above, at)
        at = above
      }
    },
    pop: (): Sleeper | undefined => {
      swap(0, items.length - 1)
      const first = items.pop()
      for (let at = 0; ;) {
        const left = 2 * at + 1
        const least = isOrdered(left, left + 1) ? left : left + 1
        if (isOrdered(at, least)) return first
        swap(at, least)
        at = least
      }
    }
  }
}

/** A clock that starts at 0. It does not wait for work outside of fibers, such as sockets and files. */
export const makeVirtualClock = (): Clock.Clock => {
  const sleepers = makeHeap()
  let now = 0
  let order = 0
  let isAdvancing = false
  const advance = (): void => {
    const next = sleepers.pop()
    if (next === undefined) {
      isAdvancing = false
      return
    }
    now = Math.max(now, next.at)
    next.wake()
    setImmediate(advance)
  }
  const schedule = (task: () => void, duration: Duration.Duration): (() => boolean) => {
    let isDue = true
    const wake = (): void => {
      if (!isDue) return
      isDue = false
      task()
    }
    sleepers.push({ at: now + Duration.toMillis(duration), order: order++, wake })
    if (!isAdvancing) {
      isAdvancing = true
      setImmediate(advance)
    }
    return () => {
      const wasDue = isDue
      isDue = false
      return wasDue
    }
  }
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: () => now,
    unsafeCurrentTimeNanos: () => BigInt(Math.round(now * 1e6)),
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanos: Effect.sync(() => BigInt(Math.round(now * 1e6))),
    sleep: (duration) =>
      Effect.async((resume) => {
        const cancel = schedule(() => {
          resume(Effect.void)
        }, duration)
        return Effect.sync(() => {
          cancel()
        })
      })
  }
}

/** Runs a program under a virtual clock of its own. */
export const withVirtualClock = <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => Effect.withClock(program, makeVirtualClock()))
