import {
  type Filters,
  type Json,
  type LineData,
  type PieData,
  type BarData,
  type TimeSeries,
  type WidgetData
} from "@earshot/core"
import { AnalyticsKit } from "@earshot/test-kit"
import * as DateTime from "effect/DateTime"
import { describe, expect, it } from "vitest"

const { show } = AnalyticsKit

const call = (timestamp: string, rest: Partial<Filters.FilterableCall> = {}): Filters.FilterableCall => ({
  id: 1,
  callId: "c",
  traceId: null,
  timestamp: DateTime.unsafeMake(timestamp),
  duration: null,
  success: null,
  isReviewed: false,
  customerNumber: null,
  callEndedReason: null,
  dropoffPoint: null,
  topic: null,
  feedback: null,
  agentId: 1,
  agentName: "Desk",
  metadata: null,
  dynamicVariables: null,
  evaluations: [],
  ...rest
})

const line = (widget: object, calls: ReadonlyArray<Filters.FilterableCall>) =>
  show({ dashboard: 1, chart_type: "line", ...widget }, calls) as LineData
const bar = (widget: object, calls: ReadonlyArray<Filters.FilterableCall>) =>
  show({ dashboard: 1, chart_type: "bar", time_period: "day", ...widget }, calls) as BarData
const pie = (widget: object, calls: ReadonlyArray<Filters.FilterableCall>) =>
  show({ dashboard: 1, chart_type: "pie", ...widget }, calls) as PieData

const points = (series: TimeSeries | undefined) =>
  series!.points.map(({ count, timestamp, value }) => [DateTime.formatIso(timestamp).slice(0, 13), value, count])

const slices = (data: PieData) => data.series[0]!.points.map(({ label, share, value }) => [label, value, share])

describe("a stat", () => {
  const stat = (calls: ReadonlyArray<Filters.FilterableCall>): WidgetData =>
    show({ dashboard: 1, chart_type: "stat" }, calls)

  it("shows no number where there is nothing to compute it from", () => {
    expect(stat([])).toEqual({
      chartType: "stat",
      totalCalls: 0,
      successRate: null,
      avgDuration: null,
      p95Latency: null
    })
  })

  it("takes the rate of those whose success is known, and the mean of known durations", () => {
    expect(
      stat([
        call("2026-03-01T00:00:00Z", { success: true, duration: 60 }),
        call("2026-03-01T00:00:00Z", { success: false, duration: 0 }),
        call("2026-03-01T00:00:00Z")
      ])
    ).toMatchObject({ totalCalls: 3, successRate: 0.5, avgDuration: 30 })
  })
})

