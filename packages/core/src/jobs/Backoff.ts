/** How long a failed job waits before its next attempt. */
export interface Backoff {
  /** Milliseconds before the second attempt; doubled for each later one. */
  readonly initial: number
  /** The longest wait in milliseconds, unless the other side asks for more. */
  readonly max: number
}

export const DEFAULT_BACKOFF: Backoff = { initial: 2_000, max: 600_000 }

/**
 * Milliseconds until the next attempt. `jitter`, from 0 to 1, spreads jobs that failed together over the later half of
 * the wait. `retryAfter`, what the other side asked for, is always waited in full.
 */
export const retryDelay = (attempt: number, backoff: Backoff, jitter: number, retryAfter = 0): number => {
  const wait = Math.min(backoff.max, backoff.initial * 2 ** Math.min(40, Math.max(0, attempt - 1)))
  return Math.max(Math.round(wait * (0.5 + jitter / 2)), retryAfter)
}
