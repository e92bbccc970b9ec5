/**
 * The writable fields of a widget, and how an input is parsed into them. Fields are parsed one by one, so that an error in
 * one does not hide those of others, nor those that the chart rules find.
 */
import * as Either from "effect/Either"
import type * as DateTime from "effect/DateTime"
import type * as Schema from "effect/Schema"
import { Aggregate, DataType, TimePeriod } from "../analytics/Measure.js"
import { fieldOf, type Filter, MAX_FIELD } from "../filters/Filter.js"
import {
  decode,
  type FieldErrors,
  fieldError,
  mergeFieldErrors,
  noFieldErrors,
  NON_FIELD,
  Messages,
  underPath
} from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import { DashboardId, MetricId, type ProjectId, type WidgetId } from "../kernel/Ids.js"
import { isPlainObject, Json, jsonError } from "../kernel/Json.js"
import type { EvalType } from "../metrics/MetricTerms.js"
import { GivenFilter, noFilter } from "./GivenFilter.js"
import { ChartType, type GroupBy, MAX_NAME } from "./Widget.js"

/** The widest time bucket in milliseconds: a leap year. */
const MAX_INTERVAL = 366 * 86_400_000

/** The largest metadata, in characters of JSON text. */
const MAX_METADATA = 65_536

/** The stored fields of a widget. */
export interface WidgetSpec {
  readonly dashboardId: DashboardId
  readonly name: string
  readonly chartType: ChartType
  readonly filters: GivenFilter
  /** Null if it is inferred. */
  readonly dataType: DataType | null
  /** Blank if there is none. */
  readonly field: string
  readonly metricId: MetricId | null
  readonly timePeriod: TimePeriod | null
  readonly aggregationFunction: Aggregate | null
  readonly groupBy: GroupBy | null
  readonly metadata: Json
}

