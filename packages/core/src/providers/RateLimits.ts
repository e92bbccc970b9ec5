/** Rate limits kept in memory, which is all that a single server needs. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { RateLimiterCluster, RateLimiterClusterMaster, RateLimiterMemory } from "rate-limiter-flexible"
import { countingLimiter } from "../access/CountingLimiter.js"
import { type Allowances, RateLimiter } from "../access/RateLimiter.js"

/** Counts in this process. Several processes would each allow the whole allowance. */
export const layerMemory = (allowances: Allowances): Layer.Layer<RateLimiter> =>
  Layer.succeed(
    RateLimiter,
    countingLimiter(allowances, ({ points, seconds }) => new RateLimiterMemory({ points, duration: seconds }))
  )

/** How long the process that leads may take to count; beyond it the request fails. */
const COUNT_MILLIS = 5_000

/** Counts requests in the `node:cluster` primary of this worker, which has to run `countForOthers`; refusals in this process. */
export const layerCluster = (allowances: Allowances): Layer.Layer<RateLimiter> =>
  Layer.sync(RateLimiter, () =>
    countingLimiter(
      allowances,
      ({ points, seconds }) =>
        new RateLimiterCluster({ keyPrefix: "requests", points, duration: seconds, timeoutMs: COUNT_MILLIS })
    )
  )

/** Starts counting in this process, the `node:cluster` primary, for its workers. */
export const countForOthers: Effect.Effect<void> = Effect.sync(() => {
  new RateLimiterClusterMaster()
})
