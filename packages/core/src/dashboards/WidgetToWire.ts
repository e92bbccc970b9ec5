/** Maps stored dashboards and widgets to their wire form. */
import { type Filter, fieldOf } from "../filters/Filter.js"
import { merge } from "../filters/MergeFilters.js"
import { encode } from "../filters/FilterJson.js"
import { effectiveType } from "./ChartRules.js"
import { Dashboard, type StoredDashboard } from "./Dashboard.js"
import { Widget } from "./Widget.js"
import type { StoredWidget } from "./WidgetSpec.js"

/** The filter of a widget: its dashboard's and its own. */
export const effectiveFilter = ({ dashboardFilter, spec }: Pick<StoredWidget, "dashboardFilter" | "spec">): Filter =>
  merge(dashboardFilter, spec.filters.filter)

export const widgetToWire = (stored: StoredWidget): Widget => {
  const { createdAt, id, metric, spec, updatedAt } = stored
  const field = fieldOf(spec.field)
  return new Widget({
    id,
    dashboardId: spec.dashboardId,
    name: spec.name,
    chartType: spec.chartType,
    filters: spec.filters.given,
    effectiveFilters: encode(effectiveFilter(stored)),
    dataType: spec.dataType ?? (field === undefined ? null : effectiveType(field, null, metric?.evalType)),
    field: spec.field,
    metricId: spec.metricId,
    metricName: metric?.name ?? null,
    timePeriod: spec.timePeriod,
    aggregationFunction: spec.aggregationFunction,
    groupBy: spec.groupBy,
    metadata: spec.metadata,
    createdAt,
    updatedAt
  })
}

export const dashboardToWire = (
  { createdAt, id, spec, updatedAt }: StoredDashboard,
  widgets: ReadonlyArray<StoredWidget>
): Dashboard =>
  new Dashboard({
    id,
    name: spec.name,
    projectId: spec.projectId,
    filters: spec.filters.given,
    widgets: widgets.map(widgetToWire),
    widgetCount: widgets.length,
    createdAt,
    updatedAt
  })
