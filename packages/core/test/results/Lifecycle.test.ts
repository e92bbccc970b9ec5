import {
  after,
  capacityChange,
  evaluateResult,
  holdingsOf,
  onLostLease,
  planDeletion,
  type RunEvent,
  RunStatus,
  transitions
} from "@earshot/core"
import { ResultKit } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"
import { ResultStatus } from "../../src/results/Evaluate.js"
import { isOverdue, openStatuses } from "../../src/results/RunLifecycle.js"

const events: ReadonlyArray<RunEvent> = ["claim", "requeue", "report", "score", "fail", "expire", "cancel"]

describe("the life of a run", () => {
  it("ends, wherever it stands, and what has ended stays so", () => {
    for (const status of RunStatus.literals) {
      const isOver = Object.keys(transitions[status]).length === 0
      expect(isOver).toBe(["completed", "failed", "timeout", "cancelled"].includes(status))
      for (const event of events) if (isOver) expect(after(status, event)).toBeUndefined()
    }
    expect(after("queued", "claim")).toBe("running")
    expect(after("running", "report")).toBe("evaluating")
    expect(after("evaluating", "score")).toBe("completed")
    expect(after("queued", "report")).toBeUndefined()
  })

  it("holds a slot while it runs, and a number until nobody calls from it", () => {
    for (const status of RunStatus.literals) {
      const held = holdingsOf(status)
      expect(held.slots).toBe(held.activeSessions)
      expect(held.needsNumber).toBe(held.activeSessions + held.pendingDemand > 0)
    }
    expect(holdingsOf("deleted")).toEqual({ activeSessions: 0, pendingDemand: 0, slots: 0, needsNumber: false })
    expect(capacityChange("queued", "running", 3)).toEqual({ activeSessions: 3, pendingDemand: -3 })
    expect(capacityChange("running", "deleted", 2)).toEqual({ activeSessions: -2, pendingDemand: 0 })
  })

  for (const { check, says } of ResultKit.lifecycleLaws({ after, capacityChange, holdingsOf, onLostLease })) {
    it(says, () => check())
  }

  it("is open until it is over", () => {
    expect(openStatuses).toEqual(["queued", "running", "evaluating"])
  })

  it("is overdue from a quarter of an hour after its longest conversation on", () => {
    const started = 1_700_000_000_000
    const [conversation, grace] = [300_000, 900_000]
    expect(isOverdue(started, 300, started + conversation + grace - 1)).toBe(false)
    expect(isOverdue(started, 300, started + conversation + grace)).toBe(true)
  })

  it("is tried three times", () => {
    expect([1, 2, 3].map(onLostLease)).toEqual(["requeue", "requeue", "expire"])
  })
})

describe("a result's status", () => {
  it("is one of four", () => {
    expect(ResultStatus.literals).toEqual(["empty", "queued", "running", "completed"])
  })
})

describe("deleting results and runs", () => {
  for (const { check, says } of ResultKit.deletionLaws(planDeletion)) it(says, check)
  for (const { check, says } of ResultKit.evaluationLaws(evaluateResult)) it(says, check)
})
