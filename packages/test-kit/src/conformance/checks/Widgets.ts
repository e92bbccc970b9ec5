/** E3. */
import {
  any,
  bodyOf,
  expectDetail,
  expectFaults,
  expectOnlyFaults,
  expectSame,
  expectShape,
  instant,
  int,
  type Kind,
  oneOf,
  orNull,
  shortText,
  text
} from "../Expect.js"
import { checksOf } from "../Check.js"
import { PATHS } from "../Fixture.js"
import { invalidWidgetFields } from "../../dashboards/InvalidWidgets.js"
import { BAR, fourCalls, leaf, widget } from "./DashboardSupport.js"

/** Source: interface, Widget. */
const widgetShape: Readonly<Record<string, Kind>> = {
  id: int,
  dashboard: int,
  name: shortText(255),
  chart_type: oneOf("line", "bar", "pie", "stat"),
  filters: any,
  effective_filters: any,
  data_type: orNull(oneOf("numeric", "boolean", "string", "datetime", "dynamic")),
  field: shortText(255),
  metric: orNull(int),
  metric_name: orNull(text),
  time_period: orNull(oneOf("hour", "day", "week", "month")),
  aggregation_function: orNull(oneOf("count", "sum", "avg", "min", "max", "p50", "p95", "p99")),
  group_by: any,
  metadata: any,
  created_at: instant,
  updated_at: instant
}

/** A patch that the chart rules refuse of a bar over duration, with the fields that are at fault. */
const refusedPatches: ReadonlyArray<readonly [patch: object, ...paths: ReadonlyArray<string>]> = [
  [{ chart_type: "line" }, "aggregation_function", "time_period"],
  [{ chart_type: "pie" }, "aggregation_function", "time_period"],
  [{ chart_type: "pie", aggregation_function: "" }, "time_period"],
  [{ chart_type: "line", time_period: null }, "aggregation_function"],
  [{ chart_type: "stat" }, "field"],
  [{ field: "" }, "field"],
  [{ aggregation_function: null }, "aggregation_function"],
  [{ time_period: "" }, "time_period"],
  [{ field: null, aggregation_function: null, time_period: null }, "field", "aggregation_function", "time_period"],
  [{ field: "metric_evaluations.value" }, "metric"],
  [{ field: "metric_evaluations.value", metric: 999_999_999 }, "metric"],
  [{ field: "colour" }, "field"],
  [{ time_period: "year", metric: 999_999_999, name: "x".repeat(256) }, "time_period", "metric", "name"]
]

