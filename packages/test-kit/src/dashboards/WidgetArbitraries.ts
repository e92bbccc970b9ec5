import { Aggregate, DataType, Filters, TimePeriod } from "@earshot/core"
import * as fc from "fast-check"
import { fieldName, filter } from "../filters/FilterArbitraries.js"
import { METRICS } from "../filters/FilterableCalls.js"
import { text } from "../filters/Vocabulary.js"

/** A widget as a client sends it. */
export interface WidgetJson {
  readonly dashboard: number
  readonly chart_type: string
  readonly [field: string]: unknown
}

const VALUE = "metric_evaluations.value"

const typeOf = (field: string): Filters.FieldType => Filters.fieldOf(field)?.type ?? "dynamic"

/** The data types that a field allows. */
const dataTypes = (field: string): ReadonlyArray<string> => {
  switch (typeOf(field)) {
    case "integer":
    case "number":
      return ["numeric", "dynamic"]
    case "boolean":
      return ["boolean", "dynamic"]
    case "text":
    case "status":
      return ["string", "dynamic"]
    case "timestamp":
      return ["datetime", "dynamic"]
    case "dynamic":
      return DataType.literals
  }
}

/** The aggregates that apply to a field, given its data type (null: inferred). */
const aggregates = (field: string, dataType: string | null): ReadonlyArray<string> => {
  const type = typeOf(field)
  const effective = type === "dynamic" ? (dataType ?? (field === VALUE ? "numeric" : "dynamic")) : type
  switch (effective) {
    case "numeric":
    case "dynamic":
    case "number":
      return Aggregate.literals
    case "boolean":
      return ["count", "sum", "avg"]
    default:
      return ["count"]
  }
}

const fromOrNothing = (words: ReadonlyArray<string>, freq: number) =>
  fc.option(fc.constantFrom(...words), { freq, nil: null })

/** How charts are grouped; rarely into very many buckets. */
export const groupBy: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(null, {}) },
  { weight: 3, arbitrary: fieldName.map((field) => ({ type: "field", field })) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(1, 1000, 90_000, 3_600_000, 86_400_000, 604_800_000, 1_000_000_007)
      .map((interval) => ({ type: "bucket", interval }))
  }
)

const common = {
  name: text,
  filters: fc.option(filter.map(Filters.encode), { freq: 4, nil: {} }),
  group_by: groupBy,
  metadata: fc.constantFrom(null, {}, { x: 1, y: 2, w: 3 })
}

const stat = fc.record({ ...common, chart_type: fc.constant("stat"), field: fc.constantFrom("", null) })

const plot = fieldName.chain((field) =>
  fromOrNothing(dataTypes(field), 2).chain((data_type) =>
    fc.oneof(
      fc.record({
        ...common,
        chart_type: fc.constantFrom("line", "pie"),
        field: fc.constant(field),
        data_type: fc.constant(data_type)
      }),
      fc.record({
        ...common,
        chart_type: fc.constant("bar"),
        field: fc.constant(field),
        data_type: fc.constant(data_type),
        aggregation_function: fc.constantFrom(...aggregates(field, data_type)),
        time_period: fc.constantFrom(...TimePeriod.literals)
      })
    )
  )
)

const readsMetric = (widget: { readonly field: string | null; readonly group_by: unknown }): boolean =>
  JSON.stringify([widget.field, widget.group_by]).includes(VALUE)

/** A valid widget of a dashboard whose project has the numeric metrics `METRICS`. */
export const widgetJson = (dashboard = 1): fc.Arbitrary<WidgetJson> =>
  fc
    .tuple(
      fc.oneof({ weight: 1, arbitrary: stat }, { weight: 9, arbitrary: plot }),
      fc.constantFrom(...METRICS),
      fc.nat(3)
    )
    .map(([widget, metric, chance]) => ({
      dashboard,
      ...widget,
      ...(readsMetric(widget) || chance === 0 ? { metric: metric.id } : {})
    }))
