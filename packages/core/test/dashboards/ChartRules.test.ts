import {
  validateWidget,
  plotOf,
  ProjectId,
  type WidgetReferences,
  WidgetDraft,
  WidgetPatch,
  type WidgetSpec
} from "@earshot/core"
import { DashboardKit } from "@earshot/test-kit"
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { effectiveType } from "../../src/dashboards/ChartRules.js"
import { fieldOf } from "../../src/filters/Filter.js"

const references: WidgetReferences = {
  dashboard: { projectId: ProjectId.make(1) },
  metric: { projectId: ProjectId.make(1), evalType: "numeric" }
}

const errorsOf = (input: object, stored: WidgetSpec | null = null, fixture: WidgetReferences = references) =>
  Either.match(validateWidget(stored, stored === null ? { dashboard: 1, ...input } : input, fixture), {
    onLeft: (errors) => errors,
    onRight: () => ({})
  })

const widget = (input: object): WidgetSpec =>
  Either.getOrThrow(validateWidget(null, { dashboard: 1, ...input }, references))

describe("the chart rules", () => {
  for (const { check, name } of DashboardKit.chartRuleProperties(validateWidget, references)) it(name, check)

  it("require a dashboard and a chart type", () => {
    expect(Either.flip(validateWidget(null, {}, references)).pipe(Either.getOrThrow)).toEqual({
      dashboard: ["This field is required."],
      chart_type: ["This field is required."]
    })
    expect(Either.flip(validateWidget(null, [], references)).pipe(Either.getOrThrow)).toMatchObject({
      non_field_errors: ["Expected an object."]
    })
  })

  it("accept values at the limits of every field and reject values beyond", () => {
    const wide = (count: number) => "\u{1f600}".repeat(count)
    const pie = { chart_type: "pie", field: "success" }
    const grouped = (group_by: object) => ({ ...pie, group_by })
    const limits: ReadonlyArray<readonly [within: object, beyond: object, path: string]> = [
      [{ ...pie, name: wide(255) }, { ...pie, name: wide(256) }, "name"],
      [{ ...pie, field: `metadata.${wide(246)}` }, { ...pie, field: `metadata.${wide(247)}` }, "field"],
      [
        grouped({ type: "field", field: `metadata.${wide(246)}` }),
        grouped({ type: "field", field: `metadata.${wide(247)}` }),
        "group_by.field"
      ],
      [grouped({ type: "bucket", interval: 1 }), grouped({ type: "bucket", interval: 0 }), "group_by.interval"],
      [
        grouped({ type: "bucket", interval: 366 * 86_400_000 }),
        grouped({ type: "bucket", interval: 366 * 86_400_000 + 1 }),
        "group_by.interval"
      ],
      [{ ...pie, metadata: "x".repeat(65_534) }, { ...pie, metadata: "x".repeat(65_535) }, "metadata"]
    ]
    for (const [within, beyond, path] of limits) {
      expect(errorsOf(within)).toEqual({})
      expect(Object.keys(errorsOf(beyond))).toEqual([path])
    }
  })

  it("require a field for line and pie charts and allow no aggregation", () => {
    for (const chart_type of ["line", "pie"]) {
      expect(errorsOf({ chart_type, field: "duration" })).toEqual({})
      expect(errorsOf({ chart_type, field: "", aggregation_function: "avg", time_period: "day" })).toEqual({
        field: [`A ${chart_type} chart needs a field.`],
        aggregation_function: [`A ${chart_type} chart takes no aggregation_function; leave it out or set it to null.`],
        time_period: [`A ${chart_type} chart takes no time_period; leave it out or set it to null.`]
      })
      expect(errorsOf({ chart_type, field: "success", aggregation_function: "", time_period: "" })).toEqual({})
    }
  })

  it("require a field, an aggregation function and a time period for bar charts", () => {
    expect(errorsOf({ chart_type: "bar" })).toEqual({
      field: ["A bar chart needs a field."],
      aggregation_function: ["A bar chart needs an aggregation_function."],
      time_period: ["A bar chart needs a time_period."]
    })
    expect(
      errorsOf({ chart_type: "bar", field: "duration", aggregation_function: "p95", time_period: "week" })
    ).toEqual({})
  })

  it("accept only aggregates that apply to the field", () => {
    const every = ["count", "sum", "avg", "min", "max", "p50", "p95", "p99"]
    const taken = (field: string, more: object = {}) =>
      every.filter((aggregation_function) => {
        const bar = { chart_type: "bar", time_period: "day", field, aggregation_function, ...more }
        return Object.keys(errorsOf(bar)).length === 0
      })
    for (const field of ["duration", "metadata.price", "dynamic_variables.n"]) expect(taken(field)).toEqual(every)
    expect(taken("metric_evaluations.value", { metric: 1 })).toEqual(every)
    for (const field of ["success", "is_reviewed"]) expect(taken(field)).toEqual(["count", "sum", "avg"])
    expect(taken("metadata.ok", { data_type: "boolean" })).toEqual(["count", "sum", "avg"])
    expect(taken("metadata.word", { data_type: "string" })).toEqual(["count"])
    for (const field of ["id", "agent.id", "topic", "status", "timestamp", "metric_evaluations.metric.name"]) {
      expect(taken(field)).toEqual(["count"])
    }
  })

  it("allow no field for stat charts", () => {
    expect(errorsOf({ chart_type: "stat" })).toEqual({})
    expect(errorsOf({ chart_type: "stat", field: null })).toEqual({})
    expect(Object.keys(errorsOf({ chart_type: "stat", field: "duration" }))).toEqual(["field"])
  })

  it("require a metric for metric_evaluations.value, plotted or grouped by", () => {
    const field = "metric_evaluations.value"
    expect(Object.keys(errorsOf({ chart_type: "line", field }))).toEqual(["metric"])
    expect(errorsOf({ chart_type: "line", field, metric: 3 })).toEqual({})
    const group_by = { type: "field", field }
    expect(Object.keys(errorsOf({ chart_type: "pie", field: "success", group_by }))).toEqual(["metric"])
    expect(errorsOf({ chart_type: "pie", field: "metric_evaluations.metric.name" })).toEqual({})
  })

  it("reject unknown dashboards and metrics, and metrics of another project", () => {
    const messagesOf = (id: number) => [`Invalid pk "${id}" - object does not exist.`]
    const line = { chart_type: "line", field: "metric_evaluations.value", metric: 3 }
    expect(errorsOf(line, null, { ...references, metric: null })).toEqual({ metric: messagesOf(3) })
    const elsewhere: WidgetReferences["metric"] = { projectId: ProjectId.make(2), evalType: "numeric" }
    expect(errorsOf(line, null, { ...references, metric: elsewhere })).toEqual({ metric: messagesOf(3) })
    expect(errorsOf(line, null, { dashboard: null, metric: null })).toEqual({
      dashboard: messagesOf(1),
      metric: messagesOf(3)
    })
  })

  it("accept only fields of calls", () => {
    for (const field of ["duration", "metadata.region", "dynamic_variables.plan.name", "agent.agent_name", "status"]) {
      expect(errorsOf({ chart_type: "pie", field })).toEqual({})
    }
    for (const field of ["color", "metadata", "metadata.", "metadata..a", "__proto__", "DURATION", " duration"]) {
      expect(Object.keys(errorsOf({ chart_type: "pie", field }))).toEqual(["field"])
    }
  })

  it("reject aggregates that do not apply to the type of the field", () => {
    const bar = (field: string, aggregation_function: string, rest: object = {}) =>
      Object.keys(errorsOf({ chart_type: "bar", time_period: "day", field, aggregation_function, ...rest }))
    expect(bar("call_ended_reason", "avg")).toEqual(["aggregation_function"])
    expect(bar("call_ended_reason", "count")).toEqual([])
    expect(bar("success", "avg")).toEqual([])
    expect(bar("success", "p95")).toEqual(["aggregation_function"])
    expect(bar("timestamp", "max")).toEqual(["aggregation_function"])
    expect(bar("agent.id", "sum")).toEqual(["aggregation_function"])
    expect(bar("metadata.score", "avg")).toEqual([])
    expect(bar("metadata.score", "avg", { data_type: "string" })).toEqual(["aggregation_function"])
    expect(bar("metric_evaluations.value", "p99", { metric: 1 })).toEqual([])
  })

  it("accept the data type of the field, or dynamic", () => {
    expect(errorsOf({ chart_type: "line", field: "duration", data_type: "string" })).toEqual({
      data_type: ["This field is numeric, not string."]
    })
    expect(errorsOf({ chart_type: "line", field: "duration", data_type: "dynamic" })).toEqual({})
    expect(errorsOf({ chart_type: "line", field: "metadata.when", data_type: "datetime" })).toEqual({})
  })

  it("validate the result of a patch as a whole", () => {
    const bar = widget({ chart_type: "bar", field: "duration", aggregation_function: "avg", time_period: "day" })
    expect(errorsOf({ name: "Talk time", time_period: "week" }, bar)).toEqual({})
    expect(Object.keys(errorsOf({ chart_type: "pie" }, bar))).toEqual(["aggregation_function", "time_period"])
    expect(errorsOf({ chart_type: "pie", aggregation_function: null, time_period: "" }, bar)).toEqual({})
    expect(Object.keys(errorsOf({ field: "topic" }, bar))).toEqual(["aggregation_function"])
    expect(Object.keys(errorsOf({ chart_type: "stat" }, bar))).toEqual(["field"])
    expect(Object.keys(errorsOf({ field: null }, bar))).toEqual(["field"])
    expect(Object.keys(errorsOf({ chart_type: null }, bar))).toEqual(["chart_type"])
  })

  it("report every error under its path", () => {
    expect(
      Object.keys(
        errorsOf({
          name: "n".repeat(256),
          chart_type: "bar",
          field: "color",
          time_period: "year",
          group_by: { type: "bucket", interval: -1 },
          filters: { operator: "and", conditions: [{ field: "duration", op: "near", value: 1 }] },
          metadata: { big: 2 ** 60 }
        })
      ).sort()
    ).toEqual([
      "aggregation_function",
      "field",
      "filters.conditions[0].op",
      "group_by.interval",
      "metadata",
      "name",
      "time_period"
    ])
  })

  it("report an undecodable field once", () => {
    const messagesOf = (value: string) => [expect.stringContaining(`"${value}" is not a valid choice. Choose from `)]
    const bar = { chart_type: "bar", field: "duration", aggregation_function: "avg", time_period: "day" }
    const cases: ReadonlyArray<readonly [input: object, errors: object]> = [
      [{ chart_type: "stat", field: 5 }, { field: ["Not a valid string."] }],
      [{ chart_type: "line", field: 5 }, { field: ["Not a valid string."] }],
      [
        { chart_type: "line", field: "duration", aggregation_function: "p90", time_period: "year" },
        { aggregation_function: messagesOf("p90"), time_period: messagesOf("year") }
      ],
      [{ ...bar, aggregation_function: "p90" }, { aggregation_function: messagesOf("p90") }],
      [{ ...bar, data_type: "color" }, { data_type: messagesOf("color") }],
      [{ ...bar, metric: "x" }, { metric: ["A valid integer is required."] }],
      [{ ...bar, aggregation_function: null }, { aggregation_function: ["A bar chart needs an aggregation_function."] }]
    ]
    for (const [input, errors] of cases) {
      expect([input, errorsOf(input)]).toEqual([input, errors])
      expect([input, errorsOf(input, null, { ...references, metric: null })]).toEqual([input, errors])
    }
  })

  it("report specific messages", () => {
    const field = "metric_evaluations.value"
    const notAField =
      "Not a field of calls. Use a field such as duration, success, call_ended_reason or metadata.<key>."
    const needsMetric = ["This field is required. metric_evaluations.value is of one metric."]
    const pie = { chart_type: "pie", field: "success" }
    const grouped = (group_by: unknown) => ({ ...pie, group_by })
    const cases: ReadonlyArray<readonly [input: object, errors: object]> = [
      [
        { chart_type: "stat", field: "color" },
        { field: ["A stat chart takes no field: it shows total calls, success rate, duration and latency."] }
      ],
      [{ chart_type: "stat", group_by: { type: "field", field } }, {}],
      [{ chart_type: "pie", field: "color" }, { field: [notAField] }],
      [{ chart_type: "pie", field }, { metric: needsMetric }],
      [grouped({ type: "field", field }), { metric: needsMetric }],
      [grouped({ type: "field", field: "color" }), { "group_by.field": [notAField] }],
      [grouped({ type: "field", field: " " }), { "group_by.field": ["This field may not be blank."] }],
      [grouped({ type: "field" }), { "group_by.field": ["This field is required."] }],
      [grouped({ type: "bucket" }), { "group_by.interval": ["This field is required."] }],
      [grouped({ interval: 5 }), { "group_by.type": ["This field is required."] }],
      [
        grouped({ type: "color" }),
        { "group_by.type": [expect.stringContaining('"color" is not a valid choice. Choose from ')] }
      ],
      [grouped("agent.id"), { group_by: ["Expected an object."] }],
      [
        { chart_type: "line", field: "topic", aggregation_function: "avg" },
        { aggregation_function: ["A line chart takes no aggregation_function; leave it out or set it to null."] }
      ],
      [
        { chart_type: "bar", field: "success", aggregation_function: "p95", time_period: "day" },
        { aggregation_function: ['"p95" cannot be applied to this field; use count or sum or avg.'] }
      ],
      [{ ...pie, metadata: { a: "\0" } }, { metadata: ["Null characters are not allowed."] }],
      [
        { ...pie, metadata: "x".repeat(65_535) },
        { metadata: ["Ensure this value has no more than 65536 characters as JSON."] }
      ]
    ]
    for (const [input, errors] of cases) expect([input, errorsOf(input)]).toEqual([input, errors])
  })

  it("accept metadata up to the depth limit and reject deeper nesting", () => {
    const nested = (levels: number): unknown => {
      let value: unknown = 1
      for (let i = 0; i < levels; i++) value = [value]
      return value
    }
    const pie = { chart_type: "pie", field: "success" }
    expect(errorsOf({ ...pie, metadata: nested(10) })).toEqual({})
    expect(Object.keys(errorsOf({ ...pie, metadata: nested(100_000) }))).toEqual(["metadata"])
  })

  it("report an id only as missing or unknown", () => {
    const nothing: WidgetReferences = { dashboard: null, metric: null }
    expect(Either.flip(validateWidget(null, { chart_type: "stat" }, nothing))).toEqual(
      Either.right({ dashboard: ["This field is required."] })
    )
    const unknown = ['Invalid pk "1" - object does not exist.']
    expect(errorsOf({ chart_type: "stat", metric: 3 }, null, { ...references, dashboard: null })).toEqual({
      dashboard: unknown
    })
    expect(errorsOf({ chart_type: "stat" }, null, nothing)).toEqual({ dashboard: unknown })
  })

  it("treat blank and undefined as null, and default the name to blank", () => {
    const spec = widget({
      chart_type: "line",
      field: "duration",
      metric: "",
      data_type: undefined,
      group_by: undefined
    })
    expect(spec).toEqual({
      dashboardId: 1,
      name: "",
      chartType: "line",
      filters: { given: null, filter: null },
      dataType: null,
      field: "duration",
      metricId: null,
      timePeriod: null,
      aggregationFunction: null,
      groupBy: null,
      metadata: null
    })
    expect(widget({ chart_type: "line", field: "duration", name: null }).name).toBe("")
  })

  it("treat an empty group_by as no grouping", () => {
    for (const group_by of [null, {}, ""]) {
      expect(widget({ chart_type: "line", field: "duration", group_by }).groupBy).toBe(null)
    }
    expect(widget({ chart_type: "line", field: "duration" }).groupBy).toBe(null)
  })
})

