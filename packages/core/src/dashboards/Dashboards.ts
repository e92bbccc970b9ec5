import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import { NotFound } from "../access/AccessErrors.js"
import { type Permit, isInScope } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { Projects } from "../catalog/Projects.js"
import {
  decode,
  decodeInput,
  type FieldErrors,
  fieldError,
  hasFieldErrors,
  mergeFieldErrors,
  noFieldErrors,
  ValidationFailed
} from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import { type DashboardId, ProjectId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { type Dashboard, DashboardDraft, DashboardPatch, type StoredDashboard } from "./Dashboard.js"
import { DashboardStore } from "./DashboardStore.js"
import { dashboardToWire } from "./WidgetToWire.js"
import { WidgetStore } from "./WidgetStore.js"

/** Dashboards of the caller's organisation. Inputs are what came from outside and are judged here. */
export class Dashboards extends Context.Tag("@earshot/core/dashboards/Dashboards")<
  Dashboards,
  {
    /** `{name, project, filters?}`. Source: interface, E5. */
    readonly create: UseCase<"dashboards.create", [input: unknown], Dashboard, ValidationFailed | StorageError>
    /** `{cursor?, limit?, project?}`; newest first. */
    readonly list: UseCase<"dashboards.list", [query: unknown], Pages.Page<Dashboard>, ValidationFailed | StorageError>
    readonly read: UseCase<"dashboards.read", [id: DashboardId], Dashboard, NotFound | StorageError>
    /** `{name?, filters?}`; a dashboard stays in its project. */
    readonly update: UseCase<
      "dashboards.update",
      [id: DashboardId, input: unknown],
      Dashboard,
      ValidationFailed | NotFound | StorageError
    >
    /** Deletes the dashboard with its widgets, for good. */
    readonly delete: UseCase<"dashboards.delete", [id: DashboardId], void, NotFound | StorageError>
  }
>() {}

/** What a list of dashboards takes. */
export const DashboardQuery = Fields.object({
  ...Pages.PageQuery.fields,
  project: Fields.optional(Fields.id(ProjectId))
})

const decodeProject = decode(Fields.object({ project: Fields.id(ProjectId) }))

export const layer = Layer.effect(
  Dashboards,
  Effect.gen(function* () {
    const store = yield* DashboardStore
    const widgetStore = yield* WidgetStore
    const projects = yield* Projects
    const work = yield* UnitOfWork

    const within = (permit: Permit, found: Effect.Effect<Option.Option<StoredDashboard>, StorageError>) =>
      found.pipe(
        Effect.flatten,
        Effect.filterOrFail(({ id, spec }) => isInScope(permit, { project: spec.projectId, dashboard: id })),
        Effect.catchTag("NoSuchElementException", () => new NotFound({ resource: "Dashboard" }))
      )

    const present = (permit: Permit, stored: StoredDashboard) =>
      Effect.map(widgetStore.ofDashboards(permit, [stored.id]), (widgets) => dashboardToWire(stored, widgets))

    /** A project that is not there is told together with whatever else is wrong with the draft. */
    const projectFaults = (permit: Permit, input: unknown): Effect.Effect<FieldErrors, StorageError> =>
      Either.match(decodeProject(input), {
        onLeft: () => Effect.succeed(noFieldErrors),
        onRight: ({ project }) =>
          projects.findNamedForUpdate(permit, "project", project).pipe(
            Effect.as(noFieldErrors),
            Effect.catchTag("ValidationFailed", ({ errors: faults }) => Effect.succeed(faults))
          )
      })

    return Dashboards.of({
      create: useCase("dashboards.create")((permit, input) =>
        work.atomically(
          Effect.gen(function* () {
            const draft = decode(DashboardDraft)(input)
            const faults = mergeFieldErrors(
              Either.isLeft(draft) ? draft.left : noFieldErrors,
              yield* projectFaults(permit, input)
            )
            if (hasFieldErrors(faults) || Either.isLeft(draft)) return yield* new ValidationFailed({ errors: faults })
            const { filters, name, project } = draft.right
            const stored = yield* store.insert(permit, { projectId: project, name, filters }, yield* DateTime.now)
            return dashboardToWire(stored, [])
          })
        )
      ),
      list: useCase("dashboards.list")((permit, query) =>
        Effect.gen(function* () {
          const asked = yield* decodeInput(DashboardQuery, query)
          const page = yield* Pages.decodeRequest(query)
          const found = yield* store.list(permit, page, asked.project ?? null)
          const { results, ...neighbours } = Pages.pageOf(page, found, ({ id }) => id)
          const widgets = yield* widgetStore.ofDashboards(
            permit,
            results.map(({ id }) => id)
          )
          return {
            ...neighbours,
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
        Effect.flatMap(within(permit, store.find(permit, id)), (stored) => present(permit, stored))
      ),
      update: useCase("dashboards.update")((permit, id, input) =>
        work.atomically(
          Effect.gen(function* () {
            const stored = yield* within(permit, store.findForUpdate(permit, id))
            const { spec } = stored
            const patch = decode(DashboardPatch)(input)
            const project = decodeProject(input)
            const moves = Either.isRight(project) && project.right.project !== spec.projectId
            const faults = mergeFieldErrors(
              Either.isLeft(patch) ? patch.left : noFieldErrors,
              moves ? fieldError("project", "A dashboard stays in its project.") : noFieldErrors
            )
            if (hasFieldErrors(faults) || Either.isLeft(patch)) return yield* new ValidationFailed({ errors: faults })
            const { filters, name } = patch.right
            const changed: StoredDashboard = {
              ...stored,
              spec: { ...spec, name: name ?? spec.name, filters: filters ?? spec.filters },
              updatedAt: yield* DateTime.now
            }
            yield* store.save(permit, changed)
            return yield* present(permit, changed)
          })
        )
      ),
      delete: useCase("dashboards.delete")((permit, id) =>
        work.atomically(
          Effect.gen(function* () {
            yield* within(permit, store.findForUpdate(permit, id))
            yield* store.remove(permit, id)
          })
        )
      )
    })
  })
)
