import { CacheTtl } from "@earshot/core"
import { make } from "../../src/kernel/TtlCache.js"
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"

describe("a short memory", () => {
  it.effect("tells what it learnt for five seconds from before the lookup began", () =>
    Effect.gen(function* () {
      const memory = yield* make<number>(10)
      const lookup = Effect.as(TestClock.adjust("2 seconds"), 7)
      expect(memory.get("a", yield* Clock.currentTimeMillis)).toBeUndefined()
      expect(yield* memory.load(lookup, (found) => [["a", found]])).toBe(7)
      yield* TestClock.adjust("2999 millis")
      expect(memory.get("a", yield* Clock.currentTimeMillis)).toBe(7)
      yield* TestClock.adjust("1 millis")
      expect(memory.get("a", yield* Clock.currentTimeMillis)).toBeUndefined()
    })
  )

  it.effect("does not learn what was forgotten while it was looked up", () =>
    Effect.gen(function* () {
      const memory = yield* make<number>(10)
      const answer = yield* Deferred.make<number>()
      const learning = yield* Effect.fork(memory.load(Deferred.await(answer), (found) => [["a", found]]))
      yield* Effect.yieldNow()
      yield* memory.invalidate((remembered) => remembered === 7)
      yield* Deferred.succeed(answer, 7)
      expect(yield* Fiber.join(learning)).toBe(7)
      expect(memory.get("a", yield* Clock.currentTimeMillis)).toBeUndefined()
    })
  )

  it.effect("forgets what it is told to, and keeps the rest", () =>
    Effect.gen(function* () {
      const memory = yield* make<number>(10)
      yield* memory.load(Effect.void, () => [
        ["a", 1],
        ["b", 2]
      ])
      yield* memory.invalidate((remembered) => remembered === 1)
      expect(memory.get("a", yield* Clock.currentTimeMillis)).toBeUndefined()
      expect(memory.get("b", yield* Clock.currentTimeMillis)).toBe(2)
    })
  )

  it.effect("never holds more than it may", () =>
    Effect.gen(function* () {
      const memory = yield* make<number>(2)
      for (const n of [1, 2, 1, 3]) yield* memory.load(Effect.succeed(n), (found) => [[String(found), found]])
      expect([
        memory.get("1", yield* Clock.currentTimeMillis),
        memory.get("2", yield* Clock.currentTimeMillis),
        memory.get("3", yield* Clock.currentTimeMillis)
      ]).toEqual([1, undefined, 3])
    })
  )

  it.effect("keeps nothing where staleness is nought", () =>
    Effect.gen(function* () {
      const memory = yield* make<number>(2).pipe(Effect.provideService(CacheTtl, Duration.zero))
      yield* memory.load(Effect.succeed(1), (found) => [["a", found]])
      expect(memory.get("a", yield* Clock.currentTimeMillis)).toBeUndefined()
    })
  )
})
