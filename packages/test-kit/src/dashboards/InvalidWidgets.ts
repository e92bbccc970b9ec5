import * as fc from "fast-check"

/** A fault in one field of a widget, whatever the others are. */
export interface Breakage {
  /** What is written into the widget. */
  readonly patch: { readonly [field: string]: unknown }
  /** The path that the fault is keyed by. */
  readonly path: string
}

const breakage = (path: string, patch: Breakage["patch"]): Breakage => ({ path, patch })

const lone = String.fromCharCode(0xd800)

/** Each is a fault by itself; two of different fields are two. */
export const breakages: ReadonlyArray<Breakage> = [
  breakage("dashboard", { dashboard: null }),
  breakage("dashboard", { dashboard: "one" }),
  breakage("dashboard", { dashboard: 2 ** 53 }),
  breakage("name", { name: "n".repeat(256) }),
  breakage("name", { name: "nul \0" }),
  breakage("name", { name: lone }),
  breakage("name", { name: 5 }),
  breakage("chart_type", { chart_type: "area" }),
  breakage("chart_type", { chart_type: null }),
  breakage("chart_type", { chart_type: ["bar"] }),
  breakage("filters.op", { filters: { field: "duration", op: "near", value: 1 } }),
  breakage("filters.conditions[1].field", {
    filters: { operator: "and", conditions: [{}, { field: "colour", op: "eq", value: 1 }] }
  }),
  breakage("filters", { filters: "today" }),
  breakage("data_type", { data_type: "colour" }),
  breakage("data_type", { data_type: 1 }),
  breakage("field", { field: "f".repeat(256) }),
  breakage("field", { field: { name: "duration" } }),
  breakage("metric", { metric: -1 }),
  breakage("metric", { metric: 1.5 }),
  breakage("metric", { metric: {} }),
  breakage("time_period", { time_period: "year" }),
  breakage("aggregation_function", { aggregation_function: "p90" }),
  breakage("group_by", { group_by: "agent.id" }),
  breakage("group_by", { group_by: [] }),
  breakage("group_by.type", { group_by: { field: "agent.id" } }),
  breakage("group_by.type", { group_by: { type: "colour" } }),
  breakage("group_by.field", { group_by: { type: "field" } }),
  breakage("group_by.field", { group_by: { type: "field", field: "colour" } }),
  breakage("group_by.field", { group_by: { type: "field", field: "metadata" } }),
  breakage("group_by.interval", { group_by: { type: "bucket" } }),
  breakage("group_by.interval", { group_by: { type: "bucket", interval: 0 } }),
  breakage("group_by.interval", { group_by: { type: "bucket", interval: 0.5 } }),
  breakage("group_by.interval", { group_by: { type: "bucket", interval: 1e12 } }),
  breakage("metadata", { metadata: { text: "x".repeat(70_000) } }),
  breakage("metadata", { metadata: { ["__proto__"]: 1 } }),
  breakage("metadata", { metadata: { big: 2 ** 60 } })
]

/** Faults in fields of their own each. */
export const severalBreakages: fc.Arbitrary<ReadonlyArray<Breakage>> = fc.uniqueArray(fc.constantFrom(...breakages), {
  minLength: 1,
  maxLength: 5,
  selector: ({ patch }) => Object.keys(patch).join()
})

/** Anything at all that a body may hold where a widget is expected. */
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
