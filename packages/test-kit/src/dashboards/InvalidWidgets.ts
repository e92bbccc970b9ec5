import * as fc from "fast-check"

/** An invalid value of one field of a widget, whatever the others are. */
export interface InvalidWidgetField {
  /** The fields to set. */
  readonly patch: { readonly [field: string]: unknown }
  /** The path of the expected error. */
  readonly path: string
}

const invalidField = (path: string, patch: InvalidWidgetField["patch"]): InvalidWidgetField => ({ path, patch })

const lone = String.fromCharCode(0xd800)

/** Each is an error; two in different fields are two errors. */
export const invalidWidgetFields: ReadonlyArray<InvalidWidgetField> = [
  invalidField("dashboard", { dashboard: null }),
  invalidField("dashboard", { dashboard: "one" }),
  invalidField("dashboard", { dashboard: 2 ** 53 }),
  invalidField("name", { name: "n".repeat(256) }),
  invalidField("name", { name: "nul \0" }),
  invalidField("name", { name: lone }),
  invalidField("name", { name: 5 }),
  invalidField("chart_type", { chart_type: "area" }),
  invalidField("chart_type", { chart_type: null }),
  invalidField("chart_type", { chart_type: ["bar"] }),
  invalidField("filters.op", { filters: { field: "duration", op: "near", value: 1 } }),
  invalidField("filters.conditions[1].field", {
    filters: { operator: "and", conditions: [{}, { field: "color", op: "eq", value: 1 }] }
  }),
  invalidField("filters", { filters: "today" }),
  invalidField("data_type", { data_type: "color" }),
  invalidField("data_type", { data_type: 1 }),
  invalidField("field", { field: "f".repeat(256) }),
  invalidField("field", { field: { name: "duration" } }),
  invalidField("metric", { metric: -1 }),
  invalidField("metric", { metric: 1.5 }),
  invalidField("metric", { metric: {} }),
  invalidField("time_period", { time_period: "year" }),
  invalidField("aggregation_function", { aggregation_function: "p90" }),
  invalidField("group_by", { group_by: "agent.id" }),
  invalidField("group_by", { group_by: [] }),
  invalidField("group_by.type", { group_by: { field: "agent.id" } }),
  invalidField("group_by.type", { group_by: { type: "color" } }),
  invalidField("group_by.field", { group_by: { type: "field" } }),
  invalidField("group_by.field", { group_by: { type: "field", field: "color" } }),
  invalidField("group_by.field", { group_by: { type: "field", field: "metadata" } }),
  invalidField("group_by.interval", { group_by: { type: "bucket" } }),
  invalidField("group_by.interval", { group_by: { type: "bucket", interval: 0 } }),
  invalidField("group_by.interval", { group_by: { type: "bucket", interval: 0.5 } }),
  invalidField("group_by.interval", { group_by: { type: "bucket", interval: 1e12 } }),
  invalidField("metadata", { metadata: { text: "x".repeat(70_000) } }),
  invalidField("metadata", { metadata: { ["__proto__"]: 1 } }),
  invalidField("metadata", { metadata: { big: 2 ** 60 } })
]

/** Invalid values of different fields. */
export const severalInvalidFields: fc.Arbitrary<ReadonlyArray<InvalidWidgetField>> = fc.uniqueArray(
  fc.constantFrom(...invalidWidgetFields),
  {
    minLength: 1,
    maxLength: 5,
    selector: ({ patch }) => Object.keys(patch).join()
  }
)

/** Any input where a widget is expected. */
export const anyInput: fc.Arbitrary<unknown> = fc.oneof(
  fc.anything(),
  fc.dictionary(
    fc.constantFrom(
      "dashboard",
      "name",
      "chart_type",
      "filters",
      "data_type",
      "field",
      "metric",
      "time_period",
      "aggregation_function",
      "group_by",
      "metadata",
      "id",
      "effective_filters"
    ),
    fc.oneof(fc.anything({ withNullPrototype: true }), fc.constantFrom("bar", "day", "avg", "duration", 1, {}, null))
  )
)
