/** What can be drawn, and what a drawing asks. */
import type { Field } from "../filters/Filter.js"
import type { MetricId } from "../kernel/Ids.js"
import type { QueryScope } from "./AnalyticsQuery.js"
import type { Bucket } from "./Bucket.js"
import type { Aggregate, DataType } from "./Measure.js"

/** A chart that can be drawn. */
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

/** Which calls a chart is about, and what it plots of them. */
export interface ChartQuery extends QueryScope {
  readonly chart: Chart
  /** As the widget names it, for labels. */
  readonly fieldName: string
  /** The metric whose evaluations are meant, or null for those of all. */
  readonly metric: MetricId | null
}
