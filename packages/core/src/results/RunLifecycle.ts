/**
 * The life of a run, and what it holds meanwhile. Every counter, slot and held number follows from `holdingsOf`: whatever
 * changes a run's status changes them by the difference, so that they cannot come apart.
 */
import * as Schema from "effect/Schema"

export const RunStatus = Schema.Literal(
  "queued",
  "running",
  "evaluating",
  "completed",
  "failed",
  "timeout",
  "cancelled"
)
export type RunStatus = typeof RunStatus.Type

/** What may happen to a run. */
export type RunEvent =
  /** Somebody takes it up. */
  | "claim"
  /** Whoever had it is gone, and it is tried again. */
  | "requeue"
  /** The conversation is over and waits for its scores. */
  | "report"
  /** The scores are there. */
  | "score"
  | "fail"
  /** It took too long, or was given up after its last try. */
  | "expire"
  | "cancel"

/** The one table of what leads where; what is not in it cannot happen. */
export const transitions: Readonly<Record<RunStatus, Readonly<Partial<Record<RunEvent, RunStatus>>>>> = {
  queued: { claim: "running", fail: "failed", cancel: "cancelled", expire: "timeout" },
  running: {
    requeue: "queued",
    report: "evaluating",
    fail: "failed",
    expire: "timeout",
    cancel: "cancelled"
  },
  evaluating: { score: "completed", fail: "failed", cancel: "cancelled" },
  completed: {},
  failed: {},
  timeout: {},
  cancelled: {}
}

/** Where a run is after an event, or undefined where that cannot happen to it. */
export const after = (status: RunStatus, event: RunEvent): RunStatus | undefined => transitions[status][event]

/** The statuses of runs that are not over. */
export const openStatuses: ReadonlyArray<RunStatus> = RunStatus.literals.filter(
  (status) => Object.keys(transitions[status]).length > 0
)

/** What a run holds of its organisation's capacity, and whether it still needs the number that it calls from. */
export interface Holdings {
  readonly activeSessions: 0 | 1
  readonly pendingDemand: 0 | 1
  readonly slots: 0 | 1
  readonly needsNumber: boolean
}

const nothing: Holdings = { activeSessions: 0, pendingDemand: 0, slots: 0, needsNumber: false }

/** A run that is gone holds nothing. */
export const holdingsOf = (status: RunStatus | "deleted"): Holdings => {
  switch (status) {
    case "queued":
      return { activeSessions: 0, pendingDemand: 1, slots: 0, needsNumber: true }
    case "running":
      return { activeSessions: 1, pendingDemand: 0, slots: 1, needsNumber: true }
    default:
      return nothing
  }
}

/** How the counters of an organisation move. */
export interface CapacityChange {
  readonly activeSessions: number
  readonly pendingDemand: number
}

/** How the counters move when so many runs go from one status to another. */
export const capacityChange = (from: RunStatus, to: RunStatus | "deleted", runs: number): CapacityChange => {
  const before = holdingsOf(from)
  const then = holdingsOf(to)
  return {
    activeSessions: runs * (then.activeSessions - before.activeSessions),
    pendingDemand: runs * (then.pendingDemand - before.pendingDemand)
  }
}

/**
 * Seconds that a worker has for a run beside the conversation itself: to dial, to hang up, and to report. A worker that keeps a
 * run for longer holds a slot, a number and a place of its result's for nothing.
 */
export const WORKER_GRACE_SECONDS = 900

/** Whether a worker has had a run for longer than it may; instants are epoch milliseconds, the duration seconds. */
export const isOverdue = (startedAt: number, maxDuration: number, now: number): boolean =>
  now >= startedAt + (maxDuration + WORKER_GRACE_SECONDS) * 1000

/** Times that a run is taken up before it is given up. */
export const MAX_RUN_ATTEMPTS = 3

/** What becomes of a running one whose lease ran out. */
export const onLostLease = (attempts: number): "requeue" | "expire" =>
  attempts < MAX_RUN_ATTEMPTS ? "requeue" : "expire"
