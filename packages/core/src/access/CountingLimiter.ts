import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type RateLimiterAbstract, RateLimiterRes } from "rate-limiter-flexible"
import { StorageFailed, type StorageError } from "../kernel/Storage.js"
import { RateLimited } from "./AccessErrors.js"
import { makeBoundedCounter } from "./BoundedCounter.js"
import type { Allowance, Allowances, RateLimiter } from "./RateLimiter.js"

/** Addresses and prefixes of keys whose invalid credentials are counted; an attacker chooses them, so they are bounded. */
const MAX_REJECTED_SUBJECTS = 20_000

/** One error for each number of seconds, since capturing a stack takes longer than the rest of a refusal. */
const limitedFor = new Map<number, RateLimited>()

const tooMany = (millis: number): RateLimited => {
  const retryAfterSeconds = Math.max(1, Math.ceil(millis / 1000))
  const known = limitedFor.get(retryAfterSeconds)
  if (known !== undefined) return known
  const error = new RateLimited({ retryAfterSeconds })
  // Allowances are for minutes; one for longer makes its errors anew.
  if (limitedFor.size < 1_000) limitedFor.set(retryAfterSeconds, error)
  return error
}

const limiterError =
  (operation: string) =>
  (cause: unknown): RateLimited | StorageError =>
    cause instanceof RateLimiterRes ? tooMany(cause.msBeforeNext) : new StorageFailed({ operation, cause })

/** Counts refusals in this process: it takes a microsecond, where a count that processes share takes a statement. */
const refusalCounter = ({ points, seconds }: Allowance): Pick<typeof RateLimiter.Service, "refuse" | "isSuspect"> => {
  const counter = makeBoundedCounter(seconds * 1000, MAX_REJECTED_SUBJECTS)
  return {
    refuse: (subjects) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        // Beyond the allowance of an address its prefixes are not counted: a flood of random keys has one for each key.
        for (const subject of subjects) {
          const { count, remainingMillis } = counter.add(subject, now)
          if (count > points) return Effect.fail(tooMany(remainingMillis))
        }
        return Effect.void
      }),
    isSuspect: (subjects, now) => subjects.some((subject) => counter.read(subject, now).count >= points)
  }
}

/** A limiter of these allowances; `make` counts the requests of credentials. */
export const countingLimiter = (
  allowances: Allowances,
  make: (allowance: Allowance) => RateLimiterAbstract
): typeof RateLimiter.Service => {
  const requests = allowances.requests === undefined ? undefined : make(allowances.requests)
  return {
    spend: (credential) =>
      requests === undefined
        ? Effect.void
        : Effect.asVoid(
            Effect.tryPromise({ try: () => requests.consume(credential), catch: limiterError("RateLimiter.spend") })
          ),
    ...(allowances.refusals === undefined
      ? { refuse: () => Effect.void, isSuspect: () => false }
      : refusalCounter(allowances.refusals))
  }
}
