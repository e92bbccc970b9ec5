import { type Actor, Dashboards, encodeDashboard, encodeWidget, Projects, Widgets, untrusted } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { bound, engine, errorsOf, fixture } from "./fixtures.js"

const bar = { chart_type: "bar", field: "duration", aggregation_function: "avg", time_period: "day" }
const lastWeek = { field: "timestamp", op: "gte", value: "today-7d" }
const successful = { operator: "and", conditions: [{ field: "success", op: "eq", value: true }] }

for (const database of TestEngine.databases) {
  layer(engine(database))(`dashboards on ${database}`, (it) => {
    it.effect("are created and returned with the interface's field names and their filters as given", () =>
      Effect.gen(function* () {
        const { as, project } = yield* fixture
        const dashboards = yield* Dashboards
        const widgets = yield* Widgets
        const made = yield* dashboards.create({ name: "Quality", project: project.id, filters: successful }).pipe(as)
        const widget = yield* widgets
          .create(
            untrusted({ dashboard: made.id, name: "Talk time", ...bar, filters: lastWeek, metadata: { x: 0, y: 2 } })
          )
          .pipe(as)
        const shown = encodeDashboard(yield* dashboards.read(made.id).pipe(as))
        expect(shown).toEqual({
          id: made.id,
          name: "Quality",
          project: project.id,
          filters: successful,
          widgets: [encodeWidget(widget)],
          widget_count: 1,
          created_at: "2026-03-31T10:20:30.456Z",
          updated_at: "2026-03-31T10:20:30.456Z"
        })
        expect(shown.widgets[0]).toEqual({
          id: widget.id,
          dashboard: made.id,
          name: "Talk time",
          chart_type: "bar",
          filters: lastWeek,
          effective_filters: { operator: "and", conditions: [successful.conditions[0], lastWeek] },
          data_type: "numeric",
          field: "duration",
          metric: null,
          metric_name: null,
          time_period: "day",
          aggregation_function: "avg",
          group_by: null,
          metadata: { x: 0, y: 2 },
          created_at: "2026-03-31T10:20:30.456Z",
          updated_at: "2026-03-31T10:20:30.456Z"
        })
      })
    )

    it.effect("require a name and a project, and report every error", () =>
      Effect.gen(function* () {
        const { as, project } = yield* fixture
        const other = yield* TestEngine.fixture
        const { create } = yield* Dashboards
        expect(yield* errorsOf(create(untrusted({})).pipe(as))).toEqual({
          name: ["This field is required."],
          project: ["This field is required."]
        })
        expect(
          yield* errorsOf(
            create(
              untrusted({ name: "n".repeat(256), project: other.project.id, filters: { field: "color", op: "eq" } })
            ).pipe(as)
          )
        ).toMatchObject({
          name: ["Ensure this field has no more than 255 characters."],
          project: [`Invalid pk "${other.project.id}" - object does not exist.`],
          "filters.value": ["This field is required."]
        })
        expect(yield* errorsOf(create({ name: " ", project: project.id }).pipe(as))).toEqual({
          name: ["This field may not be blank."]
        })
        expect(yield* errorsOf(create(untrusted("Quality")).pipe(as))).toHaveProperty("non_field_errors")
      })
    )

    it.effect("can be renamed and refiltered, which changes their widgets' effective filters", () =>
      Effect.gen(function* () {
        const { as, project } = yield* fixture
        const dashboards = yield* Dashboards
        const widgets = yield* Widgets
        const { id } = yield* dashboards.create({ name: "A", project: project.id }).pipe(as)
        const widget = yield* widgets.create(untrusted({ dashboard: id, chart_type: "stat", filters: {} })).pipe(as)
        expect(widget).toMatchObject({ filters: {}, effectiveFilters: null, dataType: null, field: "", name: "" })
        yield* TestClock.adjust("1 second")
        const changed = yield* dashboards.update(id, { name: "B", filters: lastWeek, project: project.id }).pipe(as)
        expect(encodeDashboard(changed)).toMatchObject({
          name: "B",
          filters: lastWeek,
          created_at: "2026-03-31T10:20:30.456Z",
          updated_at: "2026-03-31T10:20:31.456Z"
        })
        expect(changed.widgets[0]!.effectiveFilters).toEqual(lastWeek)
        const elsewhere = yield* (yield* Projects).create({ name: "Another" }).pipe(as)
        expect(yield* errorsOf(dashboards.update(id, { project: elsewhere.id, name: "" }).pipe(as))).toEqual({
          project: ["The project of a dashboard cannot be changed."],
          name: ["This field may not be blank."]
        })
      })
    )

    it.effect("are listed newest first with their widgets, optionally by project", () =>
      Effect.gen(function* () {
        const { as, project } = yield* fixture
        const dashboards = yield* Dashboards
        const widgets = yield* Widgets
        const elsewhere = yield* (yield* Projects).create({ name: "Another" }).pipe(as)
        const one = yield* dashboards.create({ name: "One", project: project.id }).pipe(as)
        const two = yield* dashboards.create({ name: "Two", project: elsewhere.id }).pipe(as)
        const chart = yield* widgets.create({ dashboard: one.id, chart_type: "stat" }).pipe(as)
        const all = yield* dashboards.list({}).pipe(as)
        expect(all.results.map(({ id, widgets }) => [id, widgets.map(({ id }) => id)])).toEqual([
          [two.id, []],
          [one.id, [chart.id]]
        ])
        expect((yield* dashboards.list({ project: String(project.id) }).pipe(as)).results).toHaveLength(1)
        const page = yield* dashboards.list({ limit: "1" }).pipe(as)
        expect(page.results.map(({ id }) => id)).toEqual([two.id])
        expect((yield* dashboards.list(untrusted({ cursor: page.next })).pipe(as)).results.map(({ id }) => id)).toEqual(
          [one.id]
        )
        expect(yield* errorsOf(dashboards.list({ project: "x", limit: 0 }).pipe(as))).toHaveProperty("project")
      })
    )

    it.effect("are deleted with their widgets", () =>
      Effect.gen(function* () {
        const { as, project } = yield* fixture
        const dashboards = yield* Dashboards
        const widgets = yield* Widgets
        const { id } = yield* dashboards.create({ name: "A", project: project.id }).pipe(as)
        const widget = yield* widgets.create({ dashboard: id, chart_type: "stat" }).pipe(as)
        yield* dashboards.delete(id).pipe(as)
        expect(yield* Effect.flip(dashboards.read(id).pipe(as))).toMatchObject({ _tag: "NotFound" })
        expect(yield* Effect.flip(widgets.read(widget.id).pipe(as))).toMatchObject({ _tag: "NotFound" })
        expect(yield* Effect.flip(dashboards.delete(id).pipe(as))).toMatchObject({ _tag: "NotFound" })
      })
    )

    it.effect("are not found once their project is deleted", () =>
      Effect.gen(function* () {
        const { as, project } = yield* fixture
        const dashboards = yield* Dashboards
        const widgets = yield* Widgets
        const { id } = yield* dashboards.create({ name: "A", project: project.id }).pipe(as)
        const widget = yield* widgets.create({ dashboard: id, chart_type: "stat" }).pipe(as)
        yield* (yield* Projects).delete(project.id).pipe(as)
        expect(yield* Effect.flip(dashboards.read(id).pipe(as))).toMatchObject({ _tag: "NotFound" })
        expect(yield* Effect.flip(widgets.data(widget.id).pipe(as))).toMatchObject({ _tag: "NotFound" })
        expect((yield* dashboards.list({}).pipe(as)).results).toEqual([])
        expect((yield* widgets.list({}).pipe(as)).results).toEqual([])
      })
    )

    it.effect("are not found by another organization", () =>
      Effect.gen(function* () {
        const { as, project } = yield* fixture
        const dashboards = yield* Dashboards
        const widgets = yield* Widgets
        const { id } = yield* dashboards.create({ name: "Mine", project: project.id }).pipe(as)
        const widget = yield* widgets.create({ dashboard: id, chart_type: "stat" }).pipe(as)
        const asOther = TestEngine.as((yield* TestEngine.fixture).actor)
        const attempts: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
          dashboards.read(id).pipe(asOther),
          dashboards.data(id).pipe(asOther),
          dashboards.update(id, { name: "Theirs" }).pipe(asOther),
          dashboards.delete(id).pipe(asOther),
          widgets.read(widget.id).pipe(asOther),
          widgets.update(widget.id, { name: "Theirs" }).pipe(asOther),
          widgets.data(widget.id).pipe(asOther),
          widgets.delete(widget.id).pipe(asOther)
        ]
        for (const attempt of attempts) expect(yield* Effect.flip(attempt)).toMatchObject({ _tag: "NotFound" })
        const expected = { dashboard: [`Invalid pk "${id}" - object does not exist.`] }
        expect(yield* errorsOf(widgets.create({ dashboard: id, chart_type: "stat" }).pipe(asOther))).toEqual(expected)
        expect(yield* errorsOf(widgets.preview({ dashboard: id, chart_type: "stat" }).pipe(asOther))).toEqual(expected)
        expect((yield* dashboards.list({ project: project.id }).pipe(asOther)).results).toEqual([])
        expect((yield* widgets.list({ dashboard: id }).pipe(asOther)).results).toEqual([])
        expect(yield* dashboards.read(id).pipe(as)).toMatchObject({ name: "Mine", widgetCount: 1 })
      })
    )

    it.effect("are limited to the resource scope of a session", () =>
      Effect.gen(function* () {
        const { actor, agent, as, project } = yield* fixture
        const dashboards = yield* Dashboards
        const widgets = yield* Widgets
        const near = yield* dashboards.create({ name: "Near", project: project.id }).pipe(as)
        const far = yield* dashboards.create({ name: "Far", project: project.id }).pipe(as)
        const farWidget = yield* widgets.create({ dashboard: far.id, chart_type: "stat" }).pipe(as)
        const ofOne = TestEngine.as(bound(actor, [{ type: "dashboard", id: near.id }]))
        expect((yield* dashboards.list({}).pipe(ofOne)).results.map(({ id }) => id)).toEqual([near.id])
        expect((yield* widgets.list({}).pipe(ofOne)).results).toEqual([])
        expect(yield* Effect.flip(dashboards.read(far.id).pipe(ofOne))).toMatchObject({ _tag: "NotFound" })
        expect(yield* Effect.flip(dashboards.data(far.id).pipe(ofOne))).toMatchObject({ _tag: "NotFound" })
        expect(yield* Effect.flip(dashboards.delete(far.id).pipe(ofOne))).toMatchObject({ _tag: "NotFound" })
        expect(yield* Effect.flip(widgets.data(farWidget.id).pipe(ofOne))).toMatchObject({ _tag: "NotFound" })
        expect(yield* errorsOf(dashboards.create({ name: "New", project: project.id }).pipe(ofOne))).toHaveProperty(
          "project"
        )
        expect(yield* errorsOf(widgets.preview({ dashboard: far.id, chart_type: "stat" }).pipe(ofOne))).toHaveProperty(
          "dashboard"
        )
        expect(yield* dashboards.update(near.id, { name: "Nearer" }).pipe(ofOne)).toMatchObject({ name: "Nearer" })

        const ofProject = TestEngine.as(bound(actor, [{ type: "project", id: project.id }]))
        expect((yield* dashboards.list({}).pipe(ofProject)).results).toHaveLength(2)
        yield* dashboards.create({ name: "New", project: project.id }).pipe(ofProject)
        const ofAgent = TestEngine.as(bound(actor, [{ type: "agent", id: agent.id }]))
        expect((yield* dashboards.list({}).pipe(ofAgent)).results).toEqual([])
        expect(yield* Effect.flip(dashboards.read(near.id).pipe(ofAgent))).toMatchObject({ _tag: "NotFound" })
      })
    )

    it.effect("are readable but not writable with the read permission alone", () =>
      Effect.gen(function* () {
        const { actor, as, project } = yield* fixture
        const dashboards = yield* Dashboards
        const widgets = yield* Widgets
        const { id } = yield* dashboards.create({ name: "A", project: project.id }).pipe(as)
        const widget = yield* widgets.create({ dashboard: id, chart_type: "stat" }).pipe(as)
        const link: Actor = {
          ...bound(actor, [{ type: "dashboard", id }], ["dashboards:read"]),
          credential: "shareable_link"
        }
        const asLink = TestEngine.as(link)
        expect(yield* widgets.data(widget.id).pipe(asLink)).toMatchObject({ totalCalls: 0 })
        const pie = { dashboard: id, chart_type: "pie", field: "customer_number" }
        expect(yield* Effect.flip(widgets.preview(untrusted(pie)).pipe(asLink))).toMatchObject({ _tag: "Forbidden" })
        expect(yield* Effect.flip(dashboards.update(id, { name: "B" }).pipe(asLink))).toMatchObject({
          _tag: "Forbidden"
        })
        expect(yield* Effect.flip(widgets.create(untrusted(pie)).pipe(asLink))).toMatchObject({
          _tag: "Unauthenticated"
        })
      })
    )

    it.effect("have at most 100 widgets", () =>
      Effect.gen(function* () {
        const { as, project } = yield* fixture
        const dashboards = yield* Dashboards
        const widgets = yield* Widgets
        const full = yield* dashboards.create({ name: "Full", project: project.id }).pipe(as)
        const other = yield* dashboards.create({ name: "Other", project: project.id }).pipe(as)
        const stat = { chart_type: "stat" }
        for (let i = 0; i < 100; i++) yield* widgets.create(untrusted({ dashboard: full.id, ...stat })).pipe(as)
        const expected = { dashboard: ["A dashboard has at most 100 widgets."] }
        expect(yield* errorsOf(widgets.create(untrusted({ dashboard: full.id, ...stat })).pipe(as))).toEqual(expected)
        const moving = yield* widgets.create(untrusted({ dashboard: other.id, ...stat })).pipe(as)
        expect(yield* errorsOf(widgets.update(moving.id, { dashboard: full.id }).pipe(as))).toEqual(expected)
      })
    )
  })
}
