import {

  type BarData,
  type DataType,
  Filters,
  type Json,
  type LineData,
  MetricId,
  type PieData,
  ProjectId,
  type TimeSeries,
  type WidgetData
} from "@earshot/core"
import { AnalyticsKit, FilterKit } from "@earshot/test-kit"
import * as DateTime from "effect/DateTime"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { ValuesQuery } from "../../src/analytics/AnalyticsQuery.js"

const { widgetDataOf: show } = AnalyticsKit

const call = (timestamp: string, rest: Partial<Filters.FilterableCall> = {}): Filters.FilterableCall =>
  FilterKit.blankCall(1, { callId: "c", agentName: "Desk", timestamp: DateTime.unsafeMake(timestamp), ...rest })

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

describe("what is seen of calls", () => {
  const evaluated = (...values: ReadonlyArray<readonly [metricId: number, value: number | string | null]>) =>
    values.map(([metricId, value]) => ({ metricId, metricName: `Metric ${metricId}`, value }))
  const scope = { projectId: ProjectId.make(1), filter: null, now: DateTime.unsafeMake("2026-03-31T00:00:00Z") }
  const asking = (field: string, dataType: DataType): ValuesQuery => ({
    ...scope,
    field: Filters.fieldOf(field)!,
    dataType,
    metric: null
  })
  const holding = (...values: ReadonlyArray<Json>) =>
    values.map((x, at) => call(`2026-03-0${(at % 9) + 1}T10:00:00Z`, { metadata: { x } }))

  it("is those that the filter lets through", () => {
    const calls = [call("2026-03-01T10:00:00Z", { success: true }), call("2026-03-01T10:00:00Z", { success: false })]
    const filters = { field: "success", op: "eq", value: true }
    expect(show({ dashboard: 1, chart_type: "stat", filters }, calls)).toMatchObject({ totalCalls: 1, successRate: 1 })
    expect(pie({ field: "success", filters }, calls).total).toBe(1)
  })

  it("is the latencies of the metrics that measure them, at their 95th percentile", () => {
    const calls = [
      call("2026-03-01T10:00:00Z", { evaluations: evaluated([1, 200], [2, 5], [1, null], [1, "slow"]) }),
      call("2026-03-01T10:00:00Z", { evaluations: evaluated([3, 100]) })
    ]
    const latencyMetrics = [1, 3].map((id) => MetricId.make(id))
    expect(AnalyticsKit.ReferenceAnalytics.totals({ ...scope, latencyMetrics }, calls).p95Latency).toBe(195)
    expect(AnalyticsKit.ReferenceAnalytics.totals({ ...scope, latencyMetrics: [] }, calls).p95Latency).toBe(null)
  })

  it("is numbers up to 1e100, and none beyond", () => {
    const calls = holding(1e100, -1e100, 1.0001e100, -1.0001e100)
    expect(AnalyticsKit.ReferenceAnalytics.typeCounts(asking("metadata.x", "numeric"), calls)).toEqual({ numeric: 2, boolean: 0, string: 0 })
    expect(AnalyticsKit.ReferenceAnalytics.typeCounts(asking("metadata.x", "dynamic"), calls)).toEqual({ numeric: 2, boolean: 0, string: 0 })
    const lasting = [1e100, 1.0001e100].map((duration) => call("2026-03-01T10:00:00Z", { duration }))
    expect(AnalyticsKit.ReferenceAnalytics.totals({ ...scope, latencyMetrics: [] }, lasting).averageDuration).toBe(1e100)
  })

  it("is the values of the type that is asked for, and neither null nor objects nor lists of any", () => {
    const calls = holding(1, "a", true, null, {}, [1], "b", false, false)
    const counts = (dataType: DataType, field = "metadata.x") => AnalyticsKit.ReferenceAnalytics.typeCounts(asking(field, dataType), calls)
    const none = { numeric: 0, boolean: 0, string: 0 }
    expect(counts("numeric")).toEqual({ ...none, numeric: 1 })
    expect(counts("boolean")).toEqual({ ...none, boolean: 3 })
    expect(counts("string")).toEqual({ ...none, string: 2 })
    expect(counts("datetime")).toEqual({ ...none, string: 2 })
    expect(counts("dynamic")).toEqual({ numeric: 1, boolean: 3, string: 2 })
    expect(counts("datetime", "timestamp")).toEqual({ ...none, numeric: 9 })
    expect(counts("string", "timestamp")).toEqual(none)
  })

  it("lies between the first and the last call that has a value", () => {
    const calls = holding(null, 5, 6, 7, null)
    const [second, last] = ["2026-03-02T10:00:00Z", "2026-03-04T10:00:00Z"].map((text) => Date.parse(text))
    expect(AnalyticsKit.ReferenceAnalytics.timeRange(asking("metadata.x", "numeric"), calls)).toEqual({ first: second, last })
    expect(AnalyticsKit.ReferenceAnalytics.timeRange(asking("metadata.x", "numeric"), calls.toReversed())).toEqual({ first: second, last })
    expect(AnalyticsKit.ReferenceAnalytics.timeRange(asking("metadata.x", "string"), calls)).toBe(undefined)
  })

  it("is one value a call, whatever was evaluated of it, unless evaluations are asked about", () => {
    const calls = [
      call("2026-03-01T10:00:00Z", { duration: 1, evaluations: evaluated([1, 4], [2, 5]) }),
      call("2026-03-01T10:00:00Z", { duration: 3 })
    ]
    const bars = (group_by: object | null) =>
      bar({ field: "duration", aggregation_function: "sum", group_by }, calls).series.map(({ label, points }) => [
        label,
        points[0]!.value,
        points[0]!.count
      ])
    expect(bars(null)).toEqual([["duration", 4, 2]])
    expect(bars({ type: "field", field: "metric_evaluations.metric.name" })).toEqual([
      ["(none)", 3, 1],
      ["Metric 1", 1, 1],
      ["Metric 2", 1, 1]
    ])
  })

  it("is one value a call where a field of the call divides it", () => {
    const calls = ["a", "b"].map((topic) =>
      call("2026-03-01T10:00:00Z", { topic, duration: 1, evaluations: evaluated([1, 4], [2, 5]) })
    )
    const { series } = pie({ field: "duration", group_by: { type: "field", field: "topic" } }, calls)
    expect(series.map(({ label, total }) => [label, total])).toEqual([
      ["a", 1],
      ["b", 1]
    ])
  })

  it("is divided by what has no order or length of its own under none", () => {
    const calls = [{ a: 1 }, [1], null, "x"].map((x) => call("2026-03-01T10:00:00Z", { duration: 1, metadata: { x } }))
    const group_by = { type: "field", field: "metadata.x" }
    expect(
      pie({ field: "duration", group_by }, calls).series.map(({ kind, key, total }) => [kind, key, total])
    ).toEqual([
      ["none", null, 3],
      ["value", "x", 1]
    ])
  })

  it("adds up numbers alone, but counts texts as well", () => {
    const calls = holding(1, "2", 4).map((one) => ({
      ...one,
      timestamp: DateTime.unsafeMake("2026-03-01T10:00:00Z")
    }))
    const bars = (aggregation_function: string) =>
      points(bar({ field: "metadata.x", aggregation_function }, calls).series[0])
    expect(bars("sum")).toEqual([["2026-03-01T00", 5, 2]])
    expect(bars("count")).toEqual([["2026-03-01T00", 3, 3]])
  })
})

