/** Rate limits kept in the memory of one process, which is all that a single server needs. */
import * as Layer from "effect/Layer"
import { RateLimiterMemory } from "rate-limiter-flexible"
import { countingLimiter } from "../access/CountingLimiter.js"
import { type Allowances, RateLimiter } from "../access/RateLimiter.js"

/** Counts in this process. Several processes would each allow the whole allowance. */
export const layerMemory = (allowances: Allowances): Layer.Layer<never> =>
  Layer.succeed(
    RateLimiter,
    countingLimiter(
      allowances,
      (budget, { points, seconds }) => new RateLimiterMemory({ keyPrefix: budget, points, duration: seconds })
    )
  )
