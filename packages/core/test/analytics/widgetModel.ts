import {
  Answer,
  answerWidget,
  type Asked,
  type ChartQuestion,
  chartOf,
  type Filters,
  judgeWidget,
  type MetricId,
  ProjectId,
  type WidgetData
} from "@earshot/core"
import { FilterKit } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"

/** Answers widgets from calls in memory. */
export const askedOf = (
  calls: ReadonlyArray<Filters.FilterableCall>,
  latencyMetrics: ReadonlyArray<MetricId> = []
): Asked<never> => ({
  latencyMetrics: Effect.succeed(latencyMetrics),
  totals: (question) => Effect.sync(() => Answer.totals(question, calls)),
  types: (question) => Effect.sync(() => Answer.types(question, calls)),
  span: (question) => Effect.sync(() => Option.fromNullable(Answer.span(question, calls))),
  timeline: (question) => Effect.sync(() => Answer.timeline(question, calls)),
  shares: (question) => Effect.sync(() => Answer.shares(question, calls))
})

const project = ProjectId.make(1)

/** What a widget asks at `FilterKit.NOW` of project 1, whose metrics are numeric. */
export const questionOf = (widget: unknown): ChartQuestion => {
  const judged = judgeWidget(null, widget, {
    dashboard: { projectId: project },
    metric: { projectId: project, evalType: "numeric" }
  })
  const spec = Either.getOrThrowWith(judged, (faults) => new Error(JSON.stringify({ faults, widget })))
  const chart = chartOf(spec, spec.metricId === null ? undefined : "numeric")
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
  Effect.runSync(answerWidget(questionOf(widget), askedOf(calls)))
