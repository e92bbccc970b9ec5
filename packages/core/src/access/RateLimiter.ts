import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { StorageError } from "../kernel/Storage.js"
import type { RateLimited } from "./AccessErrors.js"

/** The size of a budget: so many points in so many seconds, after which the count starts again. */
export interface Allowance {
  readonly points: number
  readonly seconds: number
}

/** The allowances of a limiter; what has none is not limited. */
export interface Allowances {
  /** Requests of one credential. */
  readonly requests?: Allowance
  /** Invalid credentials from one address, and invalid keys with one prefix. */
  readonly refusals?: Allowance
}

/**
 * Whether the sender of a credential has sent many invalid ones, at `now` (epoch milliseconds): then what has to be looked up
 * for it is collected for 100 ms.
 */
export type IsSuspect = (now: number) => boolean

/**
 * Counts what callers do. A reference whose default counts nothing, since a process need not be protected from itself; a
 * server provides one of the layers.
 */
export class RateLimiter extends Context.Reference<RateLimiter>()("@earshot/core/access/RateLimiter", {
  defaultValue: (): {
    /** Counts a request of this credential; fails if that exceeds its allowance. */
    readonly spend: (credential: string) => Effect.Effect<void, RateLimited | StorageError>
    /**
     * Counts an invalid credential for each of these subjects; fails if that exceeds the allowance of one of them. It is
     * never consulted for a valid credential.
     */
    readonly refuse: (subjects: ReadonlyArray<string>) => Effect.Effect<void, RateLimited>
    /** Whether one of these subjects has used up its allowance of refusals at `now` (epoch milliseconds); counts nothing. */
    readonly isSuspect: (subjects: ReadonlyArray<string>, now: number) => boolean
  } => ({ spend: () => Effect.void, refuse: () => Effect.void, isSuspect: () => false })
}) {}
