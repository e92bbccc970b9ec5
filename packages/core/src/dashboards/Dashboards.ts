import * as Array from "effect/Array"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type { NotFound } from "../access/AccessErrors.js"
import { inScopeOrNotFound } from "../access/OrNotFound.js"
import type { Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { Projects } from "../catalog/Projects.js"
import {
  decode,
  fieldError,
  hasFieldErrors,
  mergeFieldErrors,
  noFieldErrors,
  ValidationFailed
} from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import type { Input } from "../kernel/Input.js"
import { type DashboardId, ProjectId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { type Dashboard, DashboardDraft, DashboardPatch, type StoredDashboard } from "./Dashboard.js"
import { DashboardStore } from "./DashboardStore.js"
import type { DashboardData } from "./DashboardData.js"
import { widgetCharts } from "./WidgetCharts.js"
import { dashboardToWire } from "./WidgetToWire.js"
import { WidgetStore } from "./WidgetStore.js"

/** Dashboards of the caller's organization. Inputs are untrusted and validated here. */
export class Dashboards extends Context.Tag("@earshot/core/dashboards/Dashboards")<
  Dashboards,
  {
    /** `{name, project, filters?}`. Source: interface, E5. */
    readonly create: UseCase<
      "dashboards.create",
      [input: Input<typeof DashboardDraft>],
      Dashboard,
      ValidationFailed | StorageError
    >
    /** `{cursor?, limit?, project?}`; newest first. */
    readonly list: UseCase<
      "dashboards.list",
      [query: Input<typeof DashboardQuery>],
      Pages.Page<Dashboard>,
      ValidationFailed | StorageError
    >
    readonly read: UseCase<"dashboards.read", [id: DashboardId], Dashboard, NotFound | StorageError>
    /** `{name?, filters?}`; a dashboard stays in its project. */
    readonly update: UseCase<
      "dashboards.update",
      [id: DashboardId, input: Input<typeof DashboardPatch>],
      Dashboard,
      ValidationFailed | NotFound | StorageError
    >
    /** Permanently deletes the dashboard with its widgets. */
    readonly delete: UseCase<"dashboards.delete", [id: DashboardId], void, NotFound | StorageError>
    /** The current data of all its widgets, of the calls as they are at one moment. */
    readonly data: UseCase<"dashboards.data", [id: DashboardId], DashboardData, NotFound | StorageError>
  }
>() {}

/** The query parameters of a list of dashboards. */
export const DashboardQuery = Fields.object({
  ...Pages.PageQuery.fields,
  project: Fields.optional(Fields.id(ProjectId))
})

const decodeProject = decode(Fields.object({ project: Fields.id(ProjectId) }))

const inScope = inScopeOrNotFound<StoredDashboard>("Dashboard", ({ id, spec }) => ({
  project: spec.projectId,
  dashboard: id
}))

export const layer = Layer.effect(
  Dashboards,
  Effect.gen(function* () {
    const store = yield* DashboardStore
    const widgetStore = yield* WidgetStore
    const projects = yield* Projects
    const work = yield* UnitOfWork
    const charts = yield* widgetCharts

    const withWidgets = (permit: Permit, stored: StoredDashboard) =>
      Effect.map(widgetStore.ofDashboards(permit, [stored.id]), (widgets) => dashboardToWire(stored, widgets))

    return Dashboards.of({
      create: useCase("dashboards.create")((permit, input) =>
        work.atomically(
          Effect.gen(function* () {
            const { draft, project } = yield* projects.decodeDraft(permit, DashboardDraft, input)
            const { filters, name } = draft
            const stored = yield* store.insert(permit, { projectId: project.id, name, filters }, yield* DateTime.now)
            return dashboardToWire(stored, [])
          })
        )
      ),
      list: useCase("dashboards.list")((permit, input) =>
        Effect.gen(function* () {
          const { results, ...links } = yield* Pages.paginate(DashboardQuery, input, (page, query) =>
            store.list(permit, page, query.project ?? null)
          )
          const widgets = yield* widgetStore.ofDashboards(
            permit,
            results.map(({ id }) => id)
          )
          return {
            ...links,
            results: results.map((stored) =>
              dashboardToWire(
                stored,
                widgets.filter(({ spec }) => spec.dashboardId === stored.id)
              )
            )
          }
        })
      ),
      read: useCase("dashboards.read")((permit, id) =>
        Effect.flatMap(inScope(permit, store.find(permit, id)), (stored) => withWidgets(permit, stored))
      ),
      update: useCase("dashboards.update")((permit, id, input) =>
        work.atomically(
          Effect.gen(function* () {
            const stored = yield* inScope(permit, store.findForUpdate(permit, id))
            const { spec } = stored
            const patch = decode(DashboardPatch)(input)
            const project = decodeProject(input)
            const changesProject = Either.isRight(project) && project.right.project !== spec.projectId
            const errors = mergeFieldErrors(
              Either.isLeft(patch) ? patch.left : noFieldErrors,
              changesProject ? fieldError("project", "The project of a dashboard cannot be changed.") : noFieldErrors
            )
            if (hasFieldErrors(errors) || Either.isLeft(patch)) return yield* new ValidationFailed({ errors })
            const { filters, name } = patch.right
            const changed: StoredDashboard = {
              ...stored,
              spec: { ...spec, name: name ?? spec.name, filters: filters ?? spec.filters },
              updatedAt: yield* DateTime.now
            }
            yield* store.save(permit, changed)
            return yield* withWidgets(permit, changed)
          })
        )
      ),
      delete: useCase("dashboards.delete")((permit, id) =>
        work.atomically(
          Effect.gen(function* () {
            yield* inScope(permit, store.findForUpdate(permit, id))
            yield* store.remove(permit, id)
          })
        )
      ),
      data: useCase("dashboards.data")((permit, id) =>
        Effect.gen(function* () {
          yield* inScope(permit, store.find(permit, id))
          const widgets = yield* widgetStore.ofDashboards(permit, [id])
          const asOf = yield* DateTime.now
          const shown = yield* charts.dataOfAll(permit, widgets, asOf)
          return {
            dashboardId: id,
            asOf,
            widgets: Array.zipWith(widgets, shown, (widget, data) => ({ id: widget.id, data }))
          }
        })
      )
    })
  })
)
