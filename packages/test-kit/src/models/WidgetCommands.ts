import * as fc from "fast-check"
import { at, listAt } from "../Documents.js"
import { expectEqual } from "../Property.js"
import { aggregateOf, chartErrors, dayOf, everything, filters, type ModelCall, type ModelWidget } from "./CallModel.js"
import { elementAt } from "./CommandSequences.js"
import { type Command, command } from "./CallModelState.js"
import { WIDGETS } from "./CallRequests.js"

export const anyFilter = fc.constantFrom(...filters)

type WidgetFields = Partial<Omit<ModelWidget, "dashboard">>

const aggregates = fc.constantFrom("count", "sum", "avg", "min", "max", "p50", "p95", "p99")

/** Fields of valid charts. */
const wholeChart: fc.Arbitrary<WidgetFields> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      chart_type: fc.constant("bar"),
      field: fc.constant("duration"),
      aggregation_function: aggregates,
      time_period: fc.constantFrom("day", "day", "day", "week"),
      filter: anyFilter
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      chart_type: fc.constantFrom("pie", "pie", "pie", "line"),
      field: fc.constantFrom("call_ended_reason", "call_ended_reason", "success", "metadata.region"),
      aggregation_function: fc.constantFrom(null, ""),
      time_period: fc.constantFrom(null, ""),
      filter: anyFilter
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      chart_type: fc.constant("stat"),
      field: fc.constant(""),
      aggregation_function: fc.constant(null),
      time_period: fc.constant(null),
      filter: anyFilter
    })
  }
)

/** Fields of widgets, many of them invalid together. */
const anyFields: fc.Arbitrary<WidgetFields> = fc.record(
  {
    chart_type: fc.constantFrom("bar", "bar", "bar", "pie", "line", "stat"),
    field: fc.constantFrom("duration", "duration", "success", "call_ended_reason", "metadata.region", ""),
    aggregation_function: fc.constantFrom("count", "sum", "avg", "min", "max", "p50", "p95", "p99", null, ""),
    time_period: fc.constantFrom("day", "week", "", null),
    filter: anyFilter
  },
  { requiredKeys: [] }
)

export const widgetFields = fc.oneof({ weight: 3, arbitrary: wholeChart }, { weight: 1, arbitrary: anyFields })

export const changedFields: fc.Arbitrary<WidgetFields> = fc.oneof(
  { weight: 2, arbitrary: wholeChart },
  { weight: 2, arbitrary: fc.record({ filter: anyFilter }) },
  { weight: 1, arbitrary: fc.record({ aggregation_function: aggregates }) },
  { weight: 2, arbitrary: anyFields }
)

const wireFields = ({ filter, ...fields }: WidgetFields) => ({
  ...fields,
  ...(filter === undefined ? {} : { filters: filter.wire })
})

const updatedWidget = (widget: ModelWidget, fields: WidgetFields): ModelWidget => {
  const whole = { ...widget, ...fields }
  const orNull = (choice: string | null) => (choice === "" ? null : choice)
  return {
    ...whole,
    aggregation_function: orNull(whole.aggregation_function),
    time_period: orNull(whole.time_period)
  }
}

const noChart = (dashboard: number): ModelWidget => ({
  dashboard,
  chart_type: "stat",
  field: "",
  aggregation_function: null,
  time_period: null,
  filter: everything
})

const sorted = (errors: ReadonlyArray<string>) => [...errors].sort()

export const makingWidget = (which: number, fields: WidgetFields): Command => {
  const chart = { chart_type: "bar", ...fields }
  return command(`make a widget ${JSON.stringify(wireFields(chart))} on ${which}`, async (model, { driver }) => {
    const dashboard = elementAt(model.dashboards.keys(), which)
    if (dashboard === undefined) return
    const widget = updatedWidget(noChart(dashboard), chart)
    const errors = sorted(chartErrors(widget))
    const answer = await driver("POST", WIDGETS, { dashboard, ...wireFields(chart) })
    expectEqual("the widget", [answer.outcome, answer.errors], [errors.length === 0 ? "created" : "refused", errors])
    model.coverage.count(errors.length === 0 ? "widget created" : "widget rejected")
    if (errors.length === 0) model.widgets.set(Number(at(answer.body, "id")), widget)
  })
}

