/**
 * The lifecycle of a run, and the capacity that each status holds. Every counter, slot and held number follows from
 * `holdingsOf`: a change of status changes them by the difference, so that they stay consistent.
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

/** The events of a run's lifecycle. */
export type RunEvent =
  /** A worker or a job starts it. */
  | "claim"
  /** Its lease expired, and it is tried again. */
  | "requeue"
  /** The conversation has ended; the run is scored next. */
  | "report"
  /** It was scored. */
  | "score"
  | "fail"
  /** It took too long, or its lease expired in the last attempt. */
  | "expire"
  | "cancel"

/** The table of transitions; every other one is impossible. */
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

/** The status after an event, or undefined where the transition is impossible. */
export const nextStatus = (status: RunStatus, event: RunEvent): RunStatus | undefined => transitions[status][event]

/** The statuses of open runs: those that have not ended. */
export const openStatuses: ReadonlyArray<RunStatus> = RunStatus.literals.filter(
  (status) => Object.keys(transitions[status]).length > 0
)

/** The capacity of its organization that a run holds, and whether it still needs the number that it calls from. */
export interface Holdings {
  readonly activeSessions: 0 | 1
  readonly pendingDemand: 0 | 1
  readonly slots: 0 | 1
  readonly needsNumber: boolean
}

const nothing: Holdings = { activeSessions: 0, pendingDemand: 0, slots: 0, needsNumber: false }

/** A deleted run holds nothing. */
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

/** The change of an organization's counters. */
export interface CapacityChange {
  readonly activeSessions: number
  readonly pendingDemand: number
}

/** The change of the counters when this many runs go from one status to another. */
export const capacityChange = (from: RunStatus, to: RunStatus | "deleted", runs: number): CapacityChange => {
  const before = holdingsOf(from)
  const then = holdingsOf(to)
  return {
    activeSessions: runs * (then.activeSessions - before.activeSessions),
    pendingDemand: runs * (then.pendingDemand - before.pendingDemand)
  }
}

/**
 * Seconds that a worker has for a run beside the conversation: to dial, to hang up, and to report. A worker that keeps a run
 * longer blocks a slot, a number and a place in its result's concurrency limit.
 */
const WORKER_GRACE_SECONDS = 900

/** Whether a run has exceeded its duration and the grace period; instants are epoch milliseconds, the duration seconds. */
export const isOverdue = (startedAt: number, maxDuration: number, now: number): boolean =>
  now >= startedAt + (maxDuration + WORKER_GRACE_SECONDS) * 1000

/** Times that a run is started before it times out. */
export const MAX_RUN_ATTEMPTS = 3

/** What happens to a running run whose lease expired. */
export const onExpiredLease = (attempts: number): "requeue" | "expire" =>
  attempts < MAX_RUN_ATTEMPTS ? "requeue" : "expire"
