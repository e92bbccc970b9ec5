/** What any table of a run's life, and what a run holds meanwhile, have to keep to. Source: design, section 7. */
import { type CapacityChange, type Holdings, MAX_RUN_ATTEMPTS, type RunEvent, RunStatus } from "@earshot/core"
import * as fc from "fast-check"
import { expectEqual, invariant, type Property, property } from "../Property.js"

export interface RunLife {
  /** Where a run is after an event, or undefined where that cannot happen to it. */
  readonly after: (status: RunStatus, event: RunEvent) => RunStatus | undefined
  readonly holdingsOf: (status: RunStatus | "deleted") => Holdings
  readonly capacityChange: (from: RunStatus, to: RunStatus | "deleted", runs: number) => CapacityChange
  /** What becomes of a running one, taken up so often, whose lease ran out. */
  readonly onLostLease: (attempts: number) => "requeue" | "expire"
}

const EVENTS: ReadonlyArray<RunEvent> = ["claim", "requeue", "report", "score", "fail", "expire", "cancel"]

/** Where each event may come from, and where it leads. */
const LEADS: Readonly<Record<RunEvent, readonly [from: ReadonlyArray<RunStatus>, to: RunStatus]>> = {
  claim: [["queued"], "running"],
  requeue: [["running"], "queued"],
  report: [["running"], "evaluating"],
  score: [["evaluating"], "completed"],
  fail: [["queued", "running", "evaluating"], "failed"],
  expire: [["queued", "running"], "timeout"],
  cancel: [["queued", "running", "evaluating"], "cancelled"]
}

const ENDS: ReadonlyArray<RunStatus> = ["completed", "failed", "timeout", "cancelled"]

const status = fc.constantFrom(...RunStatus.literals)
const walk = fc.array(fc.constantFrom(...EVENTS), { maxLength: 30 })

/** The statuses that a run passes on a walk; events that cannot happen pass by. */
const passed = ({ after }: RunLife, events: ReadonlyArray<RunEvent>): ReadonlyArray<RunStatus> =>
  events.reduce<ReadonlyArray<RunStatus>>(
    (all, event) => {
      const next = after(all[all.length - 1] ?? "queued", event)
      return next === undefined ? all : [...all, next]
    },
    ["queued"]
  )

export const lifecycleProperties = (life: RunLife): ReadonlyArray<Property> => [
  ...EVENTS.map((event) =>
    invariant(`${event} leads from ${LEADS[event][0].join(" or ")} to ${LEADS[event][1]}, and from nowhere else`, () =>
      RunStatus.literals.every(
        (from) => life.after(from, event) === (LEADS[event][0].includes(from) ? LEADS[event][1] : undefined)
      )
    )
  ),
  property("what has ended stays as it is, whatever happens", [walk, walk], (first, then) => {
    const before = passed(life, first)
    const last = before[before.length - 1] ?? "queued"
    return !ENDS.includes(last) || passed(life, [...first, ...then]).length === before.length
  }),
  invariant(
    "a run that waits holds its place in the queue, one that runs a session and a slot, and no other anything",
    () =>
      ([...RunStatus.literals, "deleted"] as const).every((one) => {
        const { activeSessions, needsNumber, pendingDemand, slots } = life.holdingsOf(one)
        const [isQueued, isRunning] = [one === "queued", one === "running"]
        return (
          pendingDemand === Number(isQueued) &&
          activeSessions === Number(isRunning) &&
          slots === Number(isRunning) &&
          needsNumber === (isQueued || isRunning)
        )
      })
  ),
  property(
    "the counters move by what is held then less what was held before",
    [status, status, fc.nat({ max: 50 })],
    (from, to, runs) => {
      const [before, then] = [life.holdingsOf(from), life.holdingsOf(to)]
      const { activeSessions, pendingDemand } = life.capacityChange(from, to, runs)
      return (
        activeSessions === runs * (then.activeSessions - before.activeSessions) &&
        pendingDemand === runs * (then.pendingDemand - before.pendingDemand)
      )
    }
  ),
  property(
    "whatever happens to a run, once it is deleted the counters stand where they stood before it",
    [walk],
    (events) => {
      const all = [...passed(life, events), "deleted"] as const
      const moved = passed(life, events).map((from, at) => life.capacityChange(from, all[at + 1] ?? "deleted", 1))
      const sum = (of: (change: CapacityChange) => number) => moved.reduce((total, one) => total + of(one), 0)
      // It came with a place in the queue.
      expectEqual("the sum", [sum((one) => one.activeSessions), sum((one) => one.pendingDemand)], [0, -1])
      return true
    }
  ),
  invariant(`a run whose workers are lost is taken up ${MAX_RUN_ATTEMPTS} times`, () =>
    Array.from({ length: MAX_RUN_ATTEMPTS + 3 }, (_, at) => at + 1).every(
      (attempts) => life.onLostLease(attempts) === (attempts < MAX_RUN_ATTEMPTS ? "requeue" : "expire")
    )
  )
]
