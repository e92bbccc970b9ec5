/** Jobs are counted up to this number, so that counting a large queue stays fast. */
export const MAX_COUNTED = 100_000

/** The jobs of one kind, of all organizations. */
export interface JobCounts {
  readonly kind: string
  /** Queued jobs, those that wait for a retry included; at most `MAX_COUNTED`. */
  readonly waiting: number
  /** Running jobs of all processes, those whose lease has expired included; at most `MAX_COUNTED`. */
  readonly running: number
  /** At most `MAX_COUNTED`. */
  readonly dead: number
  /** How long the job that has been due longest has waited; 0 if none is due. */
  readonly oldestWaitingSeconds: number
}