describe("an omitted data type", () => {
  const infer = (name: string, evalType?: Parameters<typeof effectiveType>[2]) =>
    effectiveType(fieldOf(name)!, null, evalType)

  it("is inferred from the field or the metric, otherwise dynamic", () => {
    expect(infer("duration")).toBe("numeric")
    expect(infer("agent.id")).toBe("numeric")
    expect(infer("success")).toBe("boolean")
    expect(infer("status")).toBe("string")
    expect(infer("timestamp")).toBe("datetime")
    expect(infer("metadata.region")).toBe("dynamic")
    expect(infer("metric_evaluations.value", "binary")).toBe("boolean")
    expect(infer("metric_evaluations.value", "continuous_qualitative")).toBe("numeric")
    expect(infer("metric_evaluations.value", "enum")).toBe("string")
  })

  it("is inferred from the metric only for fields of evaluations", () => {
    expect(infer("metadata.region", "binary")).toBe("dynamic")
    expect(infer("metric_evaluations.value")).toBe("dynamic")
    expect(infer("metric_evaluations.value", "numeric")).toBe("numeric")
    expect(infer("metric_evaluations.value", "binary_workflow_adherence")).toBe("boolean")
    expect(effectiveType(fieldOf("metric_evaluations.value")!, "string", "binary")).toBe("string")
  })
})