describe("an aggregate", () => {
  it("adds up to the last place, whatever the order", () => {
    expect(AnalyticsKit.ReferenceAnalytics.aggregate("sum", [1, 1e100, 1, -1e100])).toBe(2)
    expect(AnalyticsKit.ReferenceAnalytics.aggregate("sum", [1e100, 1, -1e100, 1])).toBe(2)
    expect(AnalyticsKit.ReferenceAnalytics.aggregate("sum", [0.1, 0.2, 0.3, 0.4])).toBe(1)
    expect(AnalyticsKit.ReferenceAnalytics.aggregate("avg", [1, 1e100, 1, -1e100])).toBe(0.5)
  })

  it("takes percentiles of values in any order", () => {
    expect(AnalyticsKit.ReferenceAnalytics.aggregate("p50", [30, 10, 20])).toBe(20)
    expect(AnalyticsKit.ReferenceAnalytics.aggregate("p50", [4, 1, 3, 2])).toBe(2.5)
    expect(AnalyticsKit.ReferenceAnalytics.aggregate("p99", [7])).toBe(7)
  })
})

describe("the order of values", () => {
  it("is none, booleans, numbers and texts, each in their own", () => {
    const ordered = [null, false, true, -1, 2, 10, "", "10", "2", "a", "\uff5e", "\u{1f600}"]
    fc.assert(
      fc.property(fc.shuffledSubarray(ordered), (some) => {
        expect(some.toSorted(AnalyticsKit.X)).toEqual(ordered.filter((one) => some.includes(one)))
      })
    )
    expect(ordered.map((one) => AnalyticsKit.X(one, one))).toEqual(ordered.map(() => 0))
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

  it("says what it is of and how it was cut", () => {
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

  it("shows no minus zero, which JSON cannot say", () => {
    const [one] = bar({ field: "duration", aggregation_function: "min" }, [
      call("2026-03-01T10:00:00Z", { duration: -0 })
    ]).series[0]!.points
    expect(one!.value).toBe(0)
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

  it("is of the type of most values, be they numbers, booleans or texts", () => {
    const of = (...values: ReadonlyArray<Json>) =>
      line(
        { field: "metadata.x" },
        values.map((x) => call("2026-03-01T10:00:00Z", { metadata: { x } }))
      ).dataType
    expect(of(1, 2, true, "a")).toBe("numeric")
    expect(of(1, true, true, "a")).toBe("boolean")
    expect(of(true, true, 1)).toBe("boolean")
    expect(of(1, true, "a", "b")).toBe("string")
    expect(of("a", "b", 1)).toBe("string")
  })

  it("of nothing is a line by day", () => {
    expect(line({ field: "duration" }, [])).toMatchObject({ chartType: "line", timePeriod: "day", interval: null })
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

  it("of everything is one, and of nothing one without slices", () => {
    const data = pie({ field: "topic" }, [call("2026-03-01T10:00:00Z", { topic: "a" })])
    expect(data).toMatchObject({ chartType: "pie", dataType: "string", field: "topic", total: 1 })
    expect(data.series).toMatchObject([{ kind: "all", key: null, label: "topic", total: 1 }])
    expect(pie({ field: "topic" }, []).series).toEqual([
      { kind: "all", key: null, label: "topic", total: 0, points: [] }
    ])
  })

  it("tells a text that nobody can see from one that is not there", () => {
    const calls = ["", "  ", " a "].map((topic) => call("2026-03-01T10:00:00Z", { topic }))
    expect(pie({ field: "topic" }, calls).series[0]!.points.map(({ key, label }) => [key, label])).toEqual([
      ["", "(blank)"],
      ["  ", "(blank)"],
      [" a ", " a "]
    ])
  })

  it("of times shows them as ISO 8601", () => {
    const data = pie({ field: "timestamp" }, [call("2026-03-01T10:00:00Z")])
    expect(data.series[0]!.points).toMatchObject([
      { key: "2026-03-01T10:00:00.000Z", label: "2026-03-01T10:00:00.000Z" }
    ])
  })

  it("in more time buckets than are shown keeps the newest apart in their order, the rest at the end", () => {
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

  it("keeps values of different types apart", () => {
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
