/** The cascade of deleting results or runs: a snapshot in, a plan out. Source: interface, States and transitions; E8, E9. */
import type { PhoneNumberId, ResultId, RunId } from "../kernel/Ids.js"
import { type CapacityChange, holdingsOf, type RunStatus } from "./RunLifecycle.js"

/** Runs that are to be deleted, as many as share a status and a number. */
export interface DoomedRuns {
  readonly status: RunStatus
  readonly phoneNumberId: PhoneNumberId | null
  readonly runs: number
}

/** What has to be known. Nothing in it is deleted yet. */
export interface DeletionSnapshot {
  /** The results that go, with all their runs; none where only runs go. */
  readonly results: ReadonlyArray<ResultId>
  /** The runs that go by themselves. */
  readonly runs: ReadonlyArray<RunId>
  /** All runs that go, those of results included. */
  readonly doomed: ReadonlyArray<DoomedRuns>
  /** Numbers that a queued or running run which stays needs, whichever result it is of. */
  readonly neededElsewhere: ReadonlySet<PhoneNumberId>
  /** The organisation's counters. */
  readonly capacity: CapacityChange
}

/** What is to be done, in one transaction. */
export interface DeletionPlan {
  readonly results: ReadonlyArray<ResultId>
  readonly runs: ReadonlyArray<RunId>
  readonly releasedNumbers: ReadonlyArray<PhoneNumberId>
  readonly freedSlots: number
  /** What the counters go down by; never more than they stand at. */
  readonly decrements: CapacityChange
}

const atMost = (limit: number, value: number): number => Math.max(0, Math.min(limit, value))

/** The cascade. Deleting nothing does nothing, and what is deleted already is not in the snapshot, so it is idempotent. */
export const planDeletion = (snapshot: DeletionSnapshot): DeletionPlan => {
  let activeSessions = 0
  let pendingDemand = 0
  let freedSlots = 0
  const released = new Set<PhoneNumberId>()
  for (const { phoneNumberId, runs, status } of snapshot.doomed) {
    const held = holdingsOf(status)
    activeSessions += held.activeSessions * runs
    pendingDemand += held.pendingDemand * runs
    freedSlots += held.slots * runs
    if (held.needsNumber && phoneNumberId !== null && !snapshot.neededElsewhere.has(phoneNumberId)) {
      released.add(phoneNumberId)
    }
  }
  return {
    results: snapshot.results,
    runs: snapshot.runs,
    releasedNumbers: [...released].toSorted((a, b) => a - b),
    freedSlots,
    decrements: {
      activeSessions: atMost(snapshot.capacity.activeSessions, activeSessions),
      pendingDemand: atMost(snapshot.capacity.pendingDemand, pendingDemand)
    }
  }
}