/** A stored widget with the properties of its dashboard and metric that it needs. */
export interface StoredWidget {
  readonly id: WidgetId
  readonly spec: WidgetSpec
  readonly projectId: ProjectId
  readonly dashboardFilter: Filter
  /** Also set if the metric has been deleted. */
  readonly metric: { readonly name: string; readonly evalType: EvalType } | null
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

/** An optional field; null and blank mean none. */
const orNone = <A, I>(field: Schema.Schema<A, I>, jsonSchema: object): Schema.Schema<A | null, I | "" | null> =>
  Fields.custom(
    (input) => (input === null || input === "" ? Either.right(null) : decode(field)(input)),
    (value) => value,
    { anyOf: [jsonSchema, { type: "null" }] }
  )

const textOrBlank = (max: number): Schema.Schema<string, string | null> => {
  const text = decode(Fields.text({ max }))
  return Fields.custom(
    (input) => (input === null ? Either.right("") : text(input)),
    (value) => value,
    { anyOf: [{ type: "string", maxLength: max }, { type: "null" }] }
  )
}

export const NOT_A_FIELD =
  "Not a field of calls. Use a field such as duration, success, call_ended_reason or metadata.<key>."

const knownField = decode(Fields.text({ max: MAX_FIELD, blank: false }))
const groupType = decode(Fields.choice(["field", "bucket"]))
const interval = decode(Fields.integer({ min: 1, max: MAX_INTERVAL }))

const parseGroupBy = (input: unknown): Either.Either<GroupBy | null, FieldErrors> => {
  if (input === null || input === "") return Either.right(null)
  if (!isPlainObject(input)) return Either.left(fieldError(NON_FIELD, Messages.notAnObject))
  if (Object.keys(input).length === 0) return Either.right(null)
  const under = <A>(
    key: string,
    read: (value: unknown) => Either.Either<A, FieldErrors>
  ): Either.Either<A, FieldErrors> =>
    input[key] === undefined
      ? Either.left(fieldError(key, Messages.required))
      : Either.mapLeft(read(input[key]), (errors) => underPath(key, errors))
  return Either.flatMap(under("type", groupType), (type): Either.Either<GroupBy, FieldErrors> => {
    switch (type) {
      case "field":
        return under("field", knownField).pipe(
          Either.filterOrLeft(
            (field) => fieldOf(field) !== undefined,
            () => fieldError("field", NOT_A_FIELD)
          ),
          Either.map((field) => ({ type, field }))
        )
      case "bucket":
        return Either.map(under("interval", interval), (milliseconds) => ({ type, interval: milliseconds }))
    }
  })
}

type GroupByInput = GroupBy | Readonly<Record<string, never>> | "" | null

const GroupByField: Schema.Schema<GroupBy | null, GroupByInput> = Fields.custom(parseGroupBy, (value) => value, {
  description: "How the chart is grouped; null or {} for no grouping.",
  anyOf: [
    {
      type: "object",
      required: ["type", "field"],
      properties: { type: { const: "field" }, field: { type: "string", maxLength: MAX_FIELD } }
    },
    {
      type: "object",
      required: ["type", "interval"],
      properties: { type: { const: "bucket" }, interval: { type: "integer", minimum: 1, maximum: MAX_INTERVAL } }
    },
    { type: "object", maxProperties: 0 },
    { type: "null" }
  ]
})

const MetadataField: Schema.Schema<Json, Json> = Fields.custom(
  (input) => {
    const wrong = jsonError(input)
    if (wrong !== undefined) return Either.left(fieldError(NON_FIELD, wrong))
    return JSON.stringify(input).length > MAX_METADATA
      ? Either.left(fieldError(NON_FIELD, `Ensure this value has no more than ${MAX_METADATA} characters as JSON.`))
      : decode(Json)(input)
  },
  (value) => value,
  {}
)

const fields = {
  dashboard: Fields.id(DashboardId),
  name: textOrBlank(MAX_NAME),
  chart_type: Fields.choice(ChartType.literals),
  filters: GivenFilter,
  data_type: Fields.choiceOrNone(DataType.literals),
  field: textOrBlank(MAX_FIELD),
  metric: orNone(Fields.id(MetricId), { type: "integer", minimum: 1 }),
  time_period: Fields.choiceOrNone(TimePeriod.literals),
  aggregation_function: Fields.choiceOrNone(Aggregate.literals),
  group_by: GroupByField,
  metadata: MetadataField
}

const patchable = {
  name: Fields.optional(fields.name),
  filters: Fields.optional(fields.filters),
  data_type: Fields.optional(fields.data_type),
  field: Fields.optional(fields.field),
  metric: Fields.optional(fields.metric),
  time_period: Fields.optional(fields.time_period),
  aggregation_function: Fields.optional(fields.aggregation_function),
  group_by: Fields.optional(fields.group_by),
  metadata: Fields.optional(fields.metadata)
}

/** The body that creates a widget, for API descriptions; `parseWidget` parses it. */
export const WidgetDraft = Fields.object({ dashboard: fields.dashboard, chart_type: fields.chart_type, ...patchable })

/** The body that updates a widget, for API descriptions; `parseWidget` parses it. Source: interface, E3. */
export const WidgetPatch = Fields.object({
  dashboard: Fields.optional(fields.dashboard),
  chart_type: Fields.optional(fields.chart_type),
  ...patchable
})

/** A parsed widget, valid or not. */
export interface ParsedWidget {
  /** The fields; those with errors are undefined. */
  readonly spec: { readonly [Key in keyof WidgetSpec]: WidgetSpec[Key] | undefined }
  /** The widget, or all field errors. */
  readonly result: Either.Either<WidgetSpec, FieldErrors>
}

/** The fields of a new widget that an input may omit. */
const defaults: Omit<WidgetSpec, "dashboardId" | "chartType"> = {
  name: "",
  filters: noFilter,
  dataType: null,
  field: "",
  metricId: null,
  timePeriod: null,
  aggregationFunction: null,
  groupBy: null,
  metadata: null
}

/**
 * Parses an input as a patch of a stored widget, or of the defaults of a new one (`stored` is null). Omitted fields stay
 * unchanged; read-only and unknown fields are ignored.
 */
export const parseWidget = (stored: WidgetSpec | null, input: unknown): ParsedWidget => {
  const body = isPlainObject(input) ? input : {}
  const base: Partial<WidgetSpec> & typeof defaults = stored ?? defaults
  const read = <A, I>(
    name: string,
    field: Schema.Schema<A, I>,
    fallback: A | undefined
  ): Either.Either<A, FieldErrors> => {
    const given = Object.hasOwn(body, name) ? body[name] : undefined
    if (given !== undefined) return Either.mapLeft(decode(field)(given), (errors) => underPath(name, errors))
    return fallback === undefined ? Either.left(fieldError(name, Messages.required)) : Either.right(fallback)
  }
  const parsed = {
    dashboardId: read("dashboard", fields.dashboard, base.dashboardId),
    name: read("name", fields.name, base.name),
    chartType: read("chart_type", fields.chart_type, base.chartType),
    filters: read("filters", fields.filters, base.filters),
    dataType: read("data_type", fields.data_type, base.dataType),
    field: read("field", fields.field, base.field),
    metricId: read("metric", fields.metric, base.metricId),
    timePeriod: read("time_period", fields.time_period, base.timePeriod),
    aggregationFunction: read("aggregation_function", fields.aggregation_function, base.aggregationFunction),
    groupBy: read("group_by", fields.group_by, base.groupBy),
    metadata: read("metadata", fields.metadata, base.metadata)
  }
  const results: ReadonlyArray<Either.Either<unknown, FieldErrors>> = Object.values(parsed)
  const errors = mergeFieldErrors(
    isPlainObject(input) ? noFieldErrors : fieldError(NON_FIELD, Messages.notAnObject),
    ...results.map((one) => (Either.isLeft(one) ? one.left : noFieldErrors))
  )
  return {
    spec: {
      dashboardId: Either.getOrUndefined(parsed.dashboardId),
      name: Either.getOrUndefined(parsed.name),
      chartType: Either.getOrUndefined(parsed.chartType),
      filters: Either.getOrUndefined(parsed.filters),
      dataType: Either.getOrUndefined(parsed.dataType),
      field: Either.getOrUndefined(parsed.field),
      metricId: Either.getOrUndefined(parsed.metricId),
      timePeriod: Either.getOrUndefined(parsed.timePeriod),
      aggregationFunction: Either.getOrUndefined(parsed.aggregationFunction),
      groupBy: Either.getOrUndefined(parsed.groupBy),
      metadata: Either.getOrUndefined(parsed.metadata)
    },
    result: isPlainObject(input) ? Either.mapLeft(Either.all(parsed), () => errors) : Either.left(errors)
  }
}
