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

  it("is tried three times", () => {
    expect([1, 2, 3].map(onLostLease)).toEqual(["requeue", "requeue", "expire"])
  })
})

describe("deleting results and runs", () => {
  for (const { check, says } of ResultKit.deletionLaws(planDeletion)) it(says, check)
  for (const { check, says } of ResultKit.evaluationLaws(evaluateResult)) it(says, check)
})
