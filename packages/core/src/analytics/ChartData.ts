import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Field } from "../filters/Filter.js"
import {
  isField,
  type Shares,
  type SharesQuery,
  type TimeRange,
  type Timeline,
  type TimelineQuery,
  type Totals,
  type TotalsQuery,
  type TypeCounts,
  type ValuesQuery
} from "./AnalyticsQuery.js"
import { type Bucket, periodFor } from "./Bucket.js"
import { layoutShares, layoutTimeline } from "./ChartLayout.js"
import type { Aggregate, DataType } from "./Measure.js"
import type { LineData, WidgetData } from "./WidgetData.js"
import type { ChartQuery } from "./Chart.js"

/** Answers the queries of a chart: an analytics store with a permit, or calls in memory. */
export interface AnalyticsSource<E> {
  readonly totals: (query: TotalsQuery) => Effect.Effect<Totals, E>
  readonly typeCounts: (query: ValuesQuery) => Effect.Effect<TypeCounts, E>
  readonly timeRange: (query: ValuesQuery) => Effect.Effect<Option.Option<TimeRange>, E>
  readonly timeline: (query: TimelineQuery) => Effect.Effect<Timeline, E>
  readonly shares: (query: SharesQuery) => Effect.Effect<Shares, E>
}

/** The data of a chart; see docs/dashboards.md for each type of chart. */
export const chartData = <E>(query: ChartQuery, source: AnalyticsSource<E>): Effect.Effect<WidgetData, E> => {
  const { chart, fieldName, filter, now, projectId } = query
  switch (chart.type) {
    case "stat":
      return Effect.map(source.totals({ projectId, filter, now, latencyMetrics: chart.latencyMetrics }), (totals) => ({
        chartType: chart.type,
        totalCalls: totals.calls,
        successRate: totals.successRate,
        avgDuration: totals.averageDuration,
        p95Latency: totals.p95Latency,
        p95CallLatency: totals.p95CallLatency
      }))
    case "bar": {
      const { aggregate, group, period } = chart
      const bucket = isBucket(group) ? group : period
      const timeline = { ...valuesQuery(query, chart), aggregate, bucket, group: isField(group) ? group : null }
      return overTime("bar", timeline, fieldName, source)
    }
    case "line":
      return line(valuesQuery(query, chart), chart.group, fieldName, source)
    case "pie": {
      const shares: SharesQuery = { ...valuesQuery(query, chart), group: chart.group }
      return Effect.map(source.shares(shares), (result) => {
        const series = layoutShares(shares, fieldName, result)
        return {
          chartType: chart.type,
          dataType: chart.dataType,
          field: fieldName,
          total: series.reduce((sum, { total }) => sum + total, 0),
          series
        }
      })
    }
  }
}

const valuesQuery = (
  { filter, metric, now, projectId }: ChartQuery,
  { dataType, field }: { readonly dataType: DataType; readonly field: Field }
): ValuesQuery => ({ projectId, filter, now, field, dataType, metric })

const overTime = <Type extends "line" | "bar", E>(
  chartType: Type,
  query: TimelineQuery,
  fieldName: string,
  source: AnalyticsSource<E>
): Effect.Effect<Omit<LineData, "chartType"> & { readonly chartType: Type }, E> =>
  Effect.map(source.timeline(query), (result) => ({
    chartType,
    dataType: query.dataType,
    field: fieldName,
    aggregationFunction: query.aggregate,
    timePeriod: query.bucket.by === "period" ? query.bucket.period : null,
    interval: query.bucket.by === "interval" ? query.bucket.milliseconds : null,
    truncated: result.truncated,
    series: layoutTimeline(query, fieldName, result)
  }))

/**
 * A field over time: the mean of numbers, the share of true, or for texts one line per text with its count. The most
 * frequent type determines the type of a dynamic field.
 */
const line = <E>(
  values: ValuesQuery,
  group: Field | Bucket | null,
  fieldName: string,
  source: AnalyticsSource<E>
): Effect.Effect<LineData, E> =>
  Effect.gen(function* () {
    const dataType =
      values.dataType === "dynamic" ? mostFrequentType(yield* source.typeCounts(values)) : values.dataType
    const query: ValuesQuery = { ...values, dataType }
    const aggregate: Aggregate = dataType === "numeric" || dataType === "boolean" ? "avg" : "count"
    const bucket = isBucket(group) ? group : periodOf(yield* source.timeRange(query))
    const by = isField(group) ? group : dataType === "string" ? query.field : null
    return yield* overTime("line", { ...query, aggregate, bucket, group: by }, fieldName, source)
  })

/** Grouping by time buckets replaces the period. */
const isBucket = (group: Field | Bucket | null): group is Bucket => group !== null && !isField(group)

const periodOf = (range: Option.Option<TimeRange>): Bucket => ({
  by: "period",
  period: Option.match(range, { onNone: () => "day", onSome: ({ first, last }) => periodFor(first, last) })
})

const mostFrequentType = ({ boolean, numeric, string }: TypeCounts): DataType =>
  numeric + boolean + string === 0
    ? "dynamic"
    : numeric >= boolean && numeric >= string
      ? "numeric"
      : boolean >= string
        ? "boolean"
        : "string"
