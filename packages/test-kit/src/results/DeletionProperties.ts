/** What any cascade of a deletion has to keep to. Source: interface, States and transitions; E8, E9. */
import { type DeletionPlan, type DeletionSnapshot, PhoneNumberId, ResultId, RunId, RunStatus } from "@earshot/core"
import * as fc from "fast-check"
import { expectEqual, invariant, type Property, property } from "../Property.js"

const NUMBERS = [1, 2, 3, 4]

const number = fc.option(fc.constantFrom(...NUMBERS).map((id) => PhoneNumberId.make(id)))

const doomed = fc.array(
  fc.record({
    status: fc.constantFrom(...RunStatus.literals),
    phoneNumberId: number,
    runs: fc.integer({ min: 1, max: 50 })
  }),
  { maxLength: 8 }
)

const of = (runs: DeletionSnapshot["doomed"], status: RunStatus): number =>
  runs.filter((one) => one.status === status).reduce((sum, one) => sum + one.runs, 0)

/** Runs that hold something, and need their number. */
const needing = (runs: DeletionSnapshot["doomed"]) =>
  runs.filter(({ status }) => status === "queued" || status === "running")

/** What a deletion may meet, with counters that hold at least what its runs hold. */
export const deletionSnapshot: fc.Arbitrary<DeletionSnapshot> = fc
  .record({
    doomed,
    needed: fc.uniqueArray(fc.constantFrom(...NUMBERS), { maxLength: 4 }),
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

/** What is left when a plan was carried out: nothing is doomed any more, and the counters are lower. */
const carriedOut = (snapshot: DeletionSnapshot, { decrements }: DeletionPlan): DeletionSnapshot => ({
  ...snapshot,
  results: [],
  runs: [],
  doomed: [],
  capacity: {
    activeSessions: snapshot.capacity.activeSessions - decrements.activeSessions,
    pendingDemand: snapshot.capacity.pendingDemand - decrements.pendingDemand
  }
})

/**
 * What the plan of a deletion keeps to: what goes, what is given back, and that neither the order of the runs nor the
 * steps in which they are deleted change what it comes to.
 */
export const deletionProperties = (plan: (snapshot: DeletionSnapshot) => DeletionPlan): ReadonlyArray<Property> => [
  property(
    "the counters go down by what the deleted runs held, and by nothing else",
    [deletionSnapshot],
    (snapshot) => {
      const { decrements, freedSlots } = plan(snapshot)
      const [running, queued] = [of(snapshot.doomed, "running"), of(snapshot.doomed, "queued")]
      expectEqual(
        "what goes",
        { ...decrements, freedSlots },
        { activeSessions: running, pendingDemand: queued, freedSlots: running }
      )
      return true
    }
  ),
  property("what others hold stays, whatever is deleted", [deletionSnapshot], (snapshot) => {
    const { capacity } = carriedOut(snapshot, plan(snapshot))
    return (
      capacity.activeSessions === snapshot.capacity.activeSessions - of(snapshot.doomed, "running") &&
      capacity.pendingDemand === snapshot.capacity.pendingDemand - of(snapshot.doomed, "queued")
    )
  }),
  property(
    "counters that stand too low go to zero, and never below",
    [deletionSnapshot, fc.nat({ max: 5 }), fc.nat({ max: 5 })],
    (snapshot, activeSessions, pendingDemand) => {
      const { decrements } = plan({ ...snapshot, capacity: { activeSessions, pendingDemand } })
      return (
        decrements.activeSessions === Math.min(activeSessions, of(snapshot.doomed, "running")) &&
        decrements.pendingDemand === Math.min(pendingDemand, of(snapshot.doomed, "queued"))
      )
    }
  ),
  property("what was deleted gives nothing back a second time", [deletionSnapshot], (snapshot) => {
    const again = plan(carriedOut(snapshot, plan(snapshot)))
    expectEqual("what goes again", again, {
      results: [],
      runs: [],
      releasedNumbers: [],
      freedSlots: 0,
      decrements: { activeSessions: 0, pendingDemand: 0 }
    })
    return true
  }),
  invariant("deleting nothing does nothing", () => {
    const { decrements, freedSlots, releasedNumbers, results, runs } = plan({
      results: [],
      runs: [],
      doomed: [],
      neededElsewhere: new Set(),
      capacity: { activeSessions: 3, pendingDemand: 4 }
    })
    const changes = [decrements.activeSessions, decrements.pendingDemand, freedSlots]
    return [...releasedNumbers, ...results, ...runs].length === 0 && changes.every((one) => one === 0)
  }),
  property("all of what is doomed goes, and nothing besides", [deletionSnapshot], (snapshot) => {
    const { results, runs } = plan(snapshot)
    return results.join() === snapshot.results.join() && runs.join() === snapshot.runs.join()
  }),
  property(
    "a number is released if and only if a deleted run needed it and no run that stays does",
    [deletionSnapshot],
    (snapshot) => {
      const { releasedNumbers } = plan(snapshot)
      if (new Set(releasedNumbers).size !== releasedNumbers.length) return false
      return NUMBERS.every((id) => {
        const one = PhoneNumberId.make(id)
        const wasNeeded = needing(snapshot.doomed).some(({ phoneNumberId }) => phoneNumberId === one)
        return releasedNumbers.includes(one) === (wasNeeded && !snapshot.neededElsewhere.has(one))
      })
    }
  ),
  property("how runs are counted and in what order changes nothing", [deletionSnapshot], (snapshot) => {
    const single = snapshot.doomed.flatMap((one) => Array.from({ length: one.runs }, () => ({ ...one, runs: 1 })))
    expectEqual("the plan", plan({ ...snapshot, doomed: single.toReversed() }), plan(snapshot))
    return true
  }),
  property(
    "deleting in two steps comes to the same as deleting in one",
    [deletionSnapshot, fc.nat({ max: 8 })],
    (snapshot, cut) => {
      const [first, rest] = [snapshot.doomed.slice(0, cut), snapshot.doomed.slice(cut)]
      const stillNeeded = needing(rest).flatMap(({ phoneNumberId }) => phoneNumberId ?? [])
      const one = plan({
        ...snapshot,
        doomed: first,
        neededElsewhere: new Set([...snapshot.neededElsewhere, ...stillNeeded])
      })
      const { capacity } = carriedOut(snapshot, one)
      const two = plan({ ...snapshot, doomed: rest, capacity })
      const whole = plan(snapshot)
      const numbers = [...one.releasedNumbers, ...two.releasedNumbers].toSorted((a, b) => a - b)
      return (
        one.decrements.activeSessions + two.decrements.activeSessions === whole.decrements.activeSessions &&
        one.decrements.pendingDemand + two.decrements.pendingDemand === whole.decrements.pendingDemand &&
        one.freedSlots + two.freedSlots === whole.freedSlots &&
        numbers.join() === [...whole.releasedNumbers].toSorted((a, b) => a - b).join()
      )
    }
  )
]
