import { DashboardStore, OrganizationStore, ProjectStore, type WidgetSpec, WidgetStore } from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { everyPage } from "../catalog/Pages.js"
import { permit } from "../catalog/Permits.js"
import { at } from "../storage/Moments.js"

const noFilter = { given: null, filter: null }

const newOrganization = Effect.gen(function* () {
  const { id } = yield* (yield* OrganizationStore).insert({ name: "Contract" }, at(0))
  const projects = yield* ProjectStore
  const toCreate = permit(id, "projects.create")
  const project = yield* projects.insert(toCreate, { name: "P", description: "" }, at(0))
  const other = yield* projects.insert(toCreate, { name: "Q", description: "" }, at(0))
  const dashboards = yield* DashboardStore
  const widgets = yield* WidgetStore
  const toWrite = permit(id, "dashboards.create")
  const insert = (name: string, projectId = project.id) =>
    dashboards.insert(toWrite, { projectId, name, filters: noFilter }, at(1))
  return {
    id,
    project: project.id,
    other: other.id,
    dashboards,
    widgets,
    projects,
    insert,
    toWrite,
    toRead: permit(id, "dashboards.list"),
    toDelete: permit(id, "dashboards.delete"),
    toDeleteProjects: permit(id, "projects.delete")
  }
})

const spec = (dashboardId: WidgetSpec["dashboardId"], name = "W"): WidgetSpec => ({
  dashboardId,
  name,
  chartType: "bar",
  filters: noFilter,
  dataType: null,
  field: "duration",
  metricId: null,
  timePeriod: "day",
  aggregationFunction: "p95",
  groupBy: { type: "bucket", interval: 86_400_000 },
  metadata: { x: [1, "😀", null], "a.b": { c: 1.5 } }
})