describe("a bar chart", () => {
  const calls = [
    call("2026-03-01T10:00:00Z", { duration: 10, success: true, callEndedReason: "hangup" }),
    call("2026-03-01T23:59:59.999Z", { duration: 20, success: false, callEndedReason: "hangup" }),
    call("2026-03-03T00:00:00Z", { duration: 40, success: true, callEndedReason: "transfer" }),
    call("2026-03-04T00:00:00Z", { callEndedReason: "hangup" })
  ]

  it("aggregates a period at a time, with null for an average of nothing and 0 for a count of nothing", () => {
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

  it("takes booleans for 0 and 1", () => {
    const rate = bar({ field: "success", aggregation_function: "avg", time_period: "month" }, calls)
    expect(points(rate.series[0])).toEqual([["2026-03-01T00", 2 / 3, 3]])
    expect(rate.dataType).toBe("boolean")
  })

  it("gives percentiles by linear interpolation", () => {
    const of = (aggregation_function: string) =>
      points(bar({ field: "duration", aggregation_function, time_period: "month" }, calls).series[0])[0]![1]
    expect(of("p50")).toBe(20)
    expect(of("p95")).toBeCloseTo(38, 12)
    expect(of("p99")).toBeCloseTo(39.6, 12)
    expect(of("min")).toBe(10)
    expect(of("max")).toBe(40)
    expect(of("sum")).toBe(70)
  })

  it("has a series a group on one axis, the most frequent first", () => {
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

  it("lets time buckets take the place of the period", () => {
    const group_by = { type: "bucket", interval: 12 * 3_600_000 }
    const data = bar({ field: "duration", aggregation_function: "max", group_by }, calls.slice(0, 2))
    expect(data).toMatchObject({ timePeriod: null, interval: 43_200_000 })
    expect(points(data.series[0])).toEqual([
      ["2026-03-01T00", 10, 1],
      ["2026-03-01T12", 20, 1]
    ])
  })

  it("puts groups beyond the fiftieth together, and those without a value under none", () => {
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

  it("shows the newest thousand periods that hold a value, and says so", () => {
    const hourly = Array.from({ length: 1002 }, (_, i) =>
      call(new Date(Date.UTC(2026, 0, 1, i)).toISOString(), { duration: i })
    )
    const data = bar({ field: "duration", aggregation_function: "sum", time_period: "hour" }, hourly)
    expect(data.truncated).toBe(true)
    expect(data.series[0]!.points).toHaveLength(1000)
    expect(data.series[0]!.points[0]!.value).toBe(2)
  })

  it("leaves out the periods in between where they are too many to be shown", () => {
    const stray = [call("1970-01-01T00:00:00Z", { duration: 1 }), call("2026-01-01T00:00:00Z", { duration: 2 })]
    const data = bar({ field: "duration", aggregation_function: "sum" }, stray)
    expect(data.truncated).toBe(false)
    expect(data.series[0]!.points).toHaveLength(2)
  })
})

describe("a line", () => {
  it("is the mean of numbers, hours apart when days would be too few", () => {
    const data = line({ field: "duration" }, [
      call("2026-03-01T10:00:00Z", { duration: 10 }),
      call("2026-03-01T10:30:00Z", { duration: 20 }),
      call("2026-03-01T12:00:00Z", { duration: 5 }),
      call("2026-03-01T13:00:00Z")
    ])
    expect(data).toMatchObject({ dataType: "numeric", aggregationFunction: "avg", timePeriod: "hour", interval: null })
    expect(points(data.series[0])).toEqual([
      ["2026-03-01T10", 15, 2],
      ["2026-03-01T11", null, 0],
      ["2026-03-01T12", 5, 1]
    ])
    expect(data.series[0]).toMatchObject({ kind: "all", key: null, label: "duration" })
  })

  it("is the share of what is true", () => {
    const data = line({ field: "success", group_by: { type: "bucket", interval: 86_400_000 } }, [
      call("2026-03-01T10:00:00Z", { success: true }),
      call("2026-03-01T11:00:00Z", { success: false })
    ])
    expect(data).toMatchObject({ aggregationFunction: "avg", timePeriod: null, interval: 86_400_000 })
    expect(points(data.series[0])).toEqual([["2026-03-01T00", 0.5, 2]])
  })

  it("of texts is one for each, of how often it occurs", () => {
    const data = line({ field: "call_ended_reason" }, [
      call("2026-03-01T10:00:00Z", { callEndedReason: "b" }),
      call("2026-03-01T10:00:00Z", { callEndedReason: "b" }),
      call("2026-03-01T10:00:00Z", { callEndedReason: "a" })
    ])
    expect(data.aggregationFunction).toBe("count")
    expect(data.series.map(({ key, points }) => [key, points[0]!.value])).toEqual([
      ["b", 2],
      ["a", 1]
    ])
  })

  it("takes a field of several types for what most of its values are", () => {
    const calls = [1, 2, "three", true, { four: 4 }, [5], null].map((score) =>
      call("2026-03-01T10:00:00Z", { metadata: { score } })
    )
    const data = line({ field: "metadata.score" }, calls)
    expect(data.dataType).toBe("numeric")
    expect(points(data.series[0])).toEqual([["2026-03-01T10", 1.5, 2]])
    expect(line({ field: "metadata.score", data_type: "string" }, calls).series[0]!.key).toBe("three")
  })

  it("of nothing has no points", () => {
    expect(line({ field: "duration" }, []).series).toEqual([{ kind: "all", key: null, label: "duration", points: [] }])
    expect(line({ field: "topic" }, []).series).toEqual([])
    expect(line({ field: "metadata.region" }, [])).toMatchObject({ dataType: "dynamic" })
  })

  it("prefers numbers to booleans and those to texts where there are as many", () => {
    const of = (...values: ReadonlyArray<Json>) =>
      line(
        { field: "metadata.x" },
        values.map((x) => call("2026-03-01T10:00:00Z", { metadata: { x } }))
      ).dataType
    expect(of("a", true, 1)).toBe("numeric")
    expect(of("a", 1)).toBe("numeric")
    expect(of("a", true)).toBe("boolean")
    expect(of("a", "b", true)).toBe("string")
  })
})

describe("a pie", () => {
  it("has a slice a value, the most frequent first, with shares of the calls that have one", () => {
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

  it("keeps values of different types apart", () => {
    const calls = [5, "5", true, "true", 5].map((v) => call("2026-03-01T10:00:00Z", { metadata: { v } }))
    expect(pie({ field: "metadata.v" }, calls).series[0]!.points.map(({ key, value }) => [key, value])).toEqual([
      [5, 2],
      [true, 1],
      ["5", 1],
      ["true", 1]
    ])
  })

  it("is one pie a group", () => {
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

  it("in time buckets is one pie a bucket, in the order of time", () => {
    const data = pie({ field: "success", group_by: { type: "bucket", interval: 86_400_000 } }, [
      call("2026-03-02T10:00:00Z", { success: true }),
      call("2026-03-02T10:00:00Z", { success: true }),
      call("2026-03-01T10:00:00Z", { success: true })
    ])
    expect(data.series.map(({ key }) => key)).toEqual(["2026-03-01T00:00:00.000Z", "2026-03-02T00:00:00.000Z"])
  })

  it("puts what is rarer than the fiftieth value into one slice", () => {
    const calls = Array.from({ length: 55 }, (_, i) => call("2026-03-01T10:00:00Z", { topic: `topic ${i}` }))
    const data = pie({ field: "topic" }, calls)
    expect(data.series[0]!.points).toHaveLength(51)
    expect(slices(data)[50]).toEqual(["(other)", 5, 5 / 55])
  })

  it("of evaluations counts those of the metric that is asked for, or of all", () => {
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
