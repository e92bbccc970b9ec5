/**
 * The data of a widget: responses of `GET /dashboards/widgets/{id}/data/` and of previews. docs/dashboards.md has examples.
 * A number without any data is null, never 0.
 */
import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { Aggregate, DataType, TimePeriod } from "./Measure.js"

const Count = Schema.Int.pipe(Schema.nonNegative())
const Measured = Schema.NullOr(Schema.Number)
const Key = Schema.NullOr(Schema.Union(Schema.String, Schema.Number, Schema.Boolean))

/**
 * What a series or slice represents: `all` data when ungrouped, one `value` (its `key`), data with `none`, and the `other`
 * values beyond the most frequent ones.
 */
const Kind = Schema.Literal("all", "value", "none", "other")
type Kind = typeof Kind.Type

const named = {
  kind: Kind,
  /** The value if `kind` is `value`, otherwise null. Times are ISO 8601 texts. */
  key: Key,
  /** For display: the field's name for `all`, `(none)`, `(other)`, and `(blank)` for a blank text. */
  label: Schema.String
}

/** Numbers over all matching calls. */
export const StatData = Schema.Struct({
  chartType: Fields.named("chart_type", Schema.Literal("stat")),
  totalCalls: Fields.named("total_calls", Count),
  /** The share of successful calls, 0 to 1, of those whose success is known. */
  successRate: Fields.named("success_rate", Measured),
  /** Mean duration in seconds, of the calls whose duration is known. */
  avgDuration: Fields.named("avg_duration", Measured),
  /** 95th percentile over all answers of all calls, in milliseconds. */
  p95Latency: Fields.named("p95_latency", Measured),
  /** 95th percentile over calls of the metric `latency_ms`, by default the mean of each call's answers, in milliseconds. */
  p95CallLatency: Fields.named("p95_call_latency", Measured)
}).annotations({ identifier: "StatData" })
export type StatData = typeof StatData.Type

/** The aggregate of one period. */
export const TimePoint = Schema.Struct({
  /** The start of the period. */
  timestamp: Schema.DateTimeUtc,
  value: Measured,
  /** The number of aggregated values. */
  count: Count
}).annotations({ identifier: "TimePoint" })
export type TimePoint = typeof TimePoint.Type

export const TimeSeries = Schema.Struct({ ...named, points: Schema.Array(TimePoint) }).annotations({
  identifier: "TimeSeries"
})
export type TimeSeries = typeof TimeSeries.Type

const overTime = {
  dataType: Fields.named("data_type", DataType),
  field: Schema.String,
  aggregationFunction: Fields.named("aggregation_function", Aggregate),
  /** The period of each point; null if there is an `interval`. */
  timePeriod: Fields.named("time_period", Schema.NullOr(TimePeriod)),
  /** The width of each point in milliseconds, if the widget is grouped by time buckets. */
  interval: Schema.NullOr(Schema.Int),
  /** Whether older periods were omitted. */
  truncated: Schema.Boolean,
  /** One series, or one per group, the most frequent first. All have the same timestamps, ascending. */
  series: Schema.Array(TimeSeries)
}

export const LineData = Schema.Struct({
  chartType: Fields.named("chart_type", Schema.Literal("line")),
  ...overTime
}).annotations({ identifier: "LineData" })
export type LineData = typeof LineData.Type

export const BarData = Schema.Struct({
  chartType: Fields.named("chart_type", Schema.Literal("bar")),
  ...overTime
}).annotations({ identifier: "BarData" })
export type BarData = typeof BarData.Type

/** How often one value occurs. */
export const Slice = Schema.Struct({
  ...named,
  /** The number of calls with this value. */
  value: Count,
  /** The share of the series' total, 0 to 1. */
  share: Schema.Number
}).annotations({ identifier: "Slice" })
export type Slice = typeof Slice.Type

export const SliceSeries = Schema.Struct({ ...named, total: Count, points: Schema.Array(Slice) }).annotations({
  identifier: "SliceSeries"
})
export type SliceSeries = typeof SliceSeries.Type

export const PieData = Schema.Struct({
  chartType: Fields.named("chart_type", Schema.Literal("pie")),
  dataType: Fields.named("data_type", DataType),
  field: Schema.String,
  /** The number of calls with a value. */
  total: Count,
  /** One series, or one per group, the most frequent first. */
  series: Schema.Array(SliceSeries)
}).annotations({ identifier: "PieData" })
export type PieData = typeof PieData.Type

/** The data of a widget, by `chart_type`. */
export const WidgetData = Schema.Union(StatData, LineData, BarData, PieData)
export type WidgetData = typeof WidgetData.Type

/** The JSON form of a widget's data. */
export const encodeWidgetData = Schema.encodeSync(WidgetData)
