import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import { NotFound } from "../access/AccessErrors.js"
import { type Permit, reaches } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { Projects } from "../catalog/Projects.js"
import {
  decode,
  decodeInput,
  type Faults,
  fault,
  isFaulty,
  mergeFaults,
  noFaults,
  ValidationFailed
} from "../kernel/Faults.js"
import * as Fields from "../kernel/Fields.js"
import { type DashboardId, ProjectId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageFault, UnitOfWork } from "../kernel/Storage.js"
import { type Dashboard, DashboardDraft, DashboardPatch, type StoredDashboard } from "./Dashboard.js"
import { DashboardStore } from "./DashboardStore.js"
import { presentDashboard } from "./Present.js"
import { WidgetStore } from "./WidgetStore.js"

/** Dashboards of the caller's organisation. Inputs are what came from outside and are judged here. */
export class Dashboards extends Context.Tag("@earshot/core/dashboards/Dashboards")<
  Dashboards,
  {
    /** `{name, project, filters?}`. Source: interface, E5. */
    readonly create: UseCase<"dashboards.create", [input: unknown], Dashboard, ValidationFailed | StorageFault>
    /** `{cursor?, limit?, project?}`; newest first. */
    readonly list: UseCase<"dashboards.list", [query: unknown], Pages.Page<Dashboard>, ValidationFailed | StorageFault>
    readonly read: UseCase<"dashboards.read", [id: DashboardId], Dashboard, NotFound | StorageFault>
    /** `{name?, filters?}`; a dashboard stays in its project. */
    readonly update: UseCase<
      "dashboards.update",
      [id: DashboardId, input: unknown],
      Dashboard,
      ValidationFailed | NotFound | StorageFault
    >
    /** Deletes the dashboard with its widgets, for good. */
    readonly delete: UseCase<"dashboards.delete", [id: DashboardId], void, NotFound | StorageFault>
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

    const within = (permit: Permit, found: Effect.Effect<Option.Option<StoredDashboard>, StorageFault>) =>
      found.pipe(
        Effect.flatten,
        Effect.filterOrFail(({ id, spec }) => reaches(permit, { project: spec.projectId, dashboard: id })),
        Effect.catchTag("NoSuchElementException", () => new NotFound({ resource: "Dashboard" }))
      )

    const present = (permit: Permit, stored: StoredDashboard) =>
      Effect.map(widgetStore.ofDashboards(permit, [stored.id]), (widgets) => presentDashboard(stored, widgets))

    /** A project that is not there is told together with whatever else is wrong with the draft. */
    const projectFaults = (permit: Permit, input: unknown): Effect.Effect<Faults, StorageFault> =>
      Either.match(decodeProject(input), {
        onLeft: () => Effect.succeed(noFaults),
        onRight: ({ project }) =>
          projects.hold(permit, "project", project).pipe(
            Effect.as(noFaults),
            Effect.catchTag("ValidationFailed", ({ faults }) => Effect.succeed(faults))
          )
      })

    return Dashboards.of({
      create: useCase("dashboards.create")((permit, input) =>
        work.atomically(
          Effect.gen(function* () {
            const draft = decode(DashboardDraft)(input)
            const faults = mergeFaults(
              Either.isLeft(draft) ? draft.left : noFaults,
              yield* projectFaults(permit, input)
            )
            if (isFaulty(faults) || Either.isLeft(draft)) return yield* new ValidationFailed({ faults })
            const { filters, name, project } = draft.right
            const stored = yield* store.insert(permit, { projectId: project, name, filters }, yield* DateTime.now)
            return presentDashboard(stored, [])
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
              presentDashboard(
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
            const stored = yield* within(permit, store.hold(permit, id))
            const { spec } = stored
            const patch = decode(DashboardPatch)(input)
            const project = decodeProject(input)
            const moves = Either.isRight(project) && project.right.project !== spec.projectId
            const faults = mergeFaults(
              Either.isLeft(patch) ? patch.left : noFaults,
              moves ? fault("project", "A dashboard stays in its project.") : noFaults
            )
            if (isFaulty(faults) || Either.isLeft(patch)) return yield* new ValidationFailed({ faults })
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
            yield* within(permit, store.hold(permit, id))
            yield* store.remove(permit, id)
          })
        )
      )
    })
  })
)
