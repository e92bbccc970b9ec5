import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { makeRemoveOldest } from "./OldestFirst.js"

/**
 * How long a process may serve cached reads after another process has changed the data: the state of API keys, links and
 * tokens, and which agent an id names. Zero disables the cache. Default: 5 seconds.
 */
export class CacheTtl extends Context.Reference<CacheTtl>()("@earshot/core/kernel/CacheTtl", {
  defaultValue: (): Duration.Duration => Duration.seconds(5)
}) {}

/** A cache within this process whose entries expire after `CacheTtl`. */
export interface TtlCache<A> {
  /** The value cached under a key, if it has not expired at `now` (epoch milliseconds). */
  readonly get: (key: string, now: number) => A | undefined
  /**
   * Runs a lookup and caches the entries that `entriesOf` derives from its result. Nothing is cached if an invalidation
   * happens while the lookup runs: it may have read the old state.
   */
  readonly load: <B, E, R>(
    lookup: Effect.Effect<B, E, R>,
    entriesOf: (found: B) => Iterable<readonly [key: string, value: A]>
  ) => Effect.Effect<B, E, R>
  /** Removes entries that this process has just changed; call it after the transaction has ended. */
  readonly invalidate: (matches: (value: A) => boolean) => Effect.Effect<void>
}

/** A cache of at most `capacity` entries; the oldest ones are evicted first. */
export const make = <A>(capacity: number): Effect.Effect<TtlCache<A>> =>
  Effect.map(CacheTtl, (cacheTtl) => {
    const ttl = Duration.toMillis(cacheTtl)
    const entries = new Map<string, { readonly value: A; readonly expiresAt: number }>()
    const removeOldest = makeRemoveOldest(entries)
    let invalidations = 0
    return {
      get: (key, now) => {
        const entry = entries.get(key)
        if (entry === undefined) return undefined
        if (now < entry.expiresAt) return entry.value
        entries.delete(key)
        return undefined
      },
      load: (lookup, entriesOf) =>
        Effect.gen(function* () {
          if (ttl <= 0) return yield* lookup
          const before = invalidations
          // Counted from before the lookup, since what it reads may be as old as its start.
          const expiresAt = (yield* Clock.currentTimeMillis) + ttl
          const found = yield* lookup
          if (invalidations === before) {
            for (const [key, value] of entriesOf(found)) {
              entries.delete(key)
              if (entries.size >= capacity) removeOldest()
              entries.set(key, { value, expiresAt })
            }
          }
          return found
        }),
      invalidate: (matches) =>
        Effect.sync(() => {
          invalidations++
          for (const [key, { value }] of entries) if (matches(value)) entries.delete(key)
        })
    }
  })
