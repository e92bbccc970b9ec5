/** E3. */
import {
  any,
  bodyOf,
  expectDetail,
  expectFieldErrors,
  expectOnlyFieldErrors,
  expectEqual,
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
const rejectedPatches: ReadonlyArray<readonly [patch: object, ...paths: ReadonlyArray<string>]> = [
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
  [{ field: "color" }, "field"],
  [{ time_period: "year", metric: 999_999_999, name: "x".repeat(256) }, "time_period", "metric", "name"]
]

export const widgets = checksOf("E3", {
  "answered-200": [
    "answers with the whole widget to a patch, which is merged with it",
    async (fixture) => {
      const { made, path } = await widget(fixture)
      expectShape("the widget", made, widgetShape)
      const changed = bodyOf(await fixture.patch(path, { name: "Longest calls", aggregation_function: "max" }), 200)
      expectShape("the widget", changed, widgetShape)
      expectEqual(
        "the widget",
        { ...changed, updated_at: null },
        { ...made, name: "Longest calls", aggregation_function: "max", updated_at: null }
      )
      expectEqual("what is read", bodyOf(await fixture.get(path), 200), changed)
    }
  ],
  "name-limit": [
    "limits name and field to 255 characters",
    async (fixture) => {
      const { path } = await widget(fixture)
      for (const name of ["", "x".repeat(255), "😀".repeat(255)]) bodyOf(await fixture.patch(path, { name }), 200)
      for (const name of ["x".repeat(256), "😀".repeat(256)])
        expectOnlyFieldErrors(await fixture.patch(path, { name }), "name")
      const field = `metadata.${"x".repeat(255 - 9)}`
      expectEqual("field", bodyOf(await fixture.patch(path, { field }), 200).field, field)
      expectFieldErrors(await fixture.patch(path, { field: `${field}x` }), "field")
    }
  ],
  "chart-rules": [
    "validates the patched widget as a whole, reports every error and changes nothing then",
    async (fixture) => {
      const { made, path } = await widget(fixture)
      for (const [patch, ...paths] of rejectedPatches) expectOnlyFieldErrors(await fixture.patch(path, patch), ...paths)
      expectEqual("the widget", bodyOf(await fixture.get(path), 200), made)
    }
  ],
  "every-chart": [
    "a widget can become any chart; blank and null choices are none",
    async (fixture) => {
      const { path } = await widget(fixture)
      const none = { aggregation_function: "", time_period: null }
      expectEqual(
        "chart_type",
        bodyOf(await fixture.patch(path, { chart_type: "pie", ...none }), 200).chart_type,
        "pie"
      )
      const line = bodyOf(await fixture.patch(path, { chart_type: "line", data_type: "" }), 200)
      expectEqual("the line", [line.aggregation_function, line.time_period], [null, null])
      bodyOf(await fixture.patch(path, { chart_type: "stat", field: "" }), 200)
      bodyOf(await fixture.patch(path, BAR), 200)
    }
  ],
  "metric-evaluations": [
    "metric_evaluations.value requires a metric of the project, and returns its metric_name",
    async (fixture) => {
      const { path } = await widget(fixture)
      const { agent, project } = await fixture.otherProject()
      const question = { agent, name: "Elsewhere", type: "llm_judge", eval_type: "numeric", prompt: "How many?" }
      const [theirs = 0] = await fixture.makeMany(PATHS.metrics, [question])
      expectFieldErrors(await fixture.patch(path, { field: "metric_evaluations.value", metric: theirs }), "metric")
      const metric = await fixture.numericMetric()
      const changed = bodyOf(await fixture.patch(path, { field: "metric_evaluations.value", metric }), 200)
      expectEqual("the metric", [changed.metric, changed.metric_name], [metric, "Conformance"])
      expectFieldErrors(await fixture.patch(path, { metric: null }), "metric")
      const [additional = 0] = await fixture.makeMany(PATHS.dashboards, [{ name: "Elsewhere", project }])
      expectFieldErrors(await fixture.patch(path, { dashboard: additional }), "metric")
      const moved = bodyOf(await fixture.patch(path, { dashboard: additional, metric: theirs }), 200)
      expectEqual("the metric", [moved.dashboard, moved.metric, moved.metric_name], [additional, theirs, "Elsewhere"])
    }
  ],
  moved: [
    "a patch moves a widget to another dashboard, and effective_filters follow",
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
      expectEqual("what is matched as it was", await matched({}), [from, leaf("success", "eq", true), "ad"])
      expectEqual("what is matched by other filters", await matched({ filters: failed }), [from, failed, ""])
      expectEqual("what is matched on another dashboard", await matched({ dashboard: to }), [to, failed, "b"])
      expectEqual("what is matched without filters", await matched({ filters: {} }), [to, {}, "bcd"])
      const boards = [from, to].map((board) => fixture.get(`${PATHS.dashboards}${board}/`))
      const counts = (await Promise.all(boards)).map((board) => bodyOf(board, 200).widget_count)
      expectEqual("widget_count", counts, [0, 1])
    }
  ],
  metadata: [
    "metadata is any value and is returned unchanged",
    async (fixture) => {
      const { path } = await widget(fixture)
      for (const metadata of [{ x: 1, size: { w: [2, 3.5] } }, [1, "a", null], "text", 7, false, {}, null]) {
        expectEqual("metadata", bodyOf(await fixture.patch(path, { metadata }), 200).metadata, metadata)
        expectEqual("metadata as it is read", bodyOf(await fixture.get(path), 200).metadata, metadata)
      }
    }
  ],
  "data-type": [
    "data_type is one of five that the field can have, and is inferred where blank or null",
    async (fixture) => {
      const { path } = await widget(fixture)
      const open = { field: "metadata.tier", aggregation_function: "count" }
      for (const data_type of ["numeric", "boolean", "string", "datetime", "dynamic"]) {
        const changed = bodyOf(await fixture.patch(path, { ...open, data_type }), 200)
        expectEqual("data_type", [changed.data_type, changed.field], [data_type, open.field])
      }
      for (const data_type of ["", null]) {
        const inferred = async (fields: object) =>
          bodyOf(await fixture.patch(path, { aggregation_function: "count", data_type, ...fields }), 200).data_type
        expectEqual("data_type of a document's field", await inferred(open), "dynamic")
        expectEqual("data_type of duration", await inferred({ field: "duration" }), "numeric")
        expectEqual("data_type of success", await inferred({ field: "success" }), "boolean")
        expectEqual("data_type of call_ended_reason", await inferred({ field: "call_ended_reason" }), "string")
        expectEqual("data_type of timestamp", await inferred({ field: "timestamp" }), "datetime")
      }
      expectFieldErrors(await fixture.patch(path, { field: "duration", data_type: "string" }), "data_type")
      expectFieldErrors(await fixture.patch(path, { data_type: "text" }), "data_type")
    }
  ],
  "group-by": [
    "group_by is a field, a bucket in milliseconds, or nothing",
    async (fixture) => {
      const { path } = await widget(fixture)
      for (const group of [
        { type: "field", field: "success" },
        { type: "bucket", interval: 60_000 }
      ]) {
        expectEqual("group_by", bodyOf(await fixture.patch(path, { group_by: group }), 200).group_by, group)
      }
      bodyOf(await fixture.patch(path, { group_by: {} }), 200)
      bodyOf(await fixture.patch(path, { group_by: null }), 200)
    }
  ],
  "wrong-values": [
    "reports an invalid value of any field under its path",
    async (fixture) => {
      const { made, path } = await widget(fixture)
      for (const broken of invalidWidgetFields) expectFieldErrors(await fixture.patch(path, broken.patch), broken.path)
      expectEqual("the widget", bodyOf(await fixture.get(path), 200), made)
    }
  ],
  "read-only-ignored": [
    "ignores read-only and unknown fields",
    async (fixture) => {
      const { made, path } = await widget(fixture)
      const changed = bodyOf(
        await fixture.patch(path, { id: 7, effective_filters: 5, metric_name: [], created_at: 1, color: "red" }),
        200
      )
      expectEqual("the widget", { ...changed, updated_at: null }, { ...made, updated_at: null })
    }
  ],
  "json-only": [
    "answers 415 to forms",
    async (fixture) => {
      const { path } = await widget(fixture)
      for (const request of [{ form: { name: "x" } }, { multipart: { name: "x" } }]) {
        expectDetail(await fixture.ask("PATCH", path, request), 415)
      }
    }
  ],
  unknown: [
    "answers 404 for an unknown widget, and rejects an unknown dashboard",
    async (fixture) => {
      expectDetail(await fixture.patch(`${PATHS.widgets}${fixture.unknownId}/`, { name: "x" }), 404)
      const { path } = await widget(fixture)
      expectFieldErrors(await fixture.patch(path, { dashboard: fixture.unknownId }), "dashboard")
    }
  ]
})
