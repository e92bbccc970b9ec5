import {
  type DeletionSnapshot,
  evaluateResult,
  PhoneNumberId,
  planDeletion,
  ResultId,
  RunId,
  RunStatus
} from "@earshot/core"
import * as fc from "fast-check"
import { runCount } from "./ResultArbitraries.js"

const number = fc.option(fc.integer({ min: 1, max: 4 }).map((id) => PhoneNumberId.make(id)))

const doomed = fc.array(
  fc.record({
    status: fc.constantFrom(...RunStatus.literals),
    phoneNumberId: number,
    runs: fc.integer({ min: 1, max: 50 })
  }),
  { maxLength: 8 }
)

const of = (runs: ReadonlyArray<{ readonly status: RunStatus; readonly runs: number }>, status: RunStatus): number =>
  runs.filter((one) => one.status === status).reduce((sum, one) => sum + one.runs, 0)

/** What a deletion may meet, with counters that hold at least what its runs hold. */
export const deletionSnapshot: fc.Arbitrary<DeletionSnapshot> = fc
  .record({
    doomed,
    needed: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 4 }),
    others: fc.record({ activeSessions: fc.nat({ max: 100 }), pendingDemand: fc.nat({ max: 100 }) })
  })
  .map(({ doomed: runs, needed, others }) => ({
    results: [ResultId.make(1)],
    runs: [RunId.make(1)],
    doomed: runs,
    neededElsewhere: new Set(needed.map((id) => PhoneNumberId.make(id))),
    capacity: {
      activeSessions: others.activeSessions + of(runs, "running"),
      pendingDemand: others.pendingDemand + of(runs, "queued")
    }
  }))

export interface DeletionLaw {
  readonly says: string
  readonly check: () => void
}

/** What the cascade, and the evaluation of what remains, keep to. */
export const deletionLaws: ReadonlyArray<DeletionLaw> = [
  {
    says: "the counters go down by what the deleted runs held, and by nothing else",
    check: () => {
      fc.assert(
        fc.property(deletionSnapshot, (snapshot) => {
          const { decrements, freedSlots } = planDeletion(snapshot)
          return (
            decrements.activeSessions === of(snapshot.doomed, "running") &&
            freedSlots === of(snapshot.doomed, "running") &&
            decrements.pendingDemand === of(snapshot.doomed, "queued")
          )
        })
      )
    }
  },
  {
    says: "counters that stand too low never go below zero",
    check: () => {
      fc.assert(
        fc.property(deletionSnapshot, fc.nat({ max: 5 }), (snapshot, low) => {
          const capacity = { activeSessions: low, pendingDemand: low }
          const { decrements } = planDeletion({ ...snapshot, capacity })
          return decrements.activeSessions <= low && decrements.pendingDemand <= low
        })
      )
    }
  },
  {
    says: "a number is released if and only if a deleted run needed it and no run that stays does",
    check: () => {
      fc.assert(
        fc.property(deletionSnapshot, (snapshot) => {
          const released = new Set(planDeletion(snapshot).releasedNumbers)
          return [1, 2, 3, 4].every((id) => {
            const number = PhoneNumberId.make(id)
            const wasNeeded = snapshot.doomed.some(
              ({ phoneNumberId, status }) => phoneNumberId === number && (status === "queued" || status === "running")
            )
            return released.has(number) === (wasNeeded && !snapshot.neededElsewhere.has(number))
          })
        })
      )
    }
  },
  {
    says: "deleting in two steps comes to the same as deleting in one",
    check: () => {
      fc.assert(
        fc.property(deletionSnapshot, fc.nat({ max: 8 }), (snapshot, cut) => {
          const first = snapshot.doomed.slice(0, cut)
          const rest = snapshot.doomed.slice(cut)
          const needing = rest
            .filter(({ status }) => status === "queued" || status === "running")
            .flatMap(({ phoneNumberId }) => phoneNumberId ?? [])
          const one = planDeletion({
            ...snapshot,
            doomed: first,
            neededElsewhere: new Set([...snapshot.neededElsewhere, ...needing])
          })
          const two = planDeletion({
            ...snapshot,
            doomed: rest,
            capacity: {
              activeSessions: snapshot.capacity.activeSessions - one.decrements.activeSessions,
              pendingDemand: snapshot.capacity.pendingDemand - one.decrements.pendingDemand
            }
          })
          const whole = planDeletion(snapshot)
          const numbers = [...one.releasedNumbers, ...two.releasedNumbers].toSorted((a, b) => a - b)
          return (
            one.decrements.activeSessions + two.decrements.activeSessions === whole.decrements.activeSessions &&
            one.decrements.pendingDemand + two.decrements.pendingDemand === whole.decrements.pendingDemand &&
            numbers.join() === whole.releasedNumbers.join()
          )
        })
      )
    }
  },
  {
    says: "a result is what its runs come to, in whatever order and however they are counted",
    check: () => {
      fc.assert(
        fc.property(fc.array(runCount), (counts) => {
          const whole = evaluateResult(counts)
          const single = counts.flatMap((one) => Array.from({ length: one.runs }, () => ({ ...one, runs: 1 })))
          return (
            JSON.stringify(whole) === JSON.stringify(evaluateResult(single.toReversed())) &&
            whole.totalRuns === single.length &&
            (whole.successRate === null || (whole.successRate >= 0 && whole.successRate <= 1)) &&
            (whole.status === "empty") === (single.length === 0)
          )
        })
      )
    }
  }
]
