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

/** Answers the questions of charts from calls in memory: what any store has to answer of the same calls. */
export const memorySource = (calls: ReadonlyArray<FilterableCall>): AnalyticsSource<never> => ({
  totals: (question) => Effect.sync(() => ReferenceAnalytics.totals(question, calls)),
  typeCounts: (question) => Effect.sync(() => ReferenceAnalytics.typeCounts(question, calls)),
  timeRange: (question) => Effect.sync(() => Option.fromNullable(ReferenceAnalytics.timeRange(question, calls))),
  timeline: (question) => Effect.sync(() => ReferenceAnalytics.timeline(question, calls)),
  shares: (question) => Effect.sync(() => ReferenceAnalytics.shares(question, calls))
})

const unstored: Pick<StoredCalls, "projectId" | "metric" | "renumber"> = {
  projectId: ProjectId.make(1),
  metric: (id) => MetricId.make(id),
  renumber: (filter) => filter
}

/**
 * What a widget asks at `FilterKit.NOW` of a project whose metrics are numeric; those of `latencyMetrics` are the latencies
 * of a stat. Of calls that were stored it asks under the ids that they were given. Throws where it is no widget.
 */
export const widgetQuery = (
  widget: unknown,
  {
    latencyMetrics = [],
    of = unstored
  }: {
    readonly latencyMetrics?: ReadonlyArray<number>
    readonly of?: Pick<StoredCalls, "projectId" | "metric" | "renumber">
  } = {}
): ChartQuery => {
  const { metric, projectId, renumber } = of
  const judged = validateWidget(null, widget, { dashboard: { projectId }, metric: { projectId, evalType: "numeric" } })
  const spec = Either.getOrThrowWith(judged, (faults) => new Error(JSON.stringify({ faults, widget })))
  const chart: Chart | undefined =
    spec.chartType === "stat"
      ? { type: "stat", latencyMetrics: latencyMetrics.map(metric) }
      : plotOf(spec, spec.metricId === null ? undefined : "numeric")
  if (chart === undefined) throw new Error("The chart rules let through what is no chart")
  return {
    chart,
    projectId,
    filter: renumber(spec.filters.filter),
    now: NOW,
    fieldName: spec.field,
    metric: spec.metricId === null ? null : metric(spec.metricId)
  }
}

/** What a widget shows of calls in memory. */
export const widgetDataOf = (widget: unknown, calls: ReadonlyArray<FilterableCall>): WidgetData =>
  Effect.runSync(chartData(widgetQuery(widget), memorySource(calls)))
