import {
  Answer,
  answerChart,
  type Asked,
  type Chart,
  type ChartQuestion,
  type Filters,
  judgeWidget,
  type MetricId,
  plotOf,
  ProjectId,
  type WidgetData
} from "@earshot/core"
import { FilterKit } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"

/** Answers widgets from calls in memory. */
export const askedOf = (calls: ReadonlyArray<Filters.FilterableCall>): Asked<never> => ({
  totals: (question) => Effect.sync(() => Answer.totals(question, calls)),
  types: (question) => Effect.sync(() => Answer.types(question, calls)),
  span: (question) => Effect.sync(() => Option.fromNullable(Answer.span(question, calls))),
  timeline: (question) => Effect.sync(() => Answer.timeline(question, calls)),
  shares: (question) => Effect.sync(() => Answer.shares(question, calls))
})

const project = ProjectId.make(1)

/** What a widget asks at `FilterKit.NOW` of project 1, whose metrics are numeric. */
export const questionOf = (widget: unknown, latencyMetrics: ReadonlyArray<MetricId> = []): ChartQuestion => {
  const judged = judgeWidget(null, widget, {
    dashboard: { projectId: project },
    metric: { projectId: project, evalType: "numeric" }
  })
  const spec = Either.getOrThrowWith(judged, (faults) => new Error(JSON.stringify({ faults, widget })))
  const chart: Chart | undefined =
    spec.chartType === "stat"
      ? { type: "stat", latencyMetrics }
      : plotOf(spec, spec.metricId === null ? undefined : "numeric")
  if (chart === undefined) throw new Error("The chart rules let through what is no chart")
  return {
    chart,
    projectId: project,
    filter: spec.filters.filter,
    now: FilterKit.NOW,
    fieldName: spec.field,
    metric: spec.metricId
  }
}

/** What a widget shows of calls in memory. */
export const show = (widget: unknown, calls: ReadonlyArray<Filters.FilterableCall>): WidgetData =>
  Effect.runSync(answerChart(questionOf(widget), askedOf(calls)))
