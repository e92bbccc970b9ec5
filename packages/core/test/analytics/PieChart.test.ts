import { describe, expect, it } from "vitest"
import { call, pie, slices } from "./charts.js"

describe("a pie chart", () => {
  it("has one slice per value, the most frequent first, with its share of the calls with a value", () => {
    const calls = ["hangup", "hangup", "transfer", null].map((callEndedReason) =>
      call("2026-03-01T10:00:00Z", { callEndedReason })
    )
    const data = pie({ field: "call_ended_reason" }, calls)
    expect(data.total).toBe(3)
    expect(slices(data)).toEqual([
      ["hangup", 2, 2 / 3],
      ["transfer", 1, 1 / 3]
    ])
  })

  it("has one series when ungrouped, without slices if there are no values", () => {
    const data = pie({ field: "topic" }, [call("2026-03-01T10:00:00Z", { topic: "a" })])
    expect(data).toMatchObject({ chartType: "pie", dataType: "string", field: "topic", total: 1 })
    expect(data.series).toMatchObject([{ kind: "all", key: null, label: "topic", total: 1 }])
    expect(pie({ field: "topic" }, []).series).toEqual([
      { kind: "all", key: null, label: "topic", total: 0, points: [] }
    ])
  })

  it("labels blank texts", () => {
    const calls = ["", "  ", " a "].map((topic) => call("2026-03-01T10:00:00Z", { topic }))
    expect(pie({ field: "topic" }, calls).series[0]!.points.map(({ key, label }) => [key, label])).toEqual([
      ["", "(blank)"],
      ["  ", "(blank)"],
      [" a ", " a "]
    ])
  })

  it("shows times as ISO 8601", () => {
    const data = pie({ field: "timestamp" }, [call("2026-03-01T10:00:00Z")])
    expect(data.series[0]!.points).toMatchObject([
      { key: "2026-03-01T10:00:00.000Z", label: "2026-03-01T10:00:00.000Z" }
    ])
  })

  it("shows the newest 50 time buckets in order and the rest as other at the end", () => {
    const days = Array.from({ length: 52 }, (_, i) =>
      call(new Date(Date.UTC(2026, 0, 52 - i)).toISOString(), { topic: "a" })
    )
    const { series } = pie({ field: "topic", group_by: { type: "bucket", interval: 86_400_000 } }, days)
    expect(series).toHaveLength(51)
    expect(series.slice(0, 50).map(({ key }) => key)).toEqual(
      series
        .slice(0, 50)
        .map(({ key }) => key)
        .toSorted()
    )
    expect(series[50]).toMatchObject({ kind: "other", key: null, label: "(other)", total: 2 })
  })

  it("distinguishes values of different types", () => {
    const calls = [5, "5", true, "true", 5, null, [5], { five: 5 }].map((v) =>
      call("2026-03-01T10:00:00Z", { metadata: { v } })
    )
    expect(pie({ field: "metadata.v" }, calls).series[0]!.points.map(({ key, value }) => [key, value])).toEqual([
      [5, 2],
      [true, 1],
      ["5", 1],
      ["true", 1]
    ])
  })

  it("has one series per group", () => {
    const data = pie({ field: "success", group_by: { type: "field", field: "agent.agent_name" } }, [
      call("2026-03-01T10:00:00Z", { success: true }),
      call("2026-03-01T10:00:00Z", { success: false }),
      call("2026-03-01T10:00:00Z", { success: true, agentName: "Billing" })
    ])
    expect(data.series.map(({ label, points, total }) => [label, total, points.map(({ key }) => key)])).toEqual([
      ["Desk", 2, [false, true]],
      ["Billing", 1, [true]]
    ])
  })

  it("has one series per time bucket in chronological order", () => {
    const data = pie({ field: "success", group_by: { type: "bucket", interval: 86_400_000 } }, [
      call("2026-03-02T10:00:00Z", { success: true }),
      call("2026-03-02T10:00:00Z", { success: true }),
      call("2026-03-01T10:00:00Z", { success: true })
    ])
    expect(data.series.map(({ key }) => key)).toEqual(["2026-03-01T00:00:00.000Z", "2026-03-02T00:00:00.000Z"])
  })

  it("combines values beyond the fiftieth into one slice", () => {
    const calls = Array.from({ length: 55 }, (_, i) => call("2026-03-01T10:00:00Z", { topic: `topic ${i}` }))
    const data = pie({ field: "topic" }, calls)
    expect(data.series[0]!.points).toHaveLength(51)
    expect(slices(data)[50]).toEqual(["(other)", 5, 5 / 55])
  })

  it("counts the evaluations of the requested metric, or of all metrics", () => {
    const evaluations = [
      { metricId: 1, metricName: "Politeness", value: 4 },
      { metricId: 2, metricName: "Latency", value: 900 }
    ]
    const calls = [call("2026-03-01T10:00:00Z", { evaluations }), call("2026-03-01T10:00:00Z")]
    expect(slices(pie({ field: "metric_evaluations.value", metric: 2 }, calls))).toEqual([["900", 1, 1]])
    expect(slices(pie({ field: "metric_evaluations.metric.name" }, calls))).toEqual([
      ["Latency", 1, 0.5],
      ["Politeness", 1, 0.5]
    ])
  })
})