export const changingWidget = (which: number, fields: WidgetFields): Command =>
  command(`change widget ${which} by ${JSON.stringify(wireFields(fields))}`, async (model, { driver }) => {
    const found = elementAt(model.widgets, which)
    if (found === undefined) return
    const [id, before] = found
    const widget = updatedWidget(before, fields)
    const errors = sorted(chartErrors(widget))
    const answer = await driver("PATCH", `${WIDGETS}${id}/`, wireFields(fields))
    expectEqual("the change", [answer.outcome, answer.errors], [errors.length === 0 ? "done" : "refused", errors])
    model.coverage.count(errors.length === 0 ? "widget changed" : "change of a widget rejected")
    if (errors.length === 0) model.widgets.set(id, widget)
  })

export const near = (value: unknown): unknown => (typeof value === "number" ? Number(value.toPrecision(9)) : value)

/** Compares the data of a widget with the model. */
export const showing = (which: number): Command =>
  command(`show widget ${which}`, async (model, { driver }) => {
    const found = elementAt(model.widgets, which)
    if (found === undefined) return
    const [id, widget] = found
    const outer = model.dashboards.get(widget.dashboard)
    const isIn = (call: ModelCall) => outer?.holds(call) !== false
    const calls = [...model.calls.calls].filter(([, call]) => widget.filter.holds(call) && isIn(call))
    const all = [...model.calls.calls.values()]
    if (all.some((call) => widget.filter.holds(call) && !isIn(call)))
      model.coverage.count("call excluded by the dashboard's filter")
    if (all.some((call) => isIn(call) && !widget.filter.holds(call)))
      model.coverage.count("call excluded by the widget's filter")
    const { body } = await driver("GET", `${WIDGETS}${id}/data/`)
    if (widget.chart_type === "stat") {
      const known = calls.flatMap(([, { success }]) => (success === null ? [] : [Number(success)]))
      const lengths = calls.flatMap(([, { seconds }]) => (seconds === null ? [] : [seconds]))
      const mean = (values: ReadonlyArray<number>) => (values.length === 0 ? null : aggregateOf("avg", values))
      expectEqual(
        "the figures",
        [at(body, "total_calls"), near(at(body, "success_rate")), near(at(body, "avg_duration"))],
        [calls.length, near(mean(known)), near(mean(lengths))]
      )
      if (known.length > 0 && lengths.length > 0) model.coverage.count("stat shows calls")
    }
    if (widget.chart_type === "bar" && widget.field === "duration" && widget.time_period === "day") {
      const { aggregation_function: aggregate } = widget
      const days = new Map<string, Array<number>>()
      for (const [name, { seconds }] of calls) {
        if (seconds !== null) days.set(dayOf(name), [...(days.get(dayOf(name)) ?? []), seconds])
      }
      const expected = [...days]
        .sort()
        .map(([day, values]) => [day, near(aggregateOf(aggregate ?? "", values)), values.length])
      const shown = listAt(body, "series").flatMap((series) =>
        listAt(series, "points").flatMap((point) =>
          at(point, "count") === 0 ? [] : [[at(point, "timestamp"), near(at(point, "value")), at(point, "count")]]
        )
      )
      expectEqual("the bars", shown, expected)
      if (expected.length > 0) model.coverage.count("bar shows calls")
    }
    if (widget.chart_type === "pie" && widget.field === "call_ended_reason") {
      const counts = new Map<string, number>()
      for (const [, { reason }] of calls) if (reason !== "") counts.set(reason, (counts.get(reason) ?? 0) + 1)
      const shown = listAt(body, "series").flatMap((series) =>
        listAt(series, "points").flatMap((slice) =>
          at(slice, "kind") === "value" ? [[String(at(slice, "key")), Number(at(slice, "value"))] as const] : []
        )
      )
      expectEqual("the slices", shown.toSorted(), [...counts].toSorted())
      if (counts.size > 0) model.coverage.count("pie shows calls")
    }
  })
