/** What requests found wrong with the database. */
export interface StorageDefects {
  /** Remembers that a request failed because of the database itself, such as its full disk. */
  readonly report: (message: string) => void
  /** What was reported last, for ten seconds; null otherwise. */
  readonly current: () => string | null
}

const REMEMBERED_MILLIS = 10_000

/**
 * A full disk does not fail every write: a small one, as readiness is checked by, may find space in a page or in the log that
 * is there. So the server is not ready for some time after a request found the database unusable.
 */
export const makeStorageDefects = (now: () => number = () => performance.now()): StorageDefects => {
  let last: { readonly message: string; readonly until: number } | undefined
  return {
    report: (message) => {
      last = { message, until: now() + REMEMBERED_MILLIS }
    },
    current: () => (last === undefined || now() >= last.until ? null : last.message)
  }
}
