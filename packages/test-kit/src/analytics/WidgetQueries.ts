import {
  chartData,
  type AnalyticsSource,
  type Chart,
  type ChartQuery,
  validateWidget,
  MetricId,
  plotOf,
  ProjectId,
  type WidgetData
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { StoredCalls } from "../filters/StoredCalls.js"
import { NOW } from "../filters/Vocabulary.js"
import * as ReferenceAnalytics from "./ReferenceAnalytics.js"
import type { FilterableCall } from "../filters/FilterableCall.js"

/** Answers the queries of charts from calls in memory, by the reference implementation. */
export const memorySource = (calls: ReadonlyArray<FilterableCall>): AnalyticsSource<never> => ({
  totals: (query) => Effect.sync(() => ReferenceAnalytics.totals(query, calls)),
  typeCounts: (query) => Effect.sync(() => ReferenceAnalytics.typeCounts(query, calls)),
  timeRange: (query) => Effect.sync(() => Option.fromNullable(ReferenceAnalytics.timeRange(query, calls))),
  timeline: (query) => Effect.sync(() => ReferenceAnalytics.timeline(query, calls)),
  shares: (query) => Effect.sync(() => ReferenceAnalytics.shares(query, calls))
})

const inMemory: Pick<StoredCalls, "projectId" | "metric" | "renumber"> = {
  projectId: ProjectId.make(1),
  metric: (id) => MetricId.make(id),
  renumber: (filter) => filter
}

/**
 * The query of a widget at `FilterKit.NOW` in a project with numeric metrics; `latencyMetrics` are the latencies of a stat.
 * `of` maps ids to those that a store assigned. Throws if the widget is invalid.
 */
export const widgetQuery = (
  widget: unknown,
  {
    latencyMetrics = [],
    of = inMemory
  }: {
    readonly latencyMetrics?: ReadonlyArray<number>
    readonly of?: Pick<StoredCalls, "projectId" | "metric" | "renumber">
  } = {}
): ChartQuery => {
  const { metric, projectId, renumber } = of
  const validated = validateWidget(null, widget, {
    dashboard: { projectId },
    metric: { projectId, evalType: "numeric" }
  })
  const spec = Either.getOrThrowWith(validated, (errors) => new Error(JSON.stringify({ errors, widget })))
  const chart: Chart | undefined =
    spec.chartType === "stat"
      ? { type: "stat", latencyMetrics: latencyMetrics.map(metric) }
      : plotOf(spec, spec.metricId === null ? undefined : "numeric")
  if (chart === undefined) throw new Error("The chart rules accepted an invalid chart")
  return {
    chart,
    projectId,
    filter: renumber(spec.filters.filter),
    now: NOW,
    fieldName: spec.field,
    metric: spec.metricId === null ? null : metric(spec.metricId)
  }
}

/** The data of a widget over calls in memory. */
export const widgetDataOf = (widget: unknown, calls: ReadonlyArray<FilterableCall>): WidgetData =>
  Effect.runSync(chartData(widgetQuery(widget), memorySource(calls)))
