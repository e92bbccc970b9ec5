/** Custom code that keeps exceeding its time limit is not run for a while, so that it does not delay other code. */

/** Runs in a row that exceeded their time limit before the code is suspended. */
export const TIMEOUTS = 3

/** How long code is suspended, in milliseconds. */
export const SUSPENSION = 300_000

/** How the code of a metric did lately. */
export interface CodeHistory {
  readonly source: string
  /** Runs in a row that exceeded their time limit. */
  readonly timeouts: number
  /** Epoch milliseconds; null if the code was not suspended. */
  readonly suspendedUntil: number | null
}

/**
 * The history after a run that ended at `now`. Any other outcome than a timeout starts it anew, and so does other code. After
 * a suspension one more timeout suspends the code again.
 */
export const afterRun = (
  history: CodeHistory | undefined,
  run: { readonly source: string; readonly isTimeout: boolean },
  now: number
): CodeHistory | undefined => {
  if (!run.isTimeout) return undefined
  const timeouts = history?.source === run.source ? history.timeouts + 1 : 1
  return { source: run.source, timeouts, suspendedUntil: timeouts >= TIMEOUTS ? now + SUSPENSION : null }
}

/** Until when code must not run, epoch milliseconds; undefined if it may. */
export const suspendedUntil = (history: CodeHistory | undefined, source: string, now: number): number | undefined =>
  history?.source === source && history.suspendedUntil !== null && now < history.suspendedUntil
    ? history.suspendedUntil
    : undefined