describe("the chart of a widget", () => {
  const bar = widget({ chart_type: "bar", field: "success", aggregation_function: "avg", time_period: "week" })
  const success = fieldOf("success")

  it("plots the field of the widget", () => {
    expect(plotOf(bar, undefined)).toEqual({
      type: "bar",
      field: success,
      group: null,
      dataType: "boolean",
      aggregate: "avg",
      period: { by: "period", period: "week" }
    })
    expect(
      plotOf(widget({ chart_type: "pie", field: "success", group_by: { type: "field", field: "topic" } }), undefined)
    ).toEqual({ type: "pie", field: success, group: fieldOf("topic"), dataType: "boolean" })
    expect(
      plotOf(widget({ chart_type: "line", field: "success", group_by: { type: "bucket", interval: 5 } }), undefined)
    ).toEqual({ type: "line", field: success, group: { by: "interval", milliseconds: 5 }, dataType: "boolean" })
  })

  it("is undefined for a stat and for an invalid widget", () => {
    expect(plotOf(widget({ chart_type: "stat" }), undefined)).toBe(undefined)
    expect(plotOf({ ...bar, field: "color" }, undefined)).toBe(undefined)
    expect(plotOf({ ...bar, groupBy: { type: "field", field: "color" } }, undefined)).toBe(undefined)
    expect(plotOf({ ...bar, aggregationFunction: null }, undefined)).toBe(undefined)
    expect(plotOf({ ...bar, timePeriod: null }, undefined)).toBe(undefined)
  })
})

