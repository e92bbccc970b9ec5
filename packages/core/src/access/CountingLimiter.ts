import * as Effect from "effect/Effect"
import { type RateLimiterAbstract, RateLimiterRes } from "rate-limiter-flexible"
import { StorageFailed, type StorageError } from "../kernel/Storage.js"
import { RateLimited } from "./AccessErrors.js"
import type { Allowance, Allowances, Budget, RateLimiter } from "./RateLimiter.js"

const tooMany = (found: RateLimiterRes): RateLimited =>
  new RateLimited({ retryAfterSeconds: Math.max(1, Math.ceil(found.msBeforeNext / 1000)) })

const limiterError =
  (operation: string) =>
  (cause: unknown): RateLimited | StorageError =>
    cause instanceof RateLimiterRes ? tooMany(cause) : new StorageFailed({ operation, cause })

/** A limiter of these allowances, each counted by what `make` returns for it. */
export const countingLimiter = (
  allowances: Allowances,
  make: (budget: Budget, allowance: Allowance) => RateLimiterAbstract
): typeof RateLimiter.Service => {
  const counters = {
    requests: allowances.requests === undefined ? undefined : make("requests", allowances.requests),
    refusals: allowances.refusals === undefined ? undefined : make("refusals", allowances.refusals)
  }
  return {
    spend: (budget, subject) => {
      const counter = counters[budget]
      return counter === undefined
        ? Effect.void
        : Effect.asVoid(
            Effect.tryPromise({ try: () => counter.consume(subject), catch: limiterError("RateLimiter.spend") })
          )
    },
    check: (budget, subject) => {
      const counter = counters[budget]
      return counter === undefined
        ? Effect.void
        : Effect.tryPromise({ try: () => counter.get(subject), catch: limiterError("RateLimiter.check") }).pipe(
            Effect.filterOrFail(
              (found) => found === null || found.msBeforeNext <= 0 || found.consumedPoints < counter.points,
              (found) => (found === null ? new RateLimited({ retryAfterSeconds: 1 }) : tooMany(found))
            ),
            Effect.asVoid
          )
    }
  }
}
