import { AnalyticsQuery, type DataType, Filters, type Json, MetricId, ProjectId } from "@earshot/core"
import { AnalyticsKit } from "@earshot/test-kit"
import * as DateTime from "effect/DateTime"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { bar, call, pie, points, stat } from "./charts.js"

const { ReferenceAnalytics } = AnalyticsKit

describe("the values of a chart", () => {
  const evaluated = (...values: ReadonlyArray<readonly [metricId: number, value: number | string | null]>) =>
    values.map(([metricId, value]) => ({ metricId, metricName: `Metric ${metricId}`, value }))
  const scope = { projectId: ProjectId.make(1), filter: null, now: DateTime.unsafeMake("2026-03-31T00:00:00Z") }
  const asking = (field: string, dataType: DataType): AnalyticsQuery.ValuesQuery => ({
    ...scope,
    field: Filters.fieldOf(field)!,
    dataType,
    metric: null
  })
  const holding = (...values: ReadonlyArray<Json>) =>
    values.map((x, at) => call(`2026-03-0${(at % 9) + 1}T10:00:00Z`, { metadata: { x } }))

  it("are those of calls that match the filter", () => {
    const calls = [call("2026-03-01T10:00:00Z", { success: true }), call("2026-03-01T10:00:00Z", { success: false })]
    const filters = { field: "success", op: "eq", value: true }
    expect(stat(calls, { filters })).toMatchObject({ totalCalls: 1, successRate: 1 })
    expect(pie({ field: "success", filters }, calls).total).toBe(1)
  })

  it("include the 95th percentile of the latency metrics, over calls and over answers", () => {
    const [slow, other, ...rest] = evaluated([1, 200], [2, 5], [1, null], [1, "slow"])
    const calls = [
      call("2026-03-01T10:00:00Z", {
        evaluations: [
          { ...slow!, answerLatencies: [100, 300] },
          { ...other!, answerLatencies: [9000] },
          ...rest.map((one) => ({ ...one, answerLatencies: [] }))
        ]
      }),
      call("2026-03-01T10:00:00Z", { evaluations: evaluated([3, 100]) })
    ]
    const latencyMetrics = [1, 3].map((id) => MetricId.make(id))
    expect(ReferenceAnalytics.totals({ ...scope, latencyMetrics }, calls)).toMatchObject({
      p95Latency: 290,
      p95CallLatency: 195
    })
    expect(ReferenceAnalytics.totals({ ...scope, latencyMetrics: [] }, calls)).toMatchObject({
      p95Latency: null,
      p95CallLatency: null
    })
  })

  it("exclude numbers beyond 1e100", () => {
    const calls = holding(1e100, -1e100, 1.0001e100, -1.0001e100)
    expect(ReferenceAnalytics.typeCounts(asking("metadata.x", "numeric"), calls)).toEqual({
      numeric: 2,
      boolean: 0,
      string: 0
    })
    expect(ReferenceAnalytics.typeCounts(asking("metadata.x", "dynamic"), calls)).toEqual({
      numeric: 2,
      boolean: 0,
      string: 0
    })
    const lasting = [1e100, 1.0001e100].map((duration) => call("2026-03-01T10:00:00Z", { duration }))
    expect(ReferenceAnalytics.totals({ ...scope, latencyMetrics: [] }, lasting).averageDuration).toBe(1e100)
  })

  it("are those of the requested type, never null, objects or lists", () => {
    const calls = holding(1, "a", true, null, {}, [1], "b", false, false)
    const counts = (dataType: DataType, field = "metadata.x") =>
      ReferenceAnalytics.typeCounts(asking(field, dataType), calls)
    const none = { numeric: 0, boolean: 0, string: 0 }
    expect(counts("numeric")).toEqual({ ...none, numeric: 1 })
    expect(counts("boolean")).toEqual({ ...none, boolean: 3 })
    expect(counts("string")).toEqual({ ...none, string: 2 })
    expect(counts("datetime")).toEqual({ ...none, string: 2 })
    expect(counts("dynamic")).toEqual({ numeric: 1, boolean: 3, string: 2 })
    expect(counts("datetime", "timestamp")).toEqual({ ...none, numeric: 9 })
    expect(counts("string", "timestamp")).toEqual(none)
  })

  it("have the time range of the calls with a value", () => {
    const calls = holding(null, 5, 6, 7, null)
    const [second, last] = ["2026-03-02T10:00:00Z", "2026-03-04T10:00:00Z"].map((text) => Date.parse(text))
    expect(ReferenceAnalytics.timeRange(asking("metadata.x", "numeric"), calls)).toEqual({
      first: second,
      last
    })
    expect(ReferenceAnalytics.timeRange(asking("metadata.x", "numeric"), calls.toReversed())).toEqual({
      first: second,
      last
    })
    expect(ReferenceAnalytics.timeRange(asking("metadata.x", "string"), calls)).toBe(undefined)
  })

  it("are one per call, or one per evaluation if a field of evaluations is involved", () => {
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

  it("are one per call when grouped by a field of the call", () => {
    const calls = ["a", "b"].map((topic) =>
      call("2026-03-01T10:00:00Z", { topic, duration: 1, evaluations: evaluated([1, 4], [2, 5]) })
    )
    const { series } = pie({ field: "duration", group_by: { type: "field", field: "topic" } }, calls)
    expect(series.map(({ label, total }) => [label, total])).toEqual([
      ["a", 1],
      ["b", 1]
    ])
  })

  it("are grouped under none where the group is null, an object or a list", () => {
    const calls = [{ a: 1 }, [1], null, "x"].map((x) => call("2026-03-01T10:00:00Z", { duration: 1, metadata: { x } }))
    const group_by = { type: "field", field: "metadata.x" }
    expect(
      pie({ field: "duration", group_by }, calls).series.map(({ kind, key, total }) => [kind, key, total])
    ).toEqual([
      ["none", null, 3],
      ["value", "x", 1]
    ])
  })

  it("are summed only if numeric, and counted also if texts", () => {
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
  it("sums exactly in any order", () => {
    expect(ReferenceAnalytics.aggregate("sum", [1, 1e100, 1, -1e100])).toBe(2)
    expect(ReferenceAnalytics.aggregate("sum", [1e100, 1, -1e100, 1])).toBe(2)
    expect(ReferenceAnalytics.aggregate("sum", [0.1, 0.2, 0.3, 0.4])).toBe(1)
    expect(ReferenceAnalytics.aggregate("avg", [1, 1e100, 1, -1e100])).toBe(0.5)
  })

  it("computes percentiles of unsorted values", () => {
    expect(ReferenceAnalytics.aggregate("p50", [30, 10, 20])).toBe(20)
    expect(ReferenceAnalytics.aggregate("p50", [4, 1, 3, 2])).toBe(2.5)
    expect(ReferenceAnalytics.aggregate("p99", [7])).toBe(7)
  })
})

describe("the order of groups", () => {
  it("is null, booleans, numbers, texts, each by value", () => {
    const ordered = [null, false, true, -1, 2, 10, "", "10", "2", "a", "\uff5e", "\u{1f600}"]
    fc.assert(
      fc.property(fc.shuffledSubarray(ordered), (some) => {
        expect(some.toSorted(AnalyticsQuery.compareGroupKeys)).toEqual(ordered.filter((one) => some.includes(one)))
      })
    )
    expect(ordered.map((one) => AnalyticsQuery.compareGroupKeys(one, one))).toEqual(ordered.map(() => 0))
  })
})
