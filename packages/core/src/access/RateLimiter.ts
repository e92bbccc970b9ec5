import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { StorageError } from "../kernel/Storage.js"
import type { RateLimited } from "./AccessErrors.js"

/**
 * What is counted: the requests of a credential, and the invalid credentials that an address sends.
 */
export type Budget = "requests" | "refusals"

/** The size of a budget: so many points in so many seconds, after which the count starts again. */
export interface Allowance {
  readonly points: number
  readonly seconds: number
}

/** The allowances of a limiter; a budget without one is not limited. */
export type Allowances = { readonly [Name in Budget]?: Allowance }

/**
 * Counts what callers do. A reference whose default counts nothing, since a process need not be protected from itself; a
 * server provides one of the layers.
 */
export class RateLimiter extends Context.Reference<RateLimiter>()("@earshot/core/access/RateLimiter", {
  defaultValue: (): {
    /** Counts one for this subject; fails if that exceeds the budget. */
    readonly spend: (budget: Budget, subject: string) => Effect.Effect<void, RateLimited | StorageError>
    /** Fails if nothing of the budget is left for this subject; counts nothing. */
    readonly check: (budget: Budget, subject: string) => Effect.Effect<void, RateLimited | StorageError>
  } => ({ spend: () => Effect.void, check: () => Effect.void })
}) {}
