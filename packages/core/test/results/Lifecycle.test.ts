import {
  nextStatus,
  capacityChange,
  evaluateResult,
  holdingsOf,
  onExpiredLease,
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

describe("lifecycle of a run", () => {
  it("can end from every open status, and has no transition after that", () => {
    for (const status of RunStatus.literals) {
      const isOver = Object.keys(transitions[status]).length === 0
      expect(isOver).toBe(["completed", "failed", "timeout", "cancelled"].includes(status))
      for (const event of events) if (isOver) expect(nextStatus(status, event)).toBeUndefined()
    }
    expect(nextStatus("queued", "claim")).toBe("running")
    expect(nextStatus("running", "report")).toBe("evaluating")
    expect(nextStatus("evaluating", "score")).toBe("completed")
    expect(nextStatus("queued", "report")).toBeUndefined()
  })

  it("holds a slot while running, and a number while queued or running", () => {
    for (const status of RunStatus.literals) {
      const held = holdingsOf(status)
      expect(held.slots).toBe(held.activeSessions)
      expect(held.needsNumber).toBe(held.activeSessions + held.pendingDemand > 0)
    }
    expect(holdingsOf("deleted")).toEqual({ activeSessions: 0, pendingDemand: 0, slots: 0, needsNumber: false })
    expect(capacityChange("queued", "running", 3)).toEqual({ activeSessions: 3, pendingDemand: -3 })
    expect(capacityChange("running", "deleted", 2)).toEqual({ activeSessions: -2, pendingDemand: 0 })
  })

  for (const { check, name } of ResultKit.lifecycleProperties({
    nextStatus: nextStatus,
    capacityChange,
    holdingsOf,
    isOverdue,
    onExpiredLease: onExpiredLease
  })) {
    it(name, () => check())
  }

  it("is open while queued, running or evaluating", () => {
    expect(openStatuses).toEqual(["queued", "running", "evaluating"])
  })

  it("is overdue 15 minutes after its max_duration", () => {
    const started = 1_700_000_000_000
    const [conversation, grace] = [300_000, 900_000]
    expect(isOverdue(started, 300, started + conversation + grace - 1)).toBe(false)
    expect(isOverdue(started, 300, started + conversation + grace)).toBe(true)
  })

  it("is attempted three times", () => {
    expect([1, 2, 3].map(onExpiredLease)).toEqual(["requeue", "requeue", "expire"])
  })
})

describe("status of a result", () => {
  it("is empty, queued, running or completed", () => {
    expect(ResultStatus.literals).toEqual(["empty", "queued", "running", "completed"])
  })
})

describe("deletion of results and runs", () => {
  for (const { check, name } of ResultKit.deletionProperties(planDeletion)) it(name, check)
  for (const { check, name } of ResultKit.evaluationProperties(evaluateResult)) it(name, check)
})
