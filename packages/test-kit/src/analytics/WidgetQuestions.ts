import {
  Answer,
  answerChart,
  type Asked,
  type Chart,
  type ChartQuestion,
  type Filters,
  judgeWidget,
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

/** Answers the questions of charts from calls in memory: what any store has to answer of the same calls. */
export const askedOf = (calls: ReadonlyArray<Filters.FilterableCall>): Asked<never> => ({
  totals: (question) => Effect.sync(() => Answer.totals(question, calls)),
  types: (question) => Effect.sync(() => Answer.types(question, calls)),
  span: (question) => Effect.sync(() => Option.fromNullable(Answer.span(question, calls))),
  timeline: (question) => Effect.sync(() => Answer.timeline(question, calls)),
  shares: (question) => Effect.sync(() => Answer.shares(question, calls))
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
export const questionOf = (
  widget: unknown,
  {
    latencyMetrics = [],
    of = unstored
  }: {
    readonly latencyMetrics?: ReadonlyArray<number>
    readonly of?: Pick<StoredCalls, "projectId" | "metric" | "renumber">
  } = {}
): ChartQuestion => {
  const { metric, projectId, renumber } = of
  const judged = judgeWidget(null, widget, { dashboard: { projectId }, metric: { projectId, evalType: "numeric" } })
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
export const show = (widget: unknown, calls: ReadonlyArray<Filters.FilterableCall>): WidgetData =>
  Effect.runSync(answerChart(questionOf(widget), askedOf(calls)))
