import { CacheTtl } from "@earshot/core"
import { make } from "../../src/kernel/TtlCache.js"
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"

describe("TtlCache", () => {
  it.effect("returns an entry for five seconds, counted from the start of its lookup", () =>
    Effect.gen(function* () {
      const cache = yield* make<number>(10)
      const lookup = Effect.as(TestClock.adjust("2 seconds"), 7)
      expect(cache.get("a", yield* Clock.currentTimeMillis)).toBeUndefined()
      expect(yield* cache.load(lookup, (found) => [["a", found]])).toBe(7)
      yield* TestClock.adjust("2999 millis")
      expect(cache.get("a", yield* Clock.currentTimeMillis)).toBe(7)
      yield* TestClock.adjust("1 millis")
      expect(cache.get("a", yield* Clock.currentTimeMillis)).toBeUndefined()
    })
  )

  it.effect("caches nothing if entries are invalidated during the lookup", () =>
    Effect.gen(function* () {
      const cache = yield* make<number>(10)
      const value = yield* Deferred.make<number>()
      const loading = yield* Effect.fork(cache.load(Deferred.await(value), (found) => [["a", found]]))
      yield* Effect.yieldNow()
      yield* cache.invalidate((cached) => cached === 7)
      yield* Deferred.succeed(value, 7)
      expect(yield* Fiber.join(loading)).toBe(7)
      expect(cache.get("a", yield* Clock.currentTimeMillis)).toBeUndefined()
    })
  )

  it.effect("invalidates the matching entries and keeps the others", () =>
    Effect.gen(function* () {
      const cache = yield* make<number>(10)
      yield* cache.load(Effect.void, () => [
        ["a", 1],
        ["b", 2]
      ])
      yield* cache.invalidate((cached) => cached === 1)
      expect(cache.get("a", yield* Clock.currentTimeMillis)).toBeUndefined()
      expect(cache.get("b", yield* Clock.currentTimeMillis)).toBe(2)
    })
  )

  it.effect("never exceeds its capacity", () =>
    Effect.gen(function* () {
      const cache = yield* make<number>(2)
      for (const n of [1, 2, 1, 3]) yield* cache.load(Effect.succeed(n), (found) => [[String(found), found]])
      expect([
        cache.get("1", yield* Clock.currentTimeMillis),
        cache.get("2", yield* Clock.currentTimeMillis),
        cache.get("3", yield* Clock.currentTimeMillis)
      ]).toEqual([1, undefined, 3])
    })
  )

  it.effect("caches nothing if the ttl is zero", () =>
    Effect.gen(function* () {
      const cache = yield* make<number>(2).pipe(Effect.provideService(CacheTtl, Duration.zero))
      yield* cache.load(Effect.succeed(1), (found) => [["a", found]])
      expect(cache.get("a", yield* Clock.currentTimeMillis)).toBeUndefined()
    })
  )
})