describe("the schema of a widget's input", () => {
  const text = (maxLength: number) => ({ anyOf: [{ type: "string", maxLength }, { type: "null" }] })
  const properties = {
    dashboard: { type: "integer", minimum: 1 },
    chart_type: { type: "string", enum: ["line", "bar", "pie", "stat"] },
    name: text(255),
    field: text(255),
    metric: { anyOf: [{ type: "integer", minimum: 1 }, { type: "null" }] },
    filters: { title: "Filter" },
    data_type: { anyOf: [{ enum: ["numeric", "boolean", "string", "datetime", "dynamic", ""] }, { type: "null" }] },
    time_period: { anyOf: [{ enum: ["hour", "day", "week", "month", ""] }, { type: "null" }] },
    aggregation_function: {
      anyOf: [{ enum: ["count", "sum", "avg", "min", "max", "p50", "p95", "p99", ""] }, { type: "null" }]
    },
    group_by: {
      description: "How the chart is grouped; null or {} for no grouping.",
      anyOf: [
        {
          type: "object",
          required: ["type", "field"],
          properties: { type: { const: "field" }, field: { type: "string", maxLength: 255 } }
        },
        {
          type: "object",
          required: ["type", "interval"],
          properties: {
            type: { const: "bucket" },
            interval: { type: "integer", minimum: 1, maximum: 366 * 86_400_000 }
          }
        },
        { type: "object", maxProperties: 0 },
        { type: "null" }
      ]
    },
    metadata: {}
  }

  it("describes what is accepted", () => {
    expect(JSONSchema.make(WidgetDraft)).toMatchObject({ required: ["dashboard", "chart_type"], properties })
    expect(JSONSchema.make(WidgetPatch)).toMatchObject({ required: [], properties })
  })

  it("encodes what was given", () => {
    const input = {
      dashboard: 1,
      chart_type: "pie",
      name: "Topics",
      field: "topic",
      metric: 3,
      filters: { field: "success", op: "eq", value: true },
      group_by: { type: "bucket", interval: 5 },
      metadata: { x: [1, null] }
    } as const
    expect(Schema.encodeSync(WidgetDraft)(Schema.decodeUnknownSync(WidgetDraft)(input))).toEqual(input)
    expect(Schema.encodeSync(WidgetPatch)(Schema.decodeUnknownSync(WidgetPatch)(input))).toEqual(input)
  })
})
