/**
 * What a widget shows: the answers of `GET /dashboards/widgets/{id}/data/` and of previews. docs/dashboards.md explains
 * them with examples. Nothing is ever shown as 0 where there was nothing to compute from: then it is null.
 */
import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { Aggregate, DataType, TimePeriod } from "./Measure.js"

const Count = Schema.Int.pipe(Schema.nonNegative())
const Measured = Schema.NullOr(Schema.Number)
const Key = Schema.NullOr(Schema.Union(Schema.String, Schema.Number, Schema.Boolean))

/**
 * What a series or a slice stands for: `all` of the data where nothing divides it, one `value` (then `key` is that
 * value), those that have `none`, and the `other` values beyond the most frequent ones.
 */
export const Kind = Schema.Literal("all", "value", "none", "other")
export type Kind = typeof Kind.Type

const named = {
  kind: Kind,
  /** The value itself, where `kind` is `value`, and null otherwise. Instants are ISO 8601 texts. */
  key: Key,
  /** The same for people: the field's name for `all`, `(none)`, `(other)`, and `(blank)` for a text of nothing but spaces. */
  label: Schema.String
}

/** Four numbers over all calls in scope. */
export const StatData = Schema.Struct({
  chartType: Fields.named("chart_type", Schema.Literal("stat")),
  totalCalls: Fields.named("total_calls", Count),
  /** Successful calls as a share, 0 to 1, of those whose success is known. */
  successRate: Fields.named("success_rate", Measured),
  /** Mean duration in seconds, of the calls whose duration is known. */
  avgDuration: Fields.named("avg_duration", Measured),
  /** 95th percentile over calls of the metric `latency_ms`, in milliseconds. */
  p95Latency: Fields.named("p95_latency", Measured)
}).annotations({ identifier: "StatData" })
export type StatData = typeof StatData.Type

/** What came of the calls of one period. */
export const TimePoint = Schema.Struct({
  /** When the period begins. */
  timestamp: Schema.DateTimeUtc,
  value: Measured,
  /** How many values went into it. */
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
  /** The period of each point; null where `interval` says it. */
  timePeriod: Fields.named("time_period", Schema.NullOr(TimePeriod)),
  /** The width of each point in milliseconds, where the widget is grouped by time bucket. */
  interval: Schema.NullOr(Schema.Int),
  /** Whether there were more periods than are shown; the newest are. */
  truncated: Schema.Boolean,
  /** One series, or one a group, the most frequent first. All have the same timestamps, in ascending order. */
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
  /** How many calls have it. */
  value: Count,
  /** That as a share, 0 to 1, of the series' total. */
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
  /** How many calls have a value at all. */
  total: Count,
  /** One pie, or one a group, the most frequent first. */
  series: Schema.Array(SliceSeries)
}).annotations({ identifier: "PieData" })
export type PieData = typeof PieData.Type

/** What a widget shows; `chart_type` tells which. */
export const WidgetData = Schema.Union(StatData, LineData, BarData, PieData)
export type WidgetData = typeof WidgetData.Type

/** A widget's data as it travels. */
export const encodeWidgetData = Schema.encodeSync(WidgetData)
