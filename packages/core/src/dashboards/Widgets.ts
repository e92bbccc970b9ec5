import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import { NotFound } from "../access/AccessErrors.js"
import { type Permit, isInScope } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { Analytics, type ChartPermit } from "../analytics/Analytics.js"
import type { Chart } from "../analytics/Chart.js"
import type { WidgetData } from "../analytics/WidgetData.js"
import { decodeInput, fieldError, Messages, ValidationFailed } from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import { DashboardId, type MetricId, type WidgetId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { LATENCY_SLUG } from "../metrics/Catalogue.js"
import type { Metric } from "../metrics/Metric.js"
import { Metrics } from "../metrics/Metrics.js"
import { validateParsedWidget, plotOf } from "./ChartRules.js"
import type { StoredDashboard } from "./Dashboard.js"
import { DashboardStore } from "./DashboardStore.js"
import { effectiveFilter, widgetToWire } from "./WidgetToWire.js"
import type { Widget } from "./Widget.js"
import { parseWidget, type StoredWidget, type WidgetSpec } from "./WidgetSpec.js"
import { WidgetStore } from "./WidgetStore.js"

/** The charts of dashboards, and what they show. Inputs are what came from outside and are judged here. */
export class Widgets extends Context.Tag("@earshot/core/dashboards/Widgets")<
  Widgets,
  {
    /** The writable fields of a Widget; `dashboard` and `chart_type` are required. */
    readonly create: UseCase<"widgets.create", [input: unknown], Widget, ValidationFailed | StorageError>
    /** `{cursor?, limit?, dashboard?}`; newest first. */
    readonly list: UseCase<"widgets.list", [query: unknown], Pages.Page<Widget>, ValidationFailed | StorageError>
    readonly read: UseCase<"widgets.read", [id: WidgetId], Widget, NotFound | StorageError>
    /** Any of the writable fields, laid over the widget; the whole is judged by the chart rules. Source: interface, E3. */
    readonly update: UseCase<
      "widgets.update",
      [id: WidgetId, input: unknown],
      Widget,
      ValidationFailed | NotFound | StorageError
    >
    readonly delete: UseCase<"widgets.delete", [id: WidgetId], void, NotFound | StorageError>
    /** What the widget shows at this moment. */
    readonly data: UseCase<"widgets.data", [id: WidgetId], WidgetData, NotFound | StorageError>
    /** What a widget of this input (as for `create`) would show; nothing is kept. */
    readonly preview: UseCase<"widgets.preview", [input: unknown], WidgetData, ValidationFailed | StorageError>
  }
>() {}

/** What a list of widgets takes. */
export const WidgetQuery = Fields.object({
  ...Pages.PageQuery.fields,
  dashboard: Fields.optional(Fields.id(DashboardId))
})

/** The most widgets on a dashboard, which is always shown with all of them. */
export const MAX_WIDGETS = 100

type ResolvedWidget = Pick<StoredWidget, "spec" | "projectId" | "dashboardFilter" | "metric">

export const layer = Layer.effect(
  Widgets,
  Effect.gen(function* () {
    const store = yield* WidgetStore
    const dashboards = yield* DashboardStore
    const metrics = yield* Metrics
    const analytics = yield* Analytics
    const work = yield* UnitOfWork

    const within = (permit: Permit, found: Effect.Effect<Option.Option<StoredWidget>, StorageError>) =>
      found.pipe(
        Effect.flatten,
        Effect.filterOrFail(({ projectId, spec }) =>
          isInScope(permit, { project: projectId, dashboard: spec.dashboardId })
        ),
        Effect.catchTag("NoSuchElementException", () => new NotFound({ resource: "Widget" }))
      )

    const findDashboard = (
      found: (permit: Permit, id: DashboardId) => Effect.Effect<Option.Option<StoredDashboard>, StorageError>,
      permit: Permit,
      id: DashboardId | undefined
    ): Effect.Effect<StoredDashboard | null, StorageError> =>
      id === undefined
        ? Effect.succeed(null)
        : found(permit, id).pipe(
            Effect.flatten,
            Effect.filterOrFail(({ spec }) => isInScope(permit, { project: spec.projectId, dashboard: id })),
            Effect.catchTag("NoSuchElementException", () => Effect.succeed(null))
          )

    const findMetric = (permit: Permit, id: MetricId | null | undefined): Effect.Effect<Metric | null, StorageError> =>
      id === undefined || id === null
        ? Effect.succeed(null)
        : Effect.catchTag(metrics.find(permit, id), "NotFound", () => Effect.succeed(null))

    /** The widget that an input asks for, with the dashboard and the metric it names. */
    const judged = (
      permit: Permit,
      stored: WidgetSpec | null,
      input: unknown,
      lookUp: (permit: Permit, id: DashboardId) => Effect.Effect<Option.Option<StoredDashboard>, StorageError>
    ): Effect.Effect<ResolvedWidget, ValidationFailed | StorageError> =>
      Effect.gen(function* () {
        const reading = parseWidget(stored, input)
        const dashboard = yield* findDashboard(lookUp, permit, reading.spec.dashboardId)
        const metric = yield* findMetric(permit, reading.spec.metricId)
        const spec = validateParsedWidget(reading, { dashboard: dashboard?.spec ?? null, metric })
        if (Either.isLeft(spec) || dashboard === null) {
          return yield* new ValidationFailed({
            errors: Either.isLeft(spec) ? spec.left : fieldError("dashboard", Messages.unknownId(spec.right.dashboardId))
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
        () => new ValidationFailed({ errors: fieldError("dashboard", `A dashboard has at most ${MAX_WIDGETS} widgets.`) })
      )

    const read = (permit: Permit, id: WidgetId) => within(permit, store.find(permit, id))

    const chartOf = (permit: ChartPermit, { metric, projectId, spec }: ResolvedWidget): Effect.Effect<Chart, StorageError> => {
      if (spec.chartType === "stat") {
        const latency = metrics.withSlug(permit, projectId, LATENCY_SLUG)
        return Effect.map(latency, (latencyMetrics) => ({ type: "stat", latencyMetrics }))
      }
      const plot = plotOf(spec, metric?.evalType)
      return plot === undefined
        ? Effect.dieMessage("A widget was kept that the chart rules refuse")
        : Effect.succeed(plot)
    }

    const data = (permit: ChartPermit, widget: ResolvedWidget): Effect.Effect<WidgetData, StorageError> =>
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
            const widget = yield* judged(permit, null, input, dashboards.findForUpdate)
            yield* ensureRoom(permit, widget.spec.dashboardId)
            const now = yield* DateTime.now
            const id = yield* store.insert(permit, widget.spec, now)
            return widgetToWire({ ...widget, id, createdAt: now, updatedAt: now })
          })
        )
      ),
      list: useCase("widgets.list")((permit, query) =>
        Effect.gen(function* () {
          const asked = yield* decodeInput(WidgetQuery, query)
          const page = yield* Pages.decodeRequest(query)
          const found = yield* store.list(permit, page, asked.dashboard ?? null)
          const { results, ...neighbours } = Pages.pageOf(page, found, ({ id }) => id)
          return { ...neighbours, results: results.map(widgetToWire) }
        })
      ),
      read: useCase("widgets.read")((permit, id) => Effect.map(read(permit, id), widgetToWire)),
      update: useCase("widgets.update")((permit, id, input) =>
        work.atomically(
          Effect.gen(function* () {
            const stored = yield* within(permit, store.findForUpdate(permit, id))
            const widget = yield* judged(permit, stored.spec, input, dashboards.findForUpdate)
            if (widget.spec.dashboardId !== stored.spec.dashboardId) yield* ensureRoom(permit, widget.spec.dashboardId)
            const now = yield* DateTime.now
            yield* store.save(permit, id, widget.spec, now)
            return widgetToWire({ ...widget, id, createdAt: stored.createdAt, updatedAt: now })
          })
        )
      ),
      delete: useCase("widgets.delete")((permit, id) =>
        work.atomically(
          Effect.gen(function* () {
            yield* within(permit, store.findForUpdate(permit, id))
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
