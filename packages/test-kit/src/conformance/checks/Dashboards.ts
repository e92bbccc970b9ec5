/** E5 and dashboards. */
import {
  any,
  bodyOf,
  expectDetail,
  expectFieldErrors,
  expectNoBody,
  expectOnlyFieldErrors,
  expectEqual,
  expectShape,
  instant,
  int,
  type Kind,
  list,
  shortText
} from "../Expect.js"
import { type InvalidFilter, invalidFilters } from "../../filters/InvalidFilters.js"
import { checksOf } from "../Check.js"
import { PATHS } from "../Fixture.js"
import { at, listAt } from "../../Documents.js"
import { BAR, widget, notFilters, fourCalls, leaf } from "./DashboardSupport.js"

/** Source: interface, Dashboard. */
const dashboardShape: Readonly<Record<string, Kind>> = {
  id: int,
  name: shortText(255),
  project: int,
  filters: any,
  widgets: list,
  widget_count: int,
  created_at: instant,
  updated_at: instant
}

/** Where the fault of a filter is told that stands in a field. */
const pathIn = (field: string, { path }: InvalidFilter): string =>
  path === "non_field_errors" ? field : `${field}.${path}`

export const dashboards = checksOf("E5", {
  "created-201": [
    "answers 201 with all fields of the dashboard, to JSON, form and multipart bodies",
    async (fixture) => {
      const filters = { operator: "and", conditions: [{ field: "success", op: "eq", value: true }] }
      const fields = { name: "Conformance", project: await fixture.project(), filters }
      for (const request of [{ json: fields }, { form: fields }, { multipart: fields }]) {
        const made = bodyOf(await fixture.ask("POST", PATHS.dashboards, request), 201)
        fixture.deleteAtEnd(`${PATHS.dashboards}${String(made.id)}/`)
        expectShape("the dashboard", made, dashboardShape)
        expectEqual("the dashboard", [made.name, made.project, made.filters], [fields.name, fields.project, filters])
        expectEqual("its widgets", [made.widgets, made.widget_count], [[], 0])
      }
    }
  ],
  "name-limit": [
    "requires name, not blank, with at most 255 characters",
    async (fixture) => {
      const project = await fixture.project()
      await fixture.dashboard({ name: "x".repeat(255) })
      await fixture.dashboard({ name: "😀".repeat(255) })
      for (const name of ["x".repeat(256), "😀".repeat(256), "", "  ", null, 5]) {
        expectOnlyFieldErrors(await fixture.post(PATHS.dashboards, { name, project }), "name")
      }
    }
  ],
  required: [
    "reports missing name and project at once",
    async (fixture) => expectOnlyFieldErrors(await fixture.post(PATHS.dashboards, {}), "name", "project")
  ],
  "unknown-project": [
    "rejects a project of another organization under project",
    async (fixture) =>
      expectOnlyFieldErrors(await fixture.post(PATHS.dashboards, { name: "x", project: fixture.unknownId }), "project")
  ],
  filters: [
    "an empty filter matches everything, and an invalid one is reported under its path",
    async (fixture) => {
      for (const filters of [null, {}, { operator: "and", conditions: [] }]) await fixture.dashboard({ filters })
      const project = await fixture.project()
      for (const wrong of notFilters) {
        const reply = await fixture.post(PATHS.dashboards, { name: "x", project, filters: wrong.input })
        expectFieldErrors(reply, pathIn("filters", wrong))
      }
    }
  ],
  "read-only-ignored": [
    "ignores read-only fields",
    async (fixture) => {
      const made = await fixture.make(PATHS.dashboards, {
        name: "x",
        project: await fixture.project(),
        id: 7,
        widgets: [{ chart_type: "stat" }],
        widget_count: 9
      })
      expectEqual("its widgets", [made.widgets, made.widget_count], [[], 0])
    }
  ],
  patched: [
    "a patch changes the name and the filters, also of its widgets; the project cannot change",
    async (fixture) => {
      const project = await fixture.project()
      const { matching } = await fourCalls(fixture)
      const id = await fixture.dashboard({ filters: leaf("metadata.region", "eq", "eu") })
      const filters = leaf("duration", "gte", 20)
      const widget = await fixture.make(PATHS.widgets, { dashboard: id, ...BAR, filters })
      const path = `${PATHS.dashboards}${id}/`
      for (const name of ["x".repeat(255), "😀".repeat(255)]) {
        expectEqual("name", bodyOf(await fixture.patch(path, { name }), 200).name, name)
      }
      const inner = leaf("success", "eq", true)
      expectEqual("filters", bodyOf(await fixture.patch(path, { filters: inner }), 200).filters, inner)
      const seen = bodyOf(await fixture.get(`${PATHS.widgets}${String(widget.id)}/`), 200)
      expectEqual("what matches the widget's effective_filters", await matching(seen.effective_filters), "d")
      const before = bodyOf(await fixture.get(path), 200)
      expectEqual("the dashboard", [before.filters, before.project], [inner, project])
      for (const name of ["x".repeat(256), "😀".repeat(256), "", "  ", 5]) {
        expectOnlyFieldErrors(await fixture.patch(path, { name }), "name")
      }
      for (const wrong of notFilters.slice(0, invalidFilters.length)) {
        expectFieldErrors(await fixture.patch(path, { filters: wrong.input }), pathIn("filters", wrong))
      }
      const another = await fixture.otherProject()
      for (const wrong of [another.project, fixture.unknownId]) {
        expectFieldErrors(await fixture.patch(path, { project: wrong }), "project")
      }
      expectEqual("the dashboard", bodyOf(await fixture.get(path), 200), before)
    }
  ],
  "widgets-listed": [
    "a dashboard lists and counts its widgets, and deletes them with itself",
    async (fixture) => {
      const { dashboard, made, path } = await widget(fixture)
      const shown = bodyOf(await fixture.get(`${PATHS.dashboards}${dashboard}/`), 200)
      expectEqual(
        "its widgets",
        [listAt(shown, "widgets").map((one) => at(one, "id")), shown.widget_count],
        [[made.id], 1]
      )
      expectNoBody(await fixture.ask("DELETE", `${PATHS.dashboards}${dashboard}/`), 204)
      expectDetail(await fixture.get(path), 404)
      expectDetail(await fixture.get(`${PATHS.dashboards}${dashboard}/`), 404)
    }
  ]
})
