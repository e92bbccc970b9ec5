/** The cascade of deleting results or runs: a snapshot in, a plan out. Source: interface, States and transitions; E8, E9. */
import type { PhoneNumberId, ResultId, RunId } from "../kernel/Ids.js"
import { type CapacityChange, holdingsOf, type RunStatus } from "./RunLifecycle.js"

/** Runs to delete, counted by status and phone number. */
export interface RunsToDelete {
  readonly status: RunStatus
  readonly phoneNumberId: PhoneNumberId | null
  readonly runs: number
}

/** The state that a deletion is planned from. Nothing in it is deleted yet. */
export interface DeletionSnapshot {
  /** The results to delete with all their runs; empty where only runs are deleted. */
  readonly results: ReadonlyArray<ResultId>
  /** The runs to delete without their result. */
  readonly runs: ReadonlyArray<RunId>
  /** All runs to delete, including those of results. */
  readonly runsToDelete: ReadonlyArray<RunsToDelete>
  /** Numbers that a queued or running run of any result, not to be deleted, still needs. */
  readonly stillReferenced: ReadonlySet<PhoneNumberId>
  /** The organization's counters. */
  readonly capacity: CapacityChange
}

/** The changes to make in one transaction. */
export interface DeletionPlan {
  readonly results: ReadonlyArray<ResultId>
  readonly runs: ReadonlyArray<RunId>
  readonly releasedNumbers: ReadonlyArray<PhoneNumberId>
  readonly freedSlots: number
  /** The decrements of the counters; never more than their values. */
  readonly decrements: CapacityChange
}

const atMost = (limit: number, value: number): number => Math.max(0, Math.min(limit, value))

/** Plans the cascade. Idempotent, since a snapshot has nothing that is deleted already. */
export const planDeletion = (snapshot: DeletionSnapshot): DeletionPlan => {
  let activeSessions = 0
  let pendingDemand = 0
  let freedSlots = 0
  const released = new Set<PhoneNumberId>()
  for (const { phoneNumberId, runs, status } of snapshot.runsToDelete) {
    const held = holdingsOf(status)
    activeSessions += held.activeSessions * runs
    pendingDemand += held.pendingDemand * runs
    freedSlots += held.slots * runs
    if (held.needsNumber && phoneNumberId !== null && !snapshot.stillReferenced.has(phoneNumberId)) {
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
