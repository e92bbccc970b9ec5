import { type Allowances, RateLimiter } from "@earshot/core"
import { expect, it } from "@effect/vitest"
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
  const spend = (of: string) => Effect.flatMap(RateLimiter, (limiter) => limiter.spend("requests", of))
  const check = (of: string) => Effect.flatMap(RateLimiter, (limiter) => limiter.check("requests", of))

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

    it.live("is counted where it is done, and not where it is only asked about", () =>
      using(
        { requests: { points: 2, seconds: 60 } },
        Effect.gen(function* () {
          yield* Effect.replicateEffect(check("a"), 10)
          yield* Effect.replicateEffect(spend("a"), 2)
          expect(yield* Effect.flip(check("a"))).toMatchObject({ _tag: "RateLimited" })
        })
      )
    )

    it.live("is counted in no budget but its own, and not at all where nothing is said of one", () =>
      using(
        { refusals: { points: 1, seconds: 60 } },
        Effect.gen(function* () {
          yield* Effect.replicateEffect(spend("a"), 20)
          const limiter = yield* RateLimiter
          yield* limiter.spend("refusals", "a")
          expect(yield* Effect.flip(limiter.spend("refusals", "a"))).toMatchObject({ _tag: "RateLimited" })
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
