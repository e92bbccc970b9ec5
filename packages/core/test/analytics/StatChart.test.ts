import { describe, expect, it } from "vitest"
import { call, stat } from "./charts.js"

describe("a stat chart", () => {
  it("shows null for numbers without any data", () => {
    expect(stat([])).toEqual({
      chartType: "stat",
      totalCalls: 0,
      successRate: null,
      avgDuration: null,
      p95Latency: null,
      p95CallLatency: null
    })
  })

  it("averages only known successes and durations", () => {
    expect(
      stat([
        call("2026-03-01T00:00:00Z", { success: true, duration: 60 }),
        call("2026-03-01T00:00:00Z", { success: false, duration: 0 }),
        call("2026-03-01T00:00:00Z")
      ])
    ).toMatchObject({ totalCalls: 3, successRate: 0.5, avgDuration: 30 })
  })
})
