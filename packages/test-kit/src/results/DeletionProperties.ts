/** Properties of the plan of a deletion. Source: interface, States and transitions; E8, E9. */
import { type DeletionPlan, type DeletionSnapshot, PhoneNumberId, ResultId, RunId, RunStatus } from "@earshot/core"
import * as fc from "fast-check"
import { expectEqual, invariant, type Property, property, expectEvery } from "../Property.js"

const NUMBERS = [1, 2, 3, 4]

const number = fc.option(fc.constantFrom(...NUMBERS).map((id) => PhoneNumberId.make(id)))

const toDelete = fc.array(
  fc.record({
    status: fc.constantFrom(...RunStatus.literals),
    phoneNumberId: number,
    runs: fc.integer({ min: 1, max: 50 })
  }),
  { maxLength: 8 }
)

const of = (runs: DeletionSnapshot["runsToDelete"], status: RunStatus): number =>
  runs.filter((one) => one.status === status).reduce((sum, one) => sum + one.runs, 0)

/** Runs that need their number. */
const needing = (runs: DeletionSnapshot["runsToDelete"]) =>
  runs.filter(({ status }) => status === "queued" || status === "running")

/** Snapshots whose counters are at least what the runs to delete hold. */
export const deletionSnapshot: fc.Arbitrary<DeletionSnapshot> = fc
  .record({
    toDelete,
    needed: fc.uniqueArray(fc.constantFrom(...NUMBERS), { maxLength: 4 }),
    others: fc.record({ activeSessions: fc.nat({ max: 100 }), pendingDemand: fc.nat({ max: 100 }) })
  })
  .map(({ toDelete: runs, needed, others }) => ({
    results: [ResultId.make(1)],
    runs: [RunId.make(1)],
    runsToDelete: runs,
    stillReferenced: new Set(needed.map((id) => PhoneNumberId.make(id))),
    capacity: {
      activeSessions: others.activeSessions + of(runs, "running"),
      pendingDemand: others.pendingDemand + of(runs, "queued")
    }
  }))

/** The snapshot after a plan was applied: nothing to delete, and lower counters. */
const carriedOut = (snapshot: DeletionSnapshot, { decrements }: DeletionPlan): DeletionSnapshot => ({
  ...snapshot,
  results: [],
  runs: [],
  runsToDelete: [],
  capacity: {
    activeSessions: snapshot.capacity.activeSessions - decrements.activeSessions,
    pendingDemand: snapshot.capacity.pendingDemand - decrements.pendingDemand
  }
})

/**
 * Properties of the plan of a deletion: what is deleted and released, independent of the order of runs and of the steps.
 */
