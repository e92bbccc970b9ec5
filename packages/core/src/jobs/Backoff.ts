/** How long a failed job waits for its next try. */
export interface Backoff {
  /** Milliseconds before the second attempt; doubled for each one after it. */
  readonly initial: number
  /** Milliseconds that it waits at most. */
  readonly max: number
}

export const DEFAULT_BACKOFF: Backoff = { initial: 2_000, max: 600_000 }

/**
 * Milliseconds until the next attempt. `chance`, in 0 to 1, spreads jobs that failed together over the later half of the
 * time. What the other side asked for is waited for in full.
 */
export const retryDelay = (attempt: number, backoff: Backoff, chance: number, asked = 0): number => {
  const whole = Math.min(backoff.max, backoff.initial * 2 ** Math.min(40, Math.max(0, attempt - 1)))
  return Math.max(Math.round(whole * (0.5 + chance / 2)), asked)
}
