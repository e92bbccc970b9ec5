import { type Allowances, RateLimiter } from "@earshot/core"
import { expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { describe } from "vitest"

/**
 * What every `RateLimiter` has to do.
 *
 * @param make a limiter of these allowances that has counted nothing yet
 */
export const rateLimiterContract = <E>(
  subject: string,
  make: (allowances: Allowances) => Layer.Layer<RateLimiter, E>
): void => {
  const using = <A, E2>(allowances: Allowances, steps: Effect.Effect<A, E2, RateLimiter>) =>
    Effect.provide(steps, make(allowances))
  const spend = (of: string) => Effect.flatMap(RateLimiter, (limiter) => limiter.spend(of))
  const refuse = (...of: ReadonlyArray<string>) => Effect.flatMap(RateLimiter, (limiter) => limiter.refuse(of))
  const isSuspect = (...of: ReadonlyArray<string>) =>
    Effect.flatMap(RateLimiter, (limiter) => Effect.map(Clock.currentTimeMillis, (now) => limiter.isSuspect(of, now)))

  describe(`what callers do, counted by ${subject}`, () => {
    it.live("is let through as often as is allowed, and told then when to come back", () =>
      using(
        { requests: { points: 3, seconds: 60 } },
        Effect.gen(function* () {
          yield* Effect.replicateEffect(spend("a"), 3)
          const limited = yield* Effect.flip(spend("a"))
          if (limited._tag !== "RateLimited") return expect.fail(limited._tag)
          expect(limited.retryAfterSeconds).toBeGreaterThanOrEqual(1)
          expect(limited.retryAfterSeconds).toBeLessThanOrEqual(60)
          // Others have a count of their own.
          yield* Effect.replicateEffect(spend("b"), 3)
          yield* spend("A")
        })
      )
    )

    it.live(
      "are refused with RateLimited once one of the subjects of an invalid credential has used its allowance",
      () =>
        using(
          { refusals: { points: 2, seconds: 60 } },
          Effect.gen(function* () {
            yield* refuse("address a", "prefix 1")
            expect(yield* isSuspect("address a", "prefix 1")).toBe(false)
            yield* refuse("address a", "prefix 2")
            expect(yield* isSuspect("address a")).toBe(true)
            expect(yield* isSuspect("address b", "prefix 1")).toBe(false)
            const limited = yield* Effect.flip(refuse("address a", "prefix 3"))
            expect(limited.retryAfterSeconds).toBeGreaterThanOrEqual(1)
            expect(limited.retryAfterSeconds).toBeLessThanOrEqual(60)
            yield* refuse("address b", "prefix 1")
            expect(yield* Effect.flip(refuse("address b", "prefix 1"))).toMatchObject({ _tag: "RateLimited" })
          })
        )
    )

    it.live("count requests and refusals separately, and nothing that has no allowance", () =>
      using(
        { refusals: { points: 1, seconds: 60 } },
        Effect.gen(function* () {
          yield* Effect.replicateEffect(spend("a"), 20)
          yield* refuse("a")
          expect(yield* Effect.flip(refuse("a"))).toMatchObject({ _tag: "RateLimited" })
          yield* spend("a")
        })
      )
    )

    it.live("is let through no more often when it is all done at once", () =>
      using(
        { requests: { points: 5, seconds: 60 } },
        Effect.gen(function* () {
          const all = Array.from({ length: 20 }, () => Effect.either(spend("a")))
          const outcomes = yield* Effect.all(all, { concurrency: "unbounded" })
          expect(outcomes.filter(({ _tag }) => _tag === "Right")).toHaveLength(5)
        })
      )
    )

    it.live("is let through anew once the time is over", () =>
      using(
        { requests: { points: 1, seconds: 1 } },
        Effect.gen(function* () {
          yield* spend("a")
          expect(yield* Effect.flip(spend("a"))).toMatchObject({ _tag: "RateLimited" })
          yield* Effect.sleep("1200 millis")
          yield* spend("a")
        })
      )
    )
  })
}