export const deletionProperties = (plan: (snapshot: DeletionSnapshot) => DeletionPlan): ReadonlyArray<Property> => [
  property("the counters decrease by exactly what the deleted runs held", [deletionSnapshot], (snapshot) => {
    const { decrements, freedSlots } = plan(snapshot)
    const [running, queued] = [of(snapshot.runsToDelete, "running"), of(snapshot.runsToDelete, "queued")]
    expectEqual(
      "the decrements",
      { ...decrements, freedSlots },
      { activeSessions: running, pendingDemand: queued, freedSlots: running }
    )
  }),
  property("the capacity of other runs is kept", [deletionSnapshot], (snapshot) => {
    const { capacity } = carriedOut(snapshot, plan(snapshot))
    expectEqual(
      "capacity.activeSessions",
      capacity.activeSessions,
      snapshot.capacity.activeSessions - of(snapshot.runsToDelete, "running")
    )
    expectEqual(
      "capacity.pendingDemand",
      capacity.pendingDemand,
      snapshot.capacity.pendingDemand - of(snapshot.runsToDelete, "queued")
    )
  }),
  property(
    "counters that are too low become zero, never negative",
    [deletionSnapshot, fc.nat({ max: 5 }), fc.nat({ max: 5 })],
    (snapshot, activeSessions, pendingDemand) => {
      const { decrements } = plan({ ...snapshot, capacity: { activeSessions, pendingDemand } })
      expectEqual(
        "decrements.activeSessions",
        decrements.activeSessions,
        Math.min(activeSessions, of(snapshot.runsToDelete, "running"))
      )
      expectEqual(
        "decrements.pendingDemand",
        decrements.pendingDemand,
        Math.min(pendingDemand, of(snapshot.runsToDelete, "queued"))
      )
    }
  ),
  property("deleting again releases nothing", [deletionSnapshot], (snapshot) => {
    const again = plan(carriedOut(snapshot, plan(snapshot)))
    expectEqual("the second decrements", again, {
      results: [],
      runs: [],
      releasedNumbers: [],
      freedSlots: 0,
      decrements: { activeSessions: 0, pendingDemand: 0 }
    })
  }),
  invariant("deleting nothing changes nothing", () => {
    const { decrements, freedSlots, releasedNumbers, results, runs } = plan({
      results: [],
      runs: [],
      runsToDelete: [],
      stillReferenced: new Set(),
      capacity: { activeSessions: 3, pendingDemand: 4 }
    })
    const changes = [decrements.activeSessions, decrements.pendingDemand, freedSlots]
    expectEqual("[...releasedNumbers, ...results, ...runs].length", [...releasedNumbers, ...results, ...runs].length, 0)
    expectEvery("changes", changes, (one) => one === 0)
  }),
  property("exactly the given results and runs are deleted", [deletionSnapshot], (snapshot) => {
    const { results, runs } = plan(snapshot)
    expectEqual("results.join()", results.join(), snapshot.results.join())
    expectEqual("runs.join()", runs.join(), snapshot.runs.join())
  }),
  property(
    "a number is released if and only if a deleted run needed it and no remaining run does",
    [deletionSnapshot],
    (snapshot) => {
      const { releasedNumbers } = plan(snapshot)
      expectEqual("the numbers, each once", [...new Set(releasedNumbers)], releasedNumbers)
      expectEvery("NUMBERS", NUMBERS, (id) => {
        const one = PhoneNumberId.make(id)
        const wasNeeded = needing(snapshot.runsToDelete).some(({ phoneNumberId }) => phoneNumberId === one)
        return releasedNumbers.includes(one) === (wasNeeded && !snapshot.stillReferenced.has(one))
      })
    }
  ),
  property("the plan does not depend on the grouping and the order of runs", [deletionSnapshot], (snapshot) => {
    const single = snapshot.runsToDelete.flatMap((one) => Array.from({ length: one.runs }, () => ({ ...one, runs: 1 })))
    expectEqual("the plan", plan({ ...snapshot, runsToDelete: single.toReversed() }), plan(snapshot))
  }),
  property(
    "deleting in two steps is equivalent to deleting in one",
    [deletionSnapshot, fc.nat({ max: 8 })],
    (snapshot, cut) => {
      const [first, rest] = [snapshot.runsToDelete.slice(0, cut), snapshot.runsToDelete.slice(cut)]
      const stillNeeded = needing(rest).flatMap(({ phoneNumberId }) => phoneNumberId ?? [])
      const one = plan({
        ...snapshot,
        runsToDelete: first,
        stillReferenced: new Set([...snapshot.stillReferenced, ...stillNeeded])
      })
      const { capacity } = carriedOut(snapshot, one)
      const two = plan({ ...snapshot, runsToDelete: rest, capacity })
      const whole = plan(snapshot)
      const numbers = [...one.releasedNumbers, ...two.releasedNumbers].toSorted((a, b) => a - b)
      expectEqual(
        "one.decrements.activeSessions + two.decrements.activeSessions",
        one.decrements.activeSessions + two.decrements.activeSessions,
        whole.decrements.activeSessions
      )
      expectEqual(
        "one.decrements.pendingDemand + two.decrements.pendingDemand",
        one.decrements.pendingDemand + two.decrements.pendingDemand,
        whole.decrements.pendingDemand
      )
      expectEqual("one.freedSlots + two.freedSlots", one.freedSlots + two.freedSlots, whole.freedSlots)
      expectEqual("numbers.join()", numbers.join(), [...whole.releasedNumbers].toSorted((a, b) => a - b).join())
    }
  )
]