export const widgets = checksOf("E3", {
  "answered-200": [
    "a patch is answered with the whole widget, laid over what was there",
    async (fixture) => {
      const { made, path } = await widget(fixture)
      expectShape("the widget", made, widgetShape)
      const changed = bodyOf(await fixture.patch(path, { name: "Longest calls", aggregation_function: "max" }), 200)
      expectShape("the widget", changed, widgetShape)
      expectSame(
        "the widget",
        { ...changed, updated_at: null },
        { ...made, name: "Longest calls", aggregation_function: "max", updated_at: null }
      )
      expectSame("what is read", bodyOf(await fixture.get(path), 200), changed)
    }
  ],
  "name-limit": [
    "name is optional and has at most 255 characters, field too",
    async (fixture) => {
      const { path } = await widget(fixture)
      for (const name of ["", "x".repeat(255), "😀".repeat(255)]) bodyOf(await fixture.patch(path, { name }), 200)
      for (const name of ["x".repeat(256), "😀".repeat(256)])
        expectOnlyFaults(await fixture.patch(path, { name }), "name")
      const field = `metadata.${"x".repeat(255 - 9)}`
      expectSame("field", bodyOf(await fixture.patch(path, { field }), 200).field, field)
      expectFaults(await fixture.patch(path, { field: `${field}x` }), "field")
    }
  ],
  "chart-rules": [
    "the chart rules judge the patched whole, and every fault is told; nothing is changed then",
    async (fixture) => {
      const { made, path } = await widget(fixture)
      for (const [patch, ...paths] of refusedPatches) expectOnlyFaults(await fixture.patch(path, patch), ...paths)
      expectSame("the widget", bodyOf(await fixture.get(path), 200), made)
    }
  ],
  "every-chart": [
    "a widget becomes any chart: blank and null choices are none",
    async (fixture) => {
      const { path } = await widget(fixture)
      const none = { aggregation_function: "", time_period: null }
      expectSame("chart_type", bodyOf(await fixture.patch(path, { chart_type: "pie", ...none }), 200).chart_type, "pie")
      const line = bodyOf(await fixture.patch(path, { chart_type: "line", data_type: "" }), 200)
      expectSame("the line", [line.aggregation_function, line.time_period], [null, null])
      bodyOf(await fixture.patch(path, { chart_type: "stat", field: "" }), 200)
      bodyOf(await fixture.patch(path, BAR), 200)
    }
  ],
  "metric-evaluations": [
    "metric_evaluations.value needs a metric, metric_name names it, and one of another project is a fault",
    async (fixture) => {
      const { path } = await widget(fixture)
      const { agent, project } = await fixture.elsewhere()
      const question = { agent, name: "Elsewhere", type: "llm_judge", eval_type: "numeric", prompt: "How many?" }
      const [theirs = 0] = await fixture.makeWithin(PATHS.metrics, [question])
      expectFaults(await fixture.patch(path, { field: "metric_evaluations.value", metric: theirs }), "metric")
      const metric = await fixture.numericMetric()
      const changed = bodyOf(await fixture.patch(path, { field: "metric_evaluations.value", metric }), 200)
      expectSame("the metric", [changed.metric, changed.metric_name], [metric, "Conformance"])
      expectFaults(await fixture.patch(path, { metric: null }), "metric")
      const [beside = 0] = await fixture.makeWithin(PATHS.dashboards, [{ name: "Elsewhere", project }])
      expectFaults(await fixture.patch(path, { dashboard: beside }), "metric")
      const moved = bodyOf(await fixture.patch(path, { dashboard: beside, metric: theirs }), 200)
      expectSame("the metric", [moved.dashboard, moved.metric, moved.metric_name], [beside, theirs, "Elsewhere"])
    }
  ],
  moved: [
    "a patch moves a widget to another dashboard, and effective_filters are those of that one and the widget's own",
    async (fixture) => {
      const { matching } = await fourCalls(fixture)
      const [from, to] = [
        await fixture.dashboard({ filters: leaf("metadata.region", "eq", "eu") }),
        await fixture.dashboard({ filters: leaf("duration", "gte", 20) })
      ]
      const { id } = await fixture.make(PATHS.widgets, {
        dashboard: from,
        ...BAR,
        filters: leaf("success", "eq", true)
      })
      const path = `${PATHS.widgets}${String(id)}/`
      const matched = async (patch: object) => {
        const changed = bodyOf(await fixture.patch(path, patch), 200)
        return [changed.dashboard, changed.filters, await matching(changed.effective_filters)]
      }
      const failed = leaf("success", "eq", false)
      expectSame("what is matched as it was", await matched({}), [from, leaf("success", "eq", true), "ad"])
      expectSame("what is matched by other filters", await matched({ filters: failed }), [from, failed, ""])
      expectSame("what is matched on another dashboard", await matched({ dashboard: to }), [to, failed, "b"])
      expectSame("what is matched without filters", await matched({ filters: {} }), [to, {}, "bcd"])
      const boards = [from, to].map((board) => fixture.get(`${PATHS.dashboards}${board}/`))
      const counts = (await Promise.all(boards)).map((board) => bodyOf(board, 200).widget_count)
      expectSame("widget_count", counts, [0, 1])
    }
  ],
  metadata: [
    "metadata is any value, and is answered as it was sent",
    async (fixture) => {
      const { path } = await widget(fixture)
      for (const metadata of [{ x: 1, size: { w: [2, 3.5] } }, [1, "a", null], "text", 7, false, {}, null]) {
        expectSame("metadata", bodyOf(await fixture.patch(path, { metadata }), 200).metadata, metadata)
        expectSame("metadata as it is read", bodyOf(await fixture.get(path), 200).metadata, metadata)
      }
    }
  ],
  "data-type": [
    "data_type is each of the five where the field may hold it, is inferred where it is blank or null, and else a fault",
    async (fixture) => {
      const { path } = await widget(fixture)
      const open = { field: "metadata.tier", aggregation_function: "count" }
      for (const data_type of ["numeric", "boolean", "string", "datetime", "dynamic"]) {
        const changed = bodyOf(await fixture.patch(path, { ...open, data_type }), 200)
        expectSame("data_type", [changed.data_type, changed.field], [data_type, open.field])
      }
      for (const data_type of ["", null]) {
        const inferred = async (fields: object) =>
          bodyOf(await fixture.patch(path, { aggregation_function: "count", data_type, ...fields }), 200).data_type
        expectSame("data_type of a document's field", await inferred(open), "dynamic")
        expectSame("data_type of duration", await inferred({ field: "duration" }), "numeric")
        expectSame("data_type of success", await inferred({ field: "success" }), "boolean")
        expectSame("data_type of call_ended_reason", await inferred({ field: "call_ended_reason" }), "string")
        expectSame("data_type of timestamp", await inferred({ field: "timestamp" }), "datetime")
      }
      expectFaults(await fixture.patch(path, { field: "duration", data_type: "string" }), "data_type")
      expectFaults(await fixture.patch(path, { data_type: "text" }), "data_type")
    }
  ],
  "group-by": [
    "group_by is a field, a bucket of milliseconds, or nothing",
    async (fixture) => {
      const { path } = await widget(fixture)
      for (const group of [
        { type: "field", field: "success" },
        { type: "bucket", interval: 60_000 }
      ]) {
        expectSame("group_by", bodyOf(await fixture.patch(path, { group_by: group }), 200).group_by, group)
      }
      bodyOf(await fixture.patch(path, { group_by: {} }), 200)
      bodyOf(await fixture.patch(path, { group_by: null }), 200)
    }
  ],
  "wrong-values": [
    "a wrong value in any field is a fault under its path",
    async (fixture) => {
      const { made, path } = await widget(fixture)
      for (const broken of invalidWidgetFields) expectFaults(await fixture.patch(path, broken.patch), broken.path)
      expectSame("the widget", bodyOf(await fixture.get(path), 200), made)
    }
  ],
  "read-only-ignored": [
    "read-only and unknown fields are passed over",
    async (fixture) => {
      const { made, path } = await widget(fixture)
      const changed = bodyOf(
        await fixture.patch(path, { id: 7, effective_filters: 5, metric_name: [], created_at: 1, colour: "red" }),
        200
      )
      expectSame("the widget", { ...changed, updated_at: null }, { ...made, updated_at: null })
    }
  ],
  "json-only": [
    "forms are answered with 415",
    async (fixture) => {
      const { path } = await widget(fixture)
      for (const request of [{ form: { name: "x" } }, { multipart: { name: "x" } }]) {
        expectDetail(await fixture.ask("PATCH", path, request), 415)
      }
    }
  ],
  unknown: [
    "an unknown widget is 404, and an unknown dashboard is a fault",
    async (fixture) => {
      expectDetail(await fixture.patch(`${PATHS.widgets}${fixture.nobody}/`, { name: "x" }), 404)
      const { path } = await widget(fixture)
      expectFaults(await fixture.patch(path, { dashboard: fixture.nobody }), "dashboard")
    }
  ]
})
