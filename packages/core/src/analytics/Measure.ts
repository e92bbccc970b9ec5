import * as Schema from "effect/Schema"

/** The type of a field's values. Source: interface, Widget.data_type. */
export const DataType = Schema.Literal("numeric", "boolean", "string", "datetime", "dynamic")
export type DataType = typeof DataType.Type

/**
 * How values are aggregated. Percentiles are exact, by linear interpolation between the two nearest ranks: the quantile p of
 * values v[0] <= ... <= v[n-1] is at position p * (n - 1), as `percentile_cont` in SQL defines it.
 * Source: interface, Widget.aggregation_function.
 */
export const Aggregate = Schema.Literal("count", "sum", "avg", "min", "max", "p50", "p95", "p99")
export type Aggregate = typeof Aggregate.Type

/** Calendar periods in UTC; weeks start on Monday (ISO 8601). Source: interface, Widget.time_period. */
export const TimePeriod = Schema.Literal("hour", "day", "week", "month")
export type TimePeriod = typeof TimePeriod.Type
