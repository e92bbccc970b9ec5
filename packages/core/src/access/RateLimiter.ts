import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { StorageError } from "../kernel/Storage.js"
import type { RateLimited } from "./AccessErrors.js"

/**
 * What is counted: the requests of a credential, and the wrong credentials that an address sends.
 */
export type Budget = "requests" | "refusals"

/** How much of a budget there is: so many points in so many seconds, after which the count begins anew. */
export interface Allowance {
  readonly points: number
  readonly seconds: number
}

/** The allowances of a limiter; a budget without one is not limited. */
export type Allowances = { readonly [Name in Budget]?: Allowance }

/**
 * Counts what callers do. A reference whose default counts nothing, since a process has no need to be protected from
 * itself; a server puts in one of the layers made for it.
 */
export class RateLimiter extends Context.Reference<RateLimiter>()("@earshot/core/access/RateLimiter", {
  defaultValue: (): {
    /** Counts one for this subject; fails once that is more than there is. */
    readonly spend: (budget: Budget, subject: string) => Effect.Effect<void, RateLimited | StorageError>
    /** Fails when there is nothing left for this subject, and counts nothing. */
    readonly check: (budget: Budget, subject: string) => Effect.Effect<void, RateLimited | StorageError>
  } => ({ spend: () => Effect.void, check: () => Effect.void })
}) {}
