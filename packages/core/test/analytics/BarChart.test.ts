import { describe, expect, it } from "vitest"
import { bar, call, points } from "./charts.js"

describe("a bar chart", () => {
  const calls = [
    call("2026-03-01T10:00:00Z", { duration: 10, success: true, callEndedReason: "hangup" }),
    call("2026-03-01T23:59:59.999Z", { duration: 20, success: false, callEndedReason: "hangup" }),
    call("2026-03-03T00:00:00Z", { duration: 40, success: true, callEndedReason: "transfer" }),
    call("2026-03-04T00:00:00Z", { callEndedReason: "hangup" })
  ]

  it("aggregates each period, with a null average and a count of 0 for an empty period", () => {
    expect(points(bar({ field: "duration", aggregation_function: "avg" }, calls).series[0])).toEqual([
      ["2026-03-01T00", 15, 2],
      ["2026-03-02T00", null, 0],
      ["2026-03-03T00", 40, 1]
    ])
    expect(points(bar({ field: "duration", aggregation_function: "count" }, calls).series[0])).toEqual([
      ["2026-03-01T00", 2, 2],
      ["2026-03-02T00", 0, 0],
      ["2026-03-03T00", 1, 1]
    ])
  })

  it("states its field, aggregation and period", () => {
    expect(bar({ field: "duration", aggregation_function: "avg" }, calls)).toMatchObject({
      chartType: "bar",
      field: "duration",
      dataType: "numeric",
      aggregationFunction: "avg",
      timePeriod: "day",
      interval: null,
      truncated: false,
      series: [{ kind: "all", key: null, label: "duration" }]
    })
  })

  it("shows -0 as 0", () => {
    const [one] = bar({ field: "duration", aggregation_function: "min" }, [
      call("2026-03-01T10:00:00Z", { duration: -0 })
    ]).series[0]!.points
    expect(one!.value).toBe(0)
  })

  it("aggregates booleans as 0 and 1", () => {
    const rate = bar({ field: "success", aggregation_function: "avg", time_period: "month" }, calls)
    expect(points(rate.series[0])).toEqual([["2026-03-01T00", 2 / 3, 3]])
    expect(rate.dataType).toBe("boolean")
  })

  it("interpolates percentiles linearly", () => {
    const of = (aggregation_function: string) =>
      points(bar({ field: "duration", aggregation_function, time_period: "month" }, calls).series[0])[0]![1]
    expect(of("p50")).toBe(20)
    expect(of("p95")).toBeCloseTo(38, 12)
    expect(of("p99")).toBeCloseTo(39.6, 12)
    expect(of("min")).toBe(10)
    expect(of("max")).toBe(40)
    expect(of("sum")).toBe(70)
  })

  it("has one series per group with the same timestamps, the most frequent first", () => {
    const data = bar(
      { field: "timestamp", aggregation_function: "count", group_by: { type: "field", field: "call_ended_reason" } },
      calls
    )
    expect(data.series.map(({ key, kind, label }) => [kind, key, label])).toEqual([
      ["value", "hangup", "hangup"],
      ["value", "transfer", "transfer"]
    ])
    expect(points(data.series[1])).toEqual([
      ["2026-03-01T00", 0, 0],
      ["2026-03-02T00", 0, 0],
      ["2026-03-03T00", 1, 1],
      ["2026-03-04T00", 0, 0]
    ])
  })

  it("uses time buckets instead of the period when grouped by them", () => {
    const group_by = { type: "bucket", interval: 12 * 3_600_000 }
    const data = bar({ field: "duration", aggregation_function: "max", group_by }, calls.slice(0, 2))
    expect(data).toMatchObject({ timePeriod: null, interval: 43_200_000 })
    expect(points(data.series[0])).toEqual([
      ["2026-03-01T00", 10, 1],
      ["2026-03-01T12", 20, 1]
    ])
  })

  it("combines groups beyond the fiftieth into other, and shows calls without a group as none", () => {
    const many = Array.from({ length: 60 }, (_, i) =>
      call("2026-03-01T10:00:00Z", { duration: i, topic: i < 3 ? null : `topic ${String(i).padStart(2, "0")}` })
    )
    const { series } = bar(
      { field: "duration", aggregation_function: "max", group_by: { type: "field", field: "topic" } },
      many
    )
    expect(series).toHaveLength(51)
    expect(series[0]).toMatchObject({ kind: "none", key: null, label: "(none)", points: [{ value: 2, count: 3 }] })
    expect(series[1]).toMatchObject({ kind: "value", key: "topic 03" })
    expect(series[50]).toMatchObject({ kind: "other", label: "(other)", points: [{ value: 59, count: 8 }] })
  })

  it("shows the newest 1,000 periods with values and marks the chart as truncated", () => {
    const hourly = Array.from({ length: 1002 }, (_, i) =>
      call(new Date(Date.UTC(2026, 0, 1, i)).toISOString(), { duration: i })
    )
    const data = bar({ field: "duration", aggregation_function: "sum", time_period: "hour" }, hourly)
    expect(data.truncated).toBe(true)
    expect(data.series[0]!.points).toHaveLength(1000)
    expect(data.series[0]!.points[0]!.value).toBe(2)
  })

  it("omits empty periods when there are more than 1,000", () => {
    const stray = [call("1970-01-01T00:00:00Z", { duration: 1 }), call("2026-01-01T00:00:00Z", { duration: 2 })]
    const data = bar({ field: "duration", aggregation_function: "sum" }, stray)
    expect(data.truncated).toBe(false)
    expect(data.series[0]!.points).toHaveLength(2)
  })
})