/** The contract of every `DashboardStore` with its `WidgetStore`. */
export const dashboardStoreContract = <E>(
  subject: string,
  stores: Layer.Layer<DashboardStore | WidgetStore | OrganizationStore | ProjectStore, E>
): void => {
  layer(stores)(`dashboards stored by ${subject}`, (it) => {
    it.effect("are found as they were inserted and as they were last saved", () =>
      Effect.gen(function* () {
        const { dashboards, insert, project, toRead, toWrite } = yield* newOrganization
        const made = yield* insert("Board 😀 %_'")
        expect(made).toMatchObject({ spec: { projectId: project, name: "Board 😀 %_'" }, createdAt: at(1) })
        expect(yield* dashboards.find(toRead, made.id)).toEqual(Option.some(made))
        expect(yield* dashboards.findForUpdate(toRead, made.id)).toEqual(Option.some(made))
        const changed = { ...made, spec: { ...made.spec, name: "Other" }, updatedAt: at(2) }
        yield* dashboards.save(toWrite, changed)
        expect(yield* dashboards.find(toRead, made.id)).toEqual(Option.some(changed))
      })
    )

    it.effect("are listed newest first, by project and within the resource scope", () =>
      Effect.gen(function* () {
        const { dashboards, id, insert, other, project, toRead } = yield* newOrganization
        const [one, elsewhere, two] = [yield* insert("1"), yield* insert("2", other), yield* insert("3")]
        const listed = (permitted: typeof toRead, of: typeof project | null) =>
          Effect.map(
            everyPage((page) => dashboards.list(permitted, page, of), { limit: 2 }),
            (pages) => pages.flatMap(({ results }) => results.map((found) => found.id))
          )
        expect(yield* listed(toRead, null)).toEqual([two.id, elsewhere.id, one.id])
        expect(yield* listed(toRead, project)).toEqual([two.id, one.id])
        const bound = permit(id, "dashboards.list", [{ type: "project", id: other }])
        expect(yield* listed(bound, null)).toEqual([elsewhere.id])
        expect(yield* listed(permit(id, "dashboards.list", []), null)).toEqual([])
      })
    )

    it.effect("are deleted with their widgets and with their project", () =>
      Effect.gen(function* () {
        const fixture = yield* newOrganization
        const { dashboards, insert, other, projects, toDelete, toRead, toWrite, widgets } = fixture
        const [gone, stays, lost] = [yield* insert("1"), yield* insert("2"), yield* insert("3", other)]
        const put = (dashboard: typeof gone) => widgets.insert(toWrite, spec(dashboard.id), at(3))
        const [first, second, third] = [yield* put(gone), yield* put(stays), yield* put(lost)]
        yield* dashboards.remove(toDelete, gone.id)
        yield* projects.remove(fixture.toDeleteProjects, other, at(4))
        for (const { id } of [gone, lost]) expect(yield* dashboards.find(toRead, id)).toEqual(Option.none())
        for (const id of [first, third]) expect(yield* widgets.find(toRead, id)).toEqual(Option.none())
        expect(Option.isSome(yield* widgets.find(toRead, second))).toBe(true)
      })
    )

    it.effect("are not found by another organization, nor are their widgets", () =>
      Effect.gen(function* () {
        const [mine, theirs] = [yield* newOrganization, yield* newOrganization]
        const { dashboards, widgets } = mine
        const board = yield* mine.insert("Mine")
        const widget = yield* widgets.insert(mine.toWrite, spec(board.id), at(3))
        expect(yield* dashboards.find(theirs.toRead, board.id)).toEqual(Option.none())
        expect(yield* dashboards.findForUpdate(theirs.toRead, board.id)).toEqual(Option.none())
        expect(yield* widgets.find(theirs.toRead, widget)).toEqual(Option.none())
        expect(yield* widgets.findForUpdate(theirs.toRead, widget)).toEqual(Option.none())
        expect(yield* widgets.ofDashboards(theirs.toRead, [board.id])).toEqual([])
        expect(yield* widgets.count(theirs.toRead, board.id)).toBe(0)
        yield* dashboards.save(theirs.toWrite, { ...board, spec: { ...board.spec, name: "Theirs" } })
        yield* widgets.save(theirs.toWrite, widget, spec(board.id, "Theirs"), at(4))
        yield* widgets.remove(theirs.toDelete, widget)
        yield* dashboards.remove(theirs.toDelete, board.id)
        expect(yield* dashboards.find(mine.toRead, board.id)).toEqual(Option.some(board))
        expect(Option.getOrThrow(yield* widgets.find(mine.toRead, widget)).spec.name).toBe("W")
      })
    )

    it.effect("have widgets that are found as inserted, counted, and returned oldest first", () =>
      Effect.gen(function* () {
        const { insert, project, toDelete, toRead, toWrite, widgets } = yield* newOrganization
        const board = yield* insert("1")
        const first = yield* widgets.insert(toWrite, spec(board.id), at(3))
        const second = yield* widgets.insert(toWrite, spec(board.id, "Second"), at(4))
        expect(Option.getOrThrow(yield* widgets.find(toRead, first))).toEqual({
          id: first,
          spec: spec(board.id),
          projectId: project,
          dashboardFilter: null,
          metric: null,
          createdAt: at(3),
          updatedAt: at(3)
        })
        expect((yield* widgets.ofDashboards(toRead, [board.id])).map(({ id }) => id)).toEqual([first, second])
        const pages = yield* everyPage((page) => widgets.list(toRead, page, board.id), { limit: 1 })
        expect(pages.flatMap(({ results }) => results.map(({ id }) => id))).toEqual([second, first])
        yield* widgets.save(toWrite, first, spec(board.id, "Changed"), at(5))
        expect(Option.getOrThrow(yield* widgets.findForUpdate(toRead, first))).toMatchObject({
          spec: { name: "Changed" },
          createdAt: at(3),
          updatedAt: at(5)
        })
        yield* widgets.remove(toDelete, second)
        expect(yield* widgets.count(toRead, board.id)).toBe(1)
      })
    )
  })
}
