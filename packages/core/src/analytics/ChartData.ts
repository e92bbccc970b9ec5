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

/** Whoever answers the questions of a chart: a store with a permit in hand, or calls in memory. */
export interface AnalyticsSource<E> {
  readonly totals: (question: TotalsQuery) => Effect.Effect<Totals, E>
  readonly typeCounts: (question: ValuesQuery) => Effect.Effect<TypeCounts, E>
  readonly timeRange: (question: ValuesQuery) => Effect.Effect<Option.Option<TimeRange>, E>
  readonly timeline: (question: TimelineQuery) => Effect.Effect<Timeline, E>
  readonly shares: (question: SharesQuery) => Effect.Effect<Shares, E>
}

/** What a chart shows. docs/dashboards.md says for each chart what is plotted. */
export const chartData = <E>(question: ChartQuery, asked: AnalyticsSource<E>): Effect.Effect<WidgetData, E> => {
  const { chart, fieldName, filter, now, projectId } = question
  switch (chart.type) {
    case "stat":
      return Effect.map(asked.totals({ projectId, filter, now, latencyMetrics: chart.latencyMetrics }), (totals) => ({
        chartType: chart.type,
        totalCalls: totals.calls,
        successRate: totals.successRate,
        avgDuration: totals.averageDuration,
        p95Latency: totals.p95Latency
      }))
    case "bar": {
      const { aggregate, group, period } = chart
      const bucket = isBucket(group) ? group : period
      const timeline = { ...valuesQuery(question, chart), aggregate, bucket, group: isField(group) ? group : null }
      return overTime("bar", timeline, fieldName, asked)
    }
    case "line":
      return line(valuesQuery(question, chart), chart.group, fieldName, asked)
    case "pie": {
      const shares: SharesQuery = { ...valuesQuery(question, chart), group: chart.group }
      return Effect.map(asked.shares(shares), (answered) => {
        const series = layoutShares(shares, fieldName, answered)
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
  question: TimelineQuery,
  fieldName: string,
  asked: AnalyticsSource<E>
): Effect.Effect<Omit<LineData, "chartType"> & { readonly chartType: Type }, E> =>
  Effect.map(asked.timeline(question), (answered) => ({
    chartType,
    dataType: question.dataType,
    field: fieldName,
    aggregationFunction: question.aggregate,
    timePeriod: question.bucket.by === "period" ? question.bucket.period : null,
    interval: question.bucket.by === "interval" ? question.bucket.milliseconds : null,
    truncated: answered.truncated,
    series: layoutTimeline(question, fieldName, answered)
  }))

/**
 * The field over time: the mean of numbers, the share of what is true, and for texts a line for each, of how often it
 * occurs. What holds values of several types is taken for the type that most of them have.
 */
const line = <E>(
  asking: ValuesQuery,
  group: Field | Bucket | null,
  fieldName: string,
  asked: AnalyticsSource<E>
): Effect.Effect<LineData, E> =>
  Effect.gen(function* () {
    const dataType = asking.dataType === "dynamic" ? mostFrequentType(yield* asked.typeCounts(asking)) : asking.dataType
    const question: ValuesQuery = { ...asking, dataType }
    const aggregate: Aggregate = dataType === "numeric" || dataType === "boolean" ? "avg" : "count"
    const bucket = isBucket(group) ? group : periodOf(yield* asked.timeRange(question))
    const by = isField(group) ? group : dataType === "string" ? question.field : null
    return yield* overTime("line", { ...question, aggregate, bucket, group: by }, fieldName, asked)
  })

/** A grouping by time buckets says how wide they are, and takes the place of a period. */
const isBucket = (group: Field | Bucket | null): group is Bucket => group !== null && !isField(group)

const periodOf = (span: Option.Option<TimeRange>): Bucket => ({
  by: "period",
  period: Option.match(span, { onNone: () => "day", onSome: ({ first, last }) => periodFor(first, last) })
})

const mostFrequentType = ({ boolean, numeric, string }: TypeCounts): DataType =>
  numeric + boolean + string === 0
    ? "dynamic"
    : numeric >= boolean && numeric >= string
      ? "numeric"
      : boolean >= string
        ? "boolean"
        : "string"
