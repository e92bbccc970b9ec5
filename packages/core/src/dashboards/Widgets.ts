import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import { NotFound } from "../access/AccessErrors.js"
import { type Permit, reaches } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { Analytics, type Shows } from "../analytics/Analytics.js"
import type { Chart } from "../analytics/Chart.js"
import type { WidgetData } from "../analytics/WidgetData.js"
import { decodeInput, fault, Messages, ValidationFailed } from "../kernel/Faults.js"
import * as Fields from "../kernel/Fields.js"
import { DashboardId, type MetricId, type WidgetId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageFault, UnitOfWork } from "../kernel/Storage.js"
import { LATENCY_SLUG } from "../metrics/Catalogue.js"
import type { Metric } from "../metrics/Metric.js"
import { Metrics } from "../metrics/Metrics.js"
import { judgeReading, plotOf } from "./ChartRules.js"
import type { StoredDashboard } from "./Dashboard.js"
import { DashboardStore } from "./DashboardStore.js"
import { effectiveFilter, presentWidget } from "./Present.js"
import type { Widget } from "./Widget.js"
import { readWidget, type StoredWidget, type WidgetSpec } from "./WidgetSpec.js"
import { WidgetStore } from "./WidgetStore.js"

/** The charts of dashboards, and what they show. Inputs are what came from outside and are judged here. */
export class Widgets extends Context.Tag("@earshot/core/dashboards/Widgets")<
  Widgets,
  {
    /** The writable fields of a Widget; `dashboard` and `chart_type` are required. */
    readonly create: UseCase<"widgets.create", [input: unknown], Widget, ValidationFailed | StorageFault>
    /** `{cursor?, limit?, dashboard?}`; newest first. */
    readonly list: UseCase<"widgets.list", [query: unknown], Pages.Page<Widget>, ValidationFailed | StorageFault>
    readonly read: UseCase<"widgets.read", [id: WidgetId], Widget, NotFound | StorageFault>
    /** Any of the writable fields, laid over the widget; the whole is judged by the chart rules. Source: interface, E3. */
    readonly update: UseCase<
      "widgets.update",
      [id: WidgetId, input: unknown],
      Widget,
      ValidationFailed | NotFound | StorageFault
    >
    readonly delete: UseCase<"widgets.delete", [id: WidgetId], void, NotFound | StorageFault>
    /** What the widget shows at this moment. */
    readonly data: UseCase<"widgets.data", [id: WidgetId], WidgetData, NotFound | StorageFault>
    /** What a widget of this input (as for `create`) would show; nothing is kept. */
    readonly preview: UseCase<"widgets.preview", [input: unknown], WidgetData, ValidationFailed | StorageFault>
  }
>() {}

/** What a list of widgets takes. */
export const WidgetQuery = Fields.object({
  ...Pages.PageQuery.fields,
  dashboard: Fields.optional(Fields.id(DashboardId))
})

/** The most widgets on a dashboard, which is always shown with all of them. */
export const MAX_WIDGETS = 100

type Judged = Pick<StoredWidget, "spec" | "projectId" | "dashboardFilter" | "metric">

