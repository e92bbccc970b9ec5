import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Field } from "../filters/Filter.js"
import {
  isField,
  type Shares,
  type SharesQuestion,
  type Span,
  type Timeline,
  type TimelineQuestion,
  type Totals,
  type TotalsQuestion,
  type Types,
  type ValuesQuestion
} from "./AnalyticsQuestion.js"
import { type Bucket, periodFor } from "./Bucket.js"
import { layOutShares, layOutTimeline } from "./LayOut.js"
import type { Aggregate, DataType } from "./Measure.js"
import type { LineData, WidgetData } from "./WidgetData.js"
import type { ChartQuestion } from "./Chart.js"

/** Whoever answers the questions of a chart: a store with a permit in hand, or calls in memory. */
export interface Asked<E> {
  readonly totals: (question: TotalsQuestion) => Effect.Effect<Totals, E>
  readonly types: (question: ValuesQuestion) => Effect.Effect<Types, E>
  readonly span: (question: ValuesQuestion) => Effect.Effect<Option.Option<Span>, E>
  readonly timeline: (question: TimelineQuestion) => Effect.Effect<Timeline, E>
  readonly shares: (question: SharesQuestion) => Effect.Effect<Shares, E>
}

/** What a chart shows. docs/dashboards.md says for each chart what is plotted. */
export const answer = <E>(question: ChartQuestion, asked: Asked<E>): Effect.Effect<WidgetData, E> => {
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
      const timeline = { ...values(question, chart), aggregate, bucket, group: isField(group) ? group : null }
      return overTime("bar", timeline, fieldName, asked)
    }
    case "line":
      return line(values(question, chart), chart.group, fieldName, asked)
    case "pie": {
      const shares: SharesQuestion = { ...values(question, chart), group: chart.group }
      return Effect.map(asked.shares(shares), (answered) => {
        const series = layOutShares(shares, fieldName, answered)
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

const values = (
  { filter, metric, now, projectId }: ChartQuestion,
  { dataType, field }: { readonly dataType: DataType; readonly field: Field }
): ValuesQuestion => ({ projectId, filter, now, field, dataType, metric })

const overTime = <Type extends "line" | "bar", E>(
  chartType: Type,
  question: TimelineQuestion,
  fieldName: string,
  asked: Asked<E>
): Effect.Effect<Omit<LineData, "chartType"> & { readonly chartType: Type }, E> =>
  Effect.map(asked.timeline(question), (answered) => ({
    chartType,
    dataType: question.dataType,
    field: fieldName,
    aggregationFunction: question.aggregate,
    timePeriod: question.bucket.by === "period" ? question.bucket.period : null,
    interval: question.bucket.by === "interval" ? question.bucket.milliseconds : null,
    truncated: answered.truncated,
    series: layOutTimeline(question, fieldName, answered)
  }))

/**
 * The field over time: the mean of numbers, the share of what is true, and for texts a line for each, of how often it
 * occurs. What holds values of several types is taken for the type that most of them have.
 */
const line = <E>(
  asking: ValuesQuestion,
  group: Field | Bucket | null,
  fieldName: string,
  asked: Asked<E>
): Effect.Effect<LineData, E> =>
  Effect.gen(function* () {
    const dataType = asking.dataType === "dynamic" ? mostOf(yield* asked.types(asking)) : asking.dataType
    const question: ValuesQuestion = { ...asking, dataType }
    const aggregate: Aggregate = dataType === "numeric" || dataType === "boolean" ? "avg" : "count"
    const bucket = isBucket(group) ? group : periodOf(yield* asked.span(question))
    const by = isField(group) ? group : dataType === "string" ? question.field : null
    return yield* overTime("line", { ...question, aggregate, bucket, group: by }, fieldName, asked)
  })

/** A grouping by time buckets says how wide they are, and takes the place of a period. */
const isBucket = (group: Field | Bucket | null): group is Bucket => group !== null && !isField(group)

const periodOf = (span: Option.Option<Span>): Bucket => ({
  by: "period",
  period: Option.match(span, { onNone: () => "day", onSome: ({ first, last }) => periodFor(first, last) })
})

const mostOf = ({ boolean, numeric, string }: Types): DataType =>
  numeric + boolean + string === 0
    ? "dynamic"
    : numeric >= boolean && numeric >= string
      ? "numeric"
      : boolean >= string
        ? "boolean"
        : "string"
