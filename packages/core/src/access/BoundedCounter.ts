/** Counts by subject in windows of time, for subjects that callers choose: its memory is bounded. */
import { makeRemoveOldest } from "../kernel/OldestFirst.js"

/** A subject's count in its current window. */
export interface WindowCount {
  readonly count: number
  /** Milliseconds until the window ends, and the count starts again. */
  readonly remainingMillis: number
}

export interface BoundedCounter {
  /** Counts one for a subject, at `now` (epoch milliseconds). */
  readonly add: (subject: string, now: number) => WindowCount
  /** The subject's count without counting. */
  readonly read: (subject: string, now: number) => WindowCount
}

/**
 * A counter of at most `capacity` subjects; beyond it, those whose window began first are forgotten. A subject's window
 * begins with its first count.
 */
export const makeBoundedCounter = (windowMillis: number, capacity: number): BoundedCounter => {
  const counts = new Map<string, { count: number; readonly endsAt: number }>()
  const removeOldest = makeRemoveOldest(counts)

  const current = (subject: string, now: number) => {
    const found = counts.get(subject)
    if (found === undefined || now < found.endsAt) return found
    counts.delete(subject)
    return undefined
  }

  return {
    add: (subject, now) => {
      const known = current(subject, now)
      if (known !== undefined) {
        known.count++
        return { count: known.count, remainingMillis: known.endsAt - now }
      }
      if (counts.size >= capacity) removeOldest()
      counts.set(subject, { count: 1, endsAt: now + windowMillis })
      return { count: 1, remainingMillis: windowMillis }
    },
    read: (subject, now) => {
      const known = current(subject, now)
      return known === undefined
        ? { count: 0, remainingMillis: 0 }
        : { count: known.count, remainingMillis: known.endsAt - now }
    }
  }
}
