/** Valid charts, and the queries behind them. */
import type { Field } from "../filters/Filter.js"
import type { MetricId } from "../kernel/Ids.js"
import type { QueryScope } from "./AnalyticsQuery.js"
import type { Bucket } from "./Bucket.js"
import type { Aggregate, DataType } from "./Measure.js"

/** A valid chart. */
export type Chart = StatChart | LineChart | PieChart | BarChart

export interface StatChart {
  readonly type: "stat"
  /** The metrics whose values are latencies. */
  readonly latencyMetrics: ReadonlyArray<MetricId>
}

interface Plot {
  readonly field: Field
  readonly dataType: DataType
  readonly group: Field | Bucket | null
}

export interface LineChart extends Plot {
  readonly type: "line"
}

export interface PieChart extends Plot {
  readonly type: "pie"
}

export interface BarChart extends Plot {
  readonly type: "bar"
  readonly aggregate: Aggregate
  readonly period: Bucket
}

/** A chart and the calls that it is about. */
export interface ChartQuery extends QueryScope {
  readonly chart: Chart
  /** The field's name in the widget, for labels. */
  readonly fieldName: string
  /** The metric whose evaluations are used; null means all. */
  readonly metric: MetricId | null
}
