import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { NotFound } from "../access/AccessErrors.js"
import { inScopeOrNotFound } from "../access/OrNotFound.js"
import { isInScope, type Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import type { ChartPermit } from "../analytics/AnalyticsQuery.js"
import type { WidgetData } from "../analytics/WidgetData.js"
import { fieldError, Messages, ValidationFailed } from "../kernel/FieldErrors.js"
import type { Input } from "../kernel/Input.js"
import * as Fields from "../kernel/Fields.js"
import { DashboardId, type MetricId, type WidgetId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import type { Metric } from "../metrics/Metric.js"
import { Metrics } from "../metrics/Metrics.js"
import { validateParsedWidget } from "./ChartRules.js"
import type { StoredDashboard } from "./Dashboard.js"
import { DashboardStore } from "./DashboardStore.js"
import { type ResolvedWidget, widgetCharts } from "./WidgetCharts.js"
import { widgetToWire } from "./WidgetToWire.js"
import type { Widget } from "./Widget.js"
import { parseWidget, type StoredWidget, type WidgetDraft, type WidgetPatch, type WidgetSpec } from "./WidgetSpec.js"
import { WidgetStore } from "./WidgetStore.js"

/** The widgets of dashboards and their data. Inputs are untrusted and validated here. */
export class Widgets extends Context.Tag("@earshot/core/dashboards/Widgets")<
  Widgets,
  {
    /** The writable fields of a Widget; `dashboard` and `chart_type` are required. */
    readonly create: UseCase<
      "widgets.create",
      [input: Input<typeof WidgetDraft>],
      Widget,
      ValidationFailed | StorageError
    >
    /** `{cursor?, limit?, dashboard?}`; newest first. */
    readonly list: UseCase<
      "widgets.list",
      [query: Input<typeof WidgetQuery>],
      Pages.Page<Widget>,
      ValidationFailed | StorageError
    >
    readonly read: UseCase<"widgets.read", [id: WidgetId], Widget, NotFound | StorageError>
    /** A patch of the writable fields; the result is validated by the chart rules. Source: interface, E3. */
    readonly update: UseCase<
      "widgets.update",
      [id: WidgetId, input: Input<typeof WidgetPatch>],
      Widget,
      ValidationFailed | NotFound | StorageError
    >
    readonly delete: UseCase<"widgets.delete", [id: WidgetId], void, NotFound | StorageError>
    /** The current data of the widget. */
    readonly data: UseCase<"widgets.data", [id: WidgetId], WidgetData, NotFound | StorageError>
    /** The data of a widget with this input (as for `create`), which is not stored. */
    readonly preview: UseCase<
      "widgets.preview",
      [input: Input<typeof WidgetDraft>],
      WidgetData,
      ValidationFailed | StorageError
    >
  }
>() {}

/** The query parameters of a list of widgets. */
export const WidgetQuery = Fields.object({
  ...Pages.PageQuery.fields,
  dashboard: Fields.optional(Fields.id(DashboardId))
})

/** The most widgets of a dashboard, which is always returned with all of them. */
const MAX_WIDGETS = 100

const inScope = inScopeOrNotFound<StoredWidget>("Widget", ({ projectId, spec }) => ({
  project: projectId,
  dashboard: spec.dashboardId
}))

export const layer = Layer.effect(
  Widgets,
  Effect.gen(function* () {
    const store = yield* WidgetStore
    const dashboards = yield* DashboardStore
    const metrics = yield* Metrics
    const charts = yield* widgetCharts
    const work = yield* UnitOfWork

    const findDashboard = (
      found: (permit: Permit, id: DashboardId) => Effect.Effect<Option.Option<StoredDashboard>, StorageError>,
      permit: Permit,
      id: DashboardId | undefined
    ): Effect.Effect<StoredDashboard | null, StorageError> =>
      id === undefined
        ? Effect.succeed(null)
        : Effect.map(found(permit, id), (dashboard) =>
            dashboard.pipe(
              Option.filter(({ spec }) => isInScope(permit, { project: spec.projectId, dashboard: id })),
              Option.getOrNull
            )
          )

    const findMetric = (permit: Permit, id: MetricId | null | undefined): Effect.Effect<Metric | null, StorageError> =>
      id === undefined || id === null
        ? Effect.succeed(null)
        : Effect.catchTag(metrics.find(permit, id), "NotFound", () => Effect.succeed(null))

    /** The validated widget of an input, with its dashboard's filter and its metric. */
    const resolveWidget = (
      permit: Permit,
      stored: WidgetSpec | null,
      input: unknown,
      find: (permit: Permit, id: DashboardId) => Effect.Effect<Option.Option<StoredDashboard>, StorageError>
    ): Effect.Effect<ResolvedWidget, ValidationFailed | StorageError> =>
      Effect.gen(function* () {
        const parsed = parseWidget(stored, input)
        const dashboard = yield* findDashboard(find, permit, parsed.spec.dashboardId)
        const metric = yield* findMetric(permit, parsed.spec.metricId)
        const spec = validateParsedWidget(parsed, { dashboard: dashboard?.spec ?? null, metric })
        if (Either.isLeft(spec) || dashboard === null) {
          return yield* new ValidationFailed({
            errors: Either.isLeft(spec)
              ? spec.left
              : fieldError("dashboard", Messages.unknownId(spec.right.dashboardId))
          })
        }
        return {
          spec: spec.right,
          projectId: dashboard.spec.projectId,
          dashboardFilter: dashboard.spec.filters.filter,
          metric
        }
      })

    const ensureWidgetLimit = (permit: Permit, dashboard: DashboardId) =>
      Effect.filterOrFail(
        store.count(permit, dashboard),
        (count) => count < MAX_WIDGETS,
        () =>
          new ValidationFailed({ errors: fieldError("dashboard", `A dashboard has at most ${MAX_WIDGETS} widgets.`) })
      )

    const read = (permit: Permit, id: WidgetId) => inScope(permit, store.find(permit, id))

    const data = (permit: ChartPermit, widget: ResolvedWidget): Effect.Effect<WidgetData, StorageError> =>
      Effect.flatMap(DateTime.now, (now) => charts.dataOf(permit, widget, now))

    return Widgets.of({
      create: useCase("widgets.create")((permit, input) =>
        work.atomically(
          Effect.gen(function* () {
            const widget = yield* resolveWidget(permit, null, input, dashboards.findForUpdate)
            yield* ensureWidgetLimit(permit, widget.spec.dashboardId)
            const now = yield* DateTime.now
            const id = yield* store.insert(permit, widget.spec, now)
            return widgetToWire({ ...widget, id, createdAt: now, updatedAt: now })
          })
        )
      ),
      list: useCase("widgets.list")((permit, input) =>
        Effect.map(
          Pages.paginate(WidgetQuery, input, (page, query) => store.list(permit, page, query.dashboard ?? null)),
          ({ results, ...links }) => ({ ...links, results: results.map(widgetToWire) })
        )
      ),
      read: useCase("widgets.read")((permit, id) => Effect.map(read(permit, id), widgetToWire)),
      update: useCase("widgets.update")((permit, id, input) =>
        work.atomically(
          Effect.gen(function* () {
            const stored = yield* inScope(permit, store.findForUpdate(permit, id))
            const widget = yield* resolveWidget(permit, stored.spec, input, dashboards.findForUpdate)
            if (widget.spec.dashboardId !== stored.spec.dashboardId)
              yield* ensureWidgetLimit(permit, widget.spec.dashboardId)
            const now = yield* DateTime.now
            yield* store.save(permit, id, widget.spec, now)
            return widgetToWire({ ...widget, id, createdAt: stored.createdAt, updatedAt: now })
          })
        )
      ),
      delete: useCase("widgets.delete")((permit, id) =>
        work.atomically(
          Effect.gen(function* () {
            yield* inScope(permit, store.findForUpdate(permit, id))
            yield* store.remove(permit, id)
          })
        )
      ),
      data: useCase("widgets.data")((permit, id) => Effect.flatMap(read(permit, id), (widget) => data(permit, widget))),
      preview: useCase("widgets.preview")((permit, input) =>
        Effect.flatMap(resolveWidget(permit, null, input, dashboards.find), (widget) => data(permit, widget))
      )
    })
  })
)
