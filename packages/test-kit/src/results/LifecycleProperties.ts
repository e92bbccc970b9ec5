/** Properties of a run's transitions and of the capacity that it holds. Source: docs/results.md. */
import { type CapacityChange, type Holdings, MAX_RUN_ATTEMPTS, type RunEvent, RunStatus } from "@earshot/core"
import * as fc from "fast-check"
import { expectEqual, invariant, type Property, property, expectEvery } from "../Property.js"

export interface RunLifecycle {
  /** The status after an event, or undefined where the transition is impossible. */
  readonly nextStatus: (status: RunStatus, event: RunEvent) => RunStatus | undefined
  readonly holdingsOf: (status: RunStatus | "deleted") => Holdings
  readonly capacityChange: (from: RunStatus, to: RunStatus | "deleted", runs: number) => CapacityChange
  /** What happens to a running run with this many attempts whose lease expired. */
  readonly onExpiredLease: (attempts: number) => "requeue" | "expire"
  /** Whether a run has exceeded its duration and the grace period; epoch milliseconds, seconds, epoch milliseconds. */
  readonly isOverdue: (startedAt: number, maxDuration: number, now: number) => boolean
}

const EVENTS: ReadonlyArray<RunEvent> = ["claim", "requeue", "report", "score", "fail", "expire", "cancel"]

/** The statuses before and after each event. */
const LEADS: Readonly<Record<RunEvent, readonly [from: ReadonlyArray<RunStatus>, to: RunStatus]>> = {
  claim: [["queued"], "running"],
  requeue: [["running"], "queued"],
  report: [["running"], "evaluating"],
  score: [["evaluating"], "completed"],
  fail: [["queued", "running", "evaluating"], "failed"],
  expire: [["queued", "running"], "timeout"],
  cancel: [["queued", "running", "evaluating"], "cancelled"]
}

const OUTCOMES: ReadonlyArray<RunStatus> = ["completed", "failed", "timeout", "cancelled"]

const status = fc.constantFrom(...RunStatus.literals)
const sequence = fc.array(fc.constantFrom(...EVENTS), { maxLength: 30 })

/** The statuses of a run in a sequence of events; impossible ones are skipped. */
const passed = ({ nextStatus: after }: RunLifecycle, events: ReadonlyArray<RunEvent>): ReadonlyArray<RunStatus> =>
  events.reduce<ReadonlyArray<RunStatus>>(
    (all, event) => {
      const next = after(all[all.length - 1] ?? "queued", event)
      return next === undefined ? all : [...all, next]
    },
    ["queued"]
  )

export const lifecycleProperties = (life: RunLifecycle): ReadonlyArray<Property> => [
  ...EVENTS.map((event) =>
    invariant(
      `${event} leads from ${LEADS[event][0].join(" or ")} to ${LEADS[event][1]}, and from nowhere else`,
      () => {
        expectEvery(
          "RunStatus.literals",
          RunStatus.literals,
          (from) => life.nextStatus(from, event) === (LEADS[event][0].includes(from) ? LEADS[event][1] : undefined)
        )
      }
    )
  ),
  property("a run that has ended never changes its status", [sequence, sequence], (first, then) => {
    const before = passed(life, first)
    const last = before[before.length - 1] ?? "queued"
    if (OUTCOMES.includes(last)) {
      expectEqual("passed(life, [...first, ...then]).length", passed(life, [...first, ...then]).length, before.length)
    }
  }),
  invariant("a queued run holds pending demand, a running one a session and a slot, and every other nothing", () => {
    expectEvery('[...RunStatus.literals, "deleted"] as const', [...RunStatus.literals, "deleted"] as const, (one) => {
      const { activeSessions, needsNumber, pendingDemand, slots } = life.holdingsOf(one)
      const [isQueued, isRunning] = [one === "queued", one === "running"]
      return (
        pendingDemand === Number(isQueued) &&
        activeSessions === Number(isRunning) &&
        slots === Number(isRunning) &&
        needsNumber === (isQueued || isRunning)
      )
    })
  }),
  property(
    "the counters change by the difference of what the statuses hold",
    [status, status, fc.nat({ max: 50 })],
    (from, to, runs) => {
      const [before, then] = [life.holdingsOf(from), life.holdingsOf(to)]
      const { activeSessions, pendingDemand } = life.capacityChange(from, to, runs)
      expectEqual("activeSessions", activeSessions, runs * (then.activeSessions - before.activeSessions))
      expectEqual("pendingDemand", pendingDemand, runs * (then.pendingDemand - before.pendingDemand))
    }
  ),
  property("after any events and the deletion of a run the counters are as before it", [sequence], (events) => {
    const all = [...passed(life, events), "deleted"] as const
    const moved = passed(life, events).map((from, at) => life.capacityChange(from, all[at + 1] ?? "deleted", 1))
    const sum = (of: (change: CapacityChange) => number) => moved.reduce((total, one) => total + of(one), 0)
    // It was created queued.
    expectEqual("the sum", [sum((one) => one.activeSessions), sum((one) => one.pendingDemand)], [0, -1])
  }),
  property(
    "a run is overdue from the instant at which its duration and 900 seconds have passed, and not a millisecond before",
    [fc.integer({ min: 0, max: 2e12 }), fc.integer({ min: 1, max: 7200 })],
    (started, seconds) => {
      const end = started + (seconds + 900) * 1000
      const found = [end - 1, end, end + 1].map((now) => life.isOverdue(started, seconds, now))
      expectEqual("a millisecond before, at the end, and after it", found, [false, true, true])
    }
  ),
  invariant(`a run whose workers are lost is taken up ${MAX_RUN_ATTEMPTS} times`, () => {
    expectEvery(
      "Array.from({ length: MAX_RUN_ATTEMPTS + 3 }, (_, at) => at + 1)",
      Array.from({ length: MAX_RUN_ATTEMPTS + 3 }, (_, at) => at + 1),
      (attempts) => life.onExpiredLease(attempts) === (attempts < MAX_RUN_ATTEMPTS ? "requeue" : "expire")
    )
  })
]
