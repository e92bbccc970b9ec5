import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { mayRead, type Permit } from "../access/Permit.js"
import { Analytics } from "../analytics/Analytics.js"
import type { ChartPermit } from "../analytics/AnalyticsQuery.js"
import type { Chart, ChartQuery } from "../analytics/Chart.js"
import type { WidgetData } from "../analytics/WidgetData.js"
import { withoutValues } from "../analytics/WithoutValues.js"
import type { StorageError } from "../kernel/Storage.js"
import { Metrics } from "../metrics/Metrics.js"
import { LATENCY_SLUG } from "../metrics/PredefinedMetrics.js"
import { plotOf } from "./ChartRules.js"
import { effectiveFilter } from "./WidgetToWire.js"
import type { StoredWidget } from "./WidgetSpec.js"

/** What a widget's data depends on. */
export type ResolvedWidget = Pick<StoredWidget, "spec" | "projectId" | "dashboardFilter" | "metric">

/** Reads the data of widgets. Values of calls are left out for those who may not read calls. */
export const widgetCharts = Effect.gen(function* () {
  const metrics = yield* Metrics
  const analytics = yield* Analytics

  const chartOf = (
    permit: ChartPermit,
    { metric, projectId, spec }: ResolvedWidget
  ): Effect.Effect<Chart, StorageError> => {
    if (spec.chartType === "stat") {
      const latency = metrics.withSlug(permit, projectId, LATENCY_SLUG)
      return Effect.map(latency, (latencyMetrics) => ({ type: "stat", latencyMetrics }))
    }
    const plot = plotOf(spec, metric?.evalType)
    return plot === undefined ? Effect.dieMessage("A stored widget violates the chart rules") : Effect.succeed(plot)
  }

  const queryOf = (permit: ChartPermit, widget: ResolvedWidget, now: DateTime.Utc) =>
    Effect.map(chartOf(permit, widget), (chart): ChartQuery => ({
      chart,
      projectId: widget.projectId,
      filter: effectiveFilter(widget),
      now,
      fieldName: widget.spec.field,
      metric: widget.spec.metricId
    }))

  const visible = (permit: Permit, data: WidgetData): WidgetData =>
    mayRead(permit, "calls:read") ? data : withoutValues(data)

  return {
    /** The data of one widget. */
    dataOf: (permit: ChartPermit, widget: ResolvedWidget, now: DateTime.Utc): Effect.Effect<WidgetData, StorageError> =>
      queryOf(permit, widget, now).pipe(
        Effect.flatMap((query) => analytics.chart(permit, query)),
        Effect.map((data) => visible(permit, data))
      ),
    /** The data of each widget, of the calls as they are at one moment. */
    dataOfAll: (
      permit: ChartPermit,
      widgets: ReadonlyArray<ResolvedWidget>,
      now: DateTime.Utc
    ): Effect.Effect<ReadonlyArray<WidgetData>, StorageError> =>
      Effect.forEach(widgets, (widget) => queryOf(permit, widget, now)).pipe(
        Effect.flatMap((queries) => analytics.charts(permit, queries)),
        Effect.map((all) => all.map((data) => visible(permit, data)))
      )
  }
})
