import * as Effect from "effect/Effect"

/** Limits how many effects run at a time, in total and per key; keys that wait take turns. */
export interface FairSemaphore {
  readonly withPermit: (key: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/**
 * @param limits `perKey` below `permits` leaves room for another key while one of them fills what it may
 */
export const make = ({ perKey, permits }: { readonly permits: number; readonly perKey: number }): FairSemaphore => {
  const running = new Map<string, number>()
  /** Those that wait, by key; the key whose turn is next comes first. */
  const waiting = new Map<string, Set<() => void>>()
  let total = 0
  const runningOf = (key: string): number => running.get(key) ?? 0

  const start = (): void => {
    while (total < permits) {
      const next = [...waiting].find(([key]) => runningOf(key) < perKey)
      if (next === undefined) return
      const [key, waiters] = next
      const [grant] = waiters
      waiting.delete(key)
      if (grant === undefined) continue
      waiters.delete(grant)
      if (waiters.size > 0) waiting.set(key, waiters)
      running.set(key, runningOf(key) + 1)
      total++
      grant()
    }
  }

  const acquire = (key: string): Effect.Effect<void> =>
    Effect.async((resume: (granted: Effect.Effect<void>) => void) => {
      const grant = (): void => resume(Effect.void)
      const waiters = waiting.get(key)
      if (waiters === undefined) waiting.set(key, new Set([grant]))
      else waiters.add(grant)
      start()
      return Effect.sync(() => {
        waiting.get(key)?.delete(grant)
        if (waiting.get(key)?.size === 0) waiting.delete(key)
      })
    })

  const release = (key: string): Effect.Effect<void> =>
    Effect.sync(() => {
      const rest = runningOf(key) - 1
      if (rest === 0) running.delete(key)
      else running.set(key, rest)
      total--
      start()
    })

  return {
    withPermit: (key) => (effect) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.zipRight(restore(acquire(key)), Effect.ensuring(restore(effect), release(key)))
      )
  }
}
