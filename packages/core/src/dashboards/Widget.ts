import * as Schema from "effect/Schema"
import { Aggregate, DataType, TimePeriod } from "../analytics/Measure.js"
import * as Fields from "../kernel/Fields.js"
import { DashboardId, MetricId, WidgetId } from "../kernel/Ids.js"
import { Json } from "../kernel/Json.js"
import { FilterWire } from "./GivenFilter.js"

/** The longest name of a dashboard or a widget. Source: interface, Limits. */
export const MAX_NAME = 255

export const ChartType = Schema.Literal("line", "bar", "pie", "stat")
export type ChartType = typeof ChartType.Type

/** How a chart is grouped: by the values of a field, or by time buckets of `interval` milliseconds. */
export const GroupBy = Schema.Union(
  Schema.Struct({ type: Schema.Literal("field"), field: Schema.String }),
  Schema.Struct({ type: Schema.Literal("bucket"), interval: Schema.Int })
)
export type GroupBy = typeof GroupBy.Type

/** A chart on a dashboard. Source: interface, Widget. */
export class Widget extends Schema.Class<Widget>("@earshot/core/dashboards/Widget")({
  id: WidgetId,
  dashboardId: Fields.named("dashboard", DashboardId),
  name: Schema.String,
  chartType: Fields.named("chart_type", ChartType),
  /** As given by the client. */
  filters: FilterWire,
  /** The dashboard's filters merged with this widget's; the filter of the chart. */
  effectiveFilters: Fields.named("effective_filters", FilterWire),
  /** As given by the client, or inferred from field and metric; null for a stat. */
  dataType: Fields.named("data_type", Schema.NullOr(DataType)),
  /** Blank for a stat. */
  field: Schema.String,
  metricId: Fields.named("metric", Schema.NullOr(MetricId)),
  metricName: Fields.named("metric_name", Schema.NullOr(Schema.String)),
  timePeriod: Fields.named("time_period", Schema.NullOr(TimePeriod)),
  aggregationFunction: Fields.named("aggregation_function", Schema.NullOr(Aggregate)),
  groupBy: Fields.named("group_by", Schema.NullOr(GroupBy)),
  /** Data of the frontend: position, size, styling. */
  metadata: Json,
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  updatedAt: Fields.named("updated_at", Schema.DateTimeUtc)
}) {}

/** The JSON form of a widget. Source: interface, Widget. */
export const encodeWidget = Schema.encodeSync(Widget)