export const layer = Layer.effect(
  Widgets,
  Effect.gen(function* () {
    const store = yield* WidgetStore
    const dashboards = yield* DashboardStore
    const metrics = yield* Metrics
    const analytics = yield* Analytics
    const work = yield* UnitOfWork

    const within = (permit: Permit, found: Effect.Effect<Option.Option<StoredWidget>, StorageFault>) =>
      found.pipe(
        Effect.flatten,
        Effect.filterOrFail(({ projectId, spec }) =>
          reaches(permit, { project: projectId, dashboard: spec.dashboardId })
        ),
        Effect.catchTag("NoSuchElementException", () => new NotFound({ resource: "Widget" }))
      )

    const findDashboard = (
      found: (permit: Permit, id: DashboardId) => Effect.Effect<Option.Option<StoredDashboard>, StorageFault>,
      permit: Permit,
      id: DashboardId | undefined
    ): Effect.Effect<StoredDashboard | null, StorageFault> =>
      id === undefined
        ? Effect.succeed(null)
        : found(permit, id).pipe(
            Effect.flatten,
            Effect.filterOrFail(({ spec }) => reaches(permit, { project: spec.projectId, dashboard: id })),
            Effect.catchTag("NoSuchElementException", () => Effect.succeed(null))
          )

    const findMetric = (permit: Permit, id: MetricId | null | undefined): Effect.Effect<Metric | null, StorageFault> =>
      id === undefined || id === null
        ? Effect.succeed(null)
        : Effect.catchTag(metrics.find(permit, id), "NotFound", () => Effect.succeed(null))

    /** The widget that an input asks for, with the dashboard and the metric it names. */
    const judged = (
      permit: Permit,
      stored: WidgetSpec | null,
      input: unknown,
      lookUp: (permit: Permit, id: DashboardId) => Effect.Effect<Option.Option<StoredDashboard>, StorageFault>
    ): Effect.Effect<Judged, ValidationFailed | StorageFault> =>
      Effect.gen(function* () {
        const reading = readWidget(stored, input)
        const dashboard = yield* findDashboard(lookUp, permit, reading.spec.dashboardId)
        const metric = yield* findMetric(permit, reading.spec.metricId)
        const spec = judgeReading(reading, { dashboard: dashboard?.spec ?? null, metric })
        if (Either.isLeft(spec) || dashboard === null) {
          return yield* new ValidationFailed({
            faults: Either.isLeft(spec) ? spec.left : fault("dashboard", Messages.unknownId(spec.right.dashboardId))
          })
        }
        return {
          spec: spec.right,
          projectId: dashboard.spec.projectId,
          dashboardFilter: dashboard.spec.filters.filter,
          metric
        }
      })

    const ensureRoom = (permit: Permit, dashboard: DashboardId) =>
      Effect.filterOrFail(
        store.count(permit, dashboard),
        (count) => count < MAX_WIDGETS,
        () => new ValidationFailed({ faults: fault("dashboard", `A dashboard has at most ${MAX_WIDGETS} widgets.`) })
      )

    const read = (permit: Permit, id: WidgetId) => within(permit, store.find(permit, id))

    const chartOf = (permit: Shows, { metric, projectId, spec }: Judged): Effect.Effect<Chart, StorageFault> => {
      if (spec.chartType === "stat") {
        const latency = metrics.withSlug(permit, projectId, LATENCY_SLUG)
        return Effect.map(latency, (latencyMetrics) => ({ type: "stat", latencyMetrics }))
      }
      const plot = plotOf(spec, metric?.evalType)
      return plot === undefined
        ? Effect.dieMessage("A widget was kept that the chart rules refuse")
        : Effect.succeed(plot)
    }

    const data = (permit: Shows, widget: Judged): Effect.Effect<WidgetData, StorageFault> =>
      Effect.gen(function* () {
        const { projectId, spec } = widget
        return yield* analytics.chart(permit, {
          chart: yield* chartOf(permit, widget),
          projectId,
          filter: effectiveFilter(widget),
          now: yield* DateTime.now,
          fieldName: spec.field,
          metric: spec.metricId
        })
      })

    return Widgets.of({
      create: useCase("widgets.create")((permit, input) =>
        work.atomically(
          Effect.gen(function* () {
            const widget = yield* judged(permit, null, input, dashboards.hold)
            yield* ensureRoom(permit, widget.spec.dashboardId)
            const now = yield* DateTime.now
            const id = yield* store.insert(permit, widget.spec, now)
            return presentWidget({ ...widget, id, createdAt: now, updatedAt: now })
          })
        )
      ),
      list: useCase("widgets.list")((permit, query) =>
        Effect.gen(function* () {
          const asked = yield* decodeInput(WidgetQuery, query)
          const page = yield* Pages.decodeRequest(query)
          const found = yield* store.list(permit, page, asked.dashboard ?? null)
          const { results, ...neighbours } = Pages.pageOf(page, found, ({ id }) => id)
          return { ...neighbours, results: results.map(presentWidget) }
        })
      ),
      read: useCase("widgets.read")((permit, id) => Effect.map(read(permit, id), presentWidget)),
      update: useCase("widgets.update")((permit, id, input) =>
        work.atomically(
          Effect.gen(function* () {
            const stored = yield* within(permit, store.hold(permit, id))
            const widget = yield* judged(permit, stored.spec, input, dashboards.hold)
            if (widget.spec.dashboardId !== stored.spec.dashboardId) yield* ensureRoom(permit, widget.spec.dashboardId)
            const now = yield* DateTime.now
            yield* store.save(permit, id, widget.spec, now)
            return presentWidget({ ...widget, id, createdAt: stored.createdAt, updatedAt: now })
          })
        )
      ),
      delete: useCase("widgets.delete")((permit, id) =>
        work.atomically(
          Effect.gen(function* () {
            yield* within(permit, store.hold(permit, id))
            yield* store.remove(permit, id)
          })
        )
      ),
      data: useCase("widgets.data")((permit, id) => Effect.flatMap(read(permit, id), (widget) => data(permit, widget))),
      preview: useCase("widgets.preview")((permit, input) =>
        Effect.flatMap(judged(permit, null, input, dashboards.find), (widget) => data(permit, widget))
      )
    })
  })
)
