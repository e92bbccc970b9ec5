import {
  authorize,
  Dashboards,
  DashboardId,
  encodeDashboardData,
  encodeWidget,
  encodeWidgetData,
  EvaluationStore,
  hostActor,
  MetricStore,
  WidgetData,
  WidgetId,
  Widgets,
  untrusted
} from "@earshot/core"
import { DashboardKit, TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as fc from "fast-check"
import { engine, errorsOf, insertCalls, NOW, fixture } from "./fixtures.js"

const bar = { chart_type: "bar", field: "duration", aggregation_function: "avg", time_period: "day" }

/** A dashboard, a metric of its agent and some scored calls. */
const scored = Effect.gen(function* () {
  const owner = yield* fixture
  const { agent, as, organization, project } = owner
  const dashboard = yield* (yield* Dashboards).create({ name: "A", project: project.id }).pipe(as)
  const host = hostActor(organization.id)
  const toRead = Either.getOrThrow(authorize(host, "metrics.list"))
  const metric = (yield* (yield* MetricStore).ofAgent(toRead, agent.id)).find(({ slug }) => slug === "latency_ms")!
  const calls = yield* insertCalls(owner, [
    { timestamp: "2026-03-30T10:00:00Z", duration: 60, success: true, reason: "hangup", metadata: { region: "eu" } },
    { timestamp: "2026-03-30T11:00:00Z", duration: 30, success: false, reason: "hangup", metadata: { region: "us" } },
    { timestamp: "2026-03-31T10:00:00Z", reason: "transfer", metadata: { region: "eu" } },
    { timestamp: "2026-02-01T10:00:00Z", duration: 600, success: true }
  ])
  const values = [400, 800, 1200]
  yield* (yield* EvaluationStore).record(
    Either.getOrThrow(authorize(host, "calls.ingest")),
    values.map((value, i) => ({
      callId: calls[i]!,
      metricId: metric.id,
      value,
      answerLatencies: [value - 300, value + 300]
    })),
    NOW
  )
  return { ...owner, dashboard, metric }
})

for (const database of TestEngine.databases) {
  layer(engine(database), { timeout: "2 minutes" })(`widgets on ${database}`, (it) => {
    it.effect("are stored as given, and an empty patch changes only updated_at", () =>
      Effect.gen(function* () {
        const { as, dashboard, metric } = yield* scored
        const widgets = yield* Widgets
        for (const json of fc.sample(DashboardKit.widgetJson(dashboard.id), { numRuns: 40, seed: 7 })) {
          const input = "metric" in json ? { ...json, metric: metric.id } : json
          const made = yield* widgets.create(untrusted(input)).pipe(as)
          const shown = encodeWidget(made)
          for (const [key, value] of Object.entries(input)) {
            const given: unknown = Reflect.get(shown, key)
            const isEmpty = key === "group_by" && JSON.stringify(value) === "{}"
            const isInferred = value === null && ["data_type", "field"].includes(key)
            if (!isInferred) expect([key, given]).toEqual([key, isEmpty ? null : value])
          }
          expect(encodeWidget(yield* widgets.read(made.id).pipe(as))).toEqual(shown)
          yield* TestClock.adjust("1 second")
          const { updated_at, ...kept } = encodeWidget(yield* widgets.update(made.id, {}).pipe(as))
          expect({ ...kept, updated_at: shown.updated_at }).toEqual(shown)
          expect(updated_at > shown.updated_at).toBe(true)
        }
      })
    )

    it.effect("are validated as a whole when patched, and can move to another dashboard", () =>
      Effect.gen(function* () {
        const { as, dashboard, project } = yield* scored
        const widgets = yield* Widgets
        const other = yield* (yield* Dashboards)
          .create({ name: "B", project: project.id, filters: { field: "success", op: "eq", value: true } })
          .pipe(as)
        const widget = yield* widgets.create(untrusted({ dashboard: dashboard.id, ...bar })).pipe(as)
        expect(
          yield* errorsOf(widgets.update(widget.id, untrusted({ chart_type: "pie", name: 5 })).pipe(as))
        ).toMatchObject({
          name: ["Not a valid string."],
          aggregation_function: [expect.stringContaining("pie")],
          time_period: [expect.stringContaining("pie")]
        })
        const pie = { chart_type: "pie", aggregation_function: null, time_period: "", dashboard: other.id }
        const changed = yield* widgets.update(widget.id, untrusted(pie)).pipe(as)
        expect(encodeWidget(changed)).toMatchObject({
          id: widget.id,
          dashboard: other.id,
          chart_type: "pie",
          time_period: null,
          effective_filters: { field: "success", op: "eq", value: true }
        })
        expect((yield* widgets.list({ dashboard: other.id }).pipe(as)).results.map(({ id }) => id)).toEqual([widget.id])
        expect(yield* errorsOf(widgets.update(widget.id, { dashboard: 999_999 }).pipe(as))).toEqual({
          dashboard: ['Invalid pk "999999" - object does not exist.']
        })
        const missing = widgets.update(WidgetId.make(999_999), {}).pipe(as)
        expect(yield* Effect.flip(missing)).toMatchObject({ _tag: "NotFound" })
      })
    )

    it.effect("refer to a metric of the dashboard's project and show its name and type", () =>
      Effect.gen(function* () {
        const { as, dashboard, metric } = yield* scored
        const stranger = yield* scored
        const widgets = yield* Widgets
        const line = { dashboard: dashboard.id, chart_type: "line", field: "metric_evaluations.value" }
        const made = yield* widgets.create(untrusted({ ...line, metric: metric.id })).pipe(as)
        expect(encodeWidget(made)).toMatchObject({ metric: metric.id, metric_name: "Latency", data_type: "numeric" })
        expect(yield* errorsOf(widgets.create(untrusted({ ...line, metric: stranger.metric.id })).pipe(as))).toEqual({
          metric: [`Invalid pk "${stranger.metric.id}" - object does not exist.`]
        })
        expect(yield* errorsOf(widgets.create(untrusted(line)).pipe(as))).toHaveProperty("metric")
      })
    )

    it.effect("merge the dashboard's filters with their own and resolve relative times when queried", () =>
      Effect.gen(function* () {
        const { as, dashboard } = yield* scored
        const dashboards = yield* Dashboards
        const widgets = yield* Widgets
        const stat = yield* widgets.create({ dashboard: dashboard.id, chart_type: "stat" }).pipe(as)
        const data = Effect.map(widgets.data(stat.id).pipe(as), encodeWidgetData)
        expect(yield* data).toEqual({
          chart_type: "stat",
          total_calls: 4,
          success_rate: 2 / 3,
          avg_duration: 230,
          // Of 100, 500, 700, 900, 1100, 1500.
          p95_latency: 1400,
          p95_call_latency: 1160
        })
        yield* dashboards
          .update(dashboard.id, { filters: { field: "timestamp", op: "gte", value: "today-7d" } })
          .pipe(as)
        expect(yield* data).toMatchObject({ total_calls: 3, success_rate: 0.5, avg_duration: 45 })
        yield* widgets.update(stat.id, { filters: { field: "call_ended_reason", op: "eq", value: "hangup" } }).pipe(as)
        expect(yield* data).toMatchObject({ total_calls: 2, p95_latency: 1040, p95_call_latency: 780 })
        yield* TestClock.adjust("30 days")
        expect(yield* data).toEqual({
          chart_type: "stat",
          total_calls: 0,
          success_rate: null,
          avg_duration: null,
          p95_latency: null,
          p95_call_latency: null
        })
      })
    )

    it.effect("return the data of all widgets of a dashboard as one by one, the oldest first", () =>
      Effect.gen(function* () {
        const { as, dashboard, metric } = yield* scored
        const widgets = yield* Widgets
        const dashboards = yield* Dashboards
        expect(yield* dashboards.data(dashboard.id).pipe(as)).toMatchObject({ widgets: [] })
        const inputs = [
          { chart_type: "stat" },
          bar,
          { chart_type: "line", field: "metric_evaluations.value", metric: metric.id },
          { chart_type: "pie", field: "metadata.region" }
        ]
        const made = yield* Effect.forEach(inputs, (input) =>
          widgets.create(untrusted({ dashboard: dashboard.id, ...input })).pipe(as)
        )
        yield* TestClock.adjust("1 minute")
        const shown = encodeDashboardData(yield* dashboards.data(dashboard.id).pipe(as))
        const one = yield* Effect.forEach(made, ({ id }) =>
          Effect.map(widgets.data(id).pipe(as), (data) => ({ id, data: encodeWidgetData(data) }))
        )
        expect(shown).toEqual({
          dashboard: dashboard.id,
          as_of: DateTime.formatIso(yield* DateTime.now),
          widgets: one
        })
      })
    )

    it.effect("return data of all four chart types that matches the schema", () =>
      Effect.gen(function* () {
        const { as, dashboard, metric } = yield* scored
        const widgets = yield* Widgets
        const filters = { field: "timestamp", op: "gte", value: "today-7d" }
        const show = (input: object) =>
          widgets.preview(untrusted({ dashboard: dashboard.id, filters, ...input })).pipe(
            as,
            Effect.map(encodeWidgetData),
            Effect.tap((wire) => Schema.decodeUnknown(WidgetData)(wire, { onExcessProperty: "error" }))
          )
        expect(yield* show(bar)).toEqual({
          chart_type: "bar",
          data_type: "numeric",
          field: "duration",
          aggregation_function: "avg",
          time_period: "day",
          interval: null,
          truncated: false,
          series: [
            {
              kind: "all",
              key: null,
              label: "duration",
              points: [{ timestamp: "2026-03-30T00:00:00.000Z", value: 45, count: 2 }]
            }
          ]
        })
        const pie = yield* show({ chart_type: "pie", field: "metadata.region" })
        expect(pie).toEqual({
          chart_type: "pie",
          data_type: "dynamic",
          field: "metadata.region",
          total: 3,
          series: [
            {
              kind: "all",
              key: null,
              label: "metadata.region",
              total: 3,
              points: [
                { kind: "value", key: "eu", label: "eu", value: 2, share: 2 / 3 },
                { kind: "value", key: "us", label: "us", value: 1, share: 1 / 3 }
              ]
            }
          ]
        })
        const group_by = { type: "field", field: "call_ended_reason" }
        const latency = { chart_type: "line", field: "metric_evaluations.value", metric: metric.id, group_by }
        expect(yield* show(latency)).toMatchObject({
          chart_type: "line",
          aggregation_function: "avg",
          time_period: "hour",
          series: [{ key: "hangup" }, { key: "transfer" }]
        })
        expect(yield* show({ chart_type: "stat" })).toMatchObject({ total_calls: 3 })
      })
    )

    it.effect("are validated but not stored by a preview", () =>
      Effect.gen(function* () {
        const { as, dashboard } = yield* scored
        const widgets = yield* Widgets
        yield* widgets.preview(untrusted({ dashboard: dashboard.id, ...bar })).pipe(as)
        expect((yield* widgets.list({}).pipe(as)).results).toEqual([])
        expect(
          yield* errorsOf(widgets.preview({ dashboard: dashboard.id, chart_type: "bar", field: "topic" }).pipe(as))
        ).toMatchObject({ aggregation_function: [expect.any(String)], time_period: [expect.any(String)] })
        expect(yield* errorsOf(widgets.preview(untrusted(null)).pipe(as))).toHaveProperty("non_field_errors")
      })
    )

    it.effect("reject hostile input without storing any of it", () =>
      Effect.gen(function* () {
        const { as, dashboard } = yield* scored
        const widgets = yield* Widgets
        for (const input of fc.sample(DashboardKit.anyInput, { numRuns: 60, seed: 11 })) {
          const outcome = yield* Effect.either(widgets.preview(untrusted(input)).pipe(as))
          if (Either.isLeft(outcome)) expect(outcome.left).toMatchObject({ _tag: "ValidationFailed" })
        }
        for (const { patch, path } of DashboardKit.invalidWidgetFields) {
          expect(
            Object.keys(
              (yield* errorsOf(
                widgets.create(untrusted({ dashboard: dashboard.id, ...bar, ...patch })).pipe(as)
              )) as object
            )
          ).toContain(path)
        }
        expect((yield* widgets.list({ dashboard: dashboard.id }).pipe(as)).results).toEqual([])
        expect(yield* errorsOf(widgets.list({ dashboard: "x" }).pipe(as))).toHaveProperty("dashboard")
        const none = widgets
          .create(untrusted({ dashboard: DashboardId.make(Number.MAX_SAFE_INTEGER), ...bar }))
          .pipe(as)
        expect(yield* errorsOf(none)).toHaveProperty("dashboard")
      })
    )
  })
}
