/**
 * Validation of widgets. Source: interface, Widget, "Chart rules"; docs/dashboards.md covers what the interface leaves open.
 */
import * as Either from "effect/Either"
import type { Bucket } from "../analytics/Bucket.js"
import type { Chart, StatChart } from "../analytics/Chart.js"
import { Aggregate, type DataType } from "../analytics/Measure.js"
import { type Field, fieldOf } from "../filters/Filter.js"
import {
  failIfFieldErrors,
  type FieldErrors,
  fieldError,
  mergeFieldErrors,
  noFieldErrors,
  Messages
} from "../kernel/FieldErrors.js"
import type { ProjectId } from "../kernel/Ids.js"
import type { EvalType } from "../metrics/MetricTerms.js"
import { NOT_A_FIELD, type ParsedWidget, parseWidget, type WidgetSpec } from "./WidgetSpec.js"

/** The dashboard and metric that a widget refers to; null if they do not exist for the caller. */
export interface WidgetReferences {
  readonly dashboard: { readonly projectId: ProjectId } | null
  readonly metric: { readonly projectId: ProjectId; readonly evalType: EvalType } | null
}

/** Validates a patch of a stored widget, or the draft of a new one (`stored` is null). */
export const validateWidget = (
  stored: WidgetSpec | null,
  input: unknown,
  references: WidgetReferences
): Either.Either<WidgetSpec, FieldErrors> => validateParsedWidget(parseWidget(stored, input), references)

/** `validateWidget` for a parsed input, whose dashboard and metric have been looked up. */
export const validateParsedWidget = (
  { result, spec }: ParsedWidget,
  references: WidgetReferences
): Either.Either<WidgetSpec, FieldErrors> => {
  const broken = mergeFieldErrors(
    referenceErrors(spec, references),
    chartErrors(spec),
    fieldErrors(spec, references.metric)
  )
  return Either.match(result, {
    onLeft: (errors) => Either.left(mergeFieldErrors(errors, broken)),
    onRight: (widget) => failIfFieldErrors(broken, () => widget)
  })
}

type Spec = ParsedWidget["spec"]

const referenceErrors = ({ dashboardId, metricId }: Spec, { dashboard, metric }: WidgetReferences): FieldErrors => {
  const metricExists = metric !== null && (dashboard === null || metric.projectId === dashboard.projectId)
  return mergeFieldErrors(
    dashboardId !== undefined && dashboard === null
      ? fieldError("dashboard", Messages.unknownId(dashboardId))
      : noFieldErrors,
    metricId !== undefined && metricId !== null && !metricExists
      ? fieldError("metric", Messages.unknownId(metricId))
      : noFieldErrors
  )
}

const chartErrors = (spec: Spec): FieldErrors => {
  switch (spec.chartType) {
    case undefined:
      return noFieldErrors
    case "stat":
      return spec.field === undefined || spec.field === ""
        ? noFieldErrors
        : fieldError("field", "A stat chart takes no field: it shows total calls, success rate, duration and latency.")
    case "line":
    case "pie":
      return mergeFieldErrors(
        required("field", spec.field, spec.chartType),
        notAllowed("aggregation_function", spec.aggregationFunction, spec.chartType),
        notAllowed("time_period", spec.timePeriod, spec.chartType)
      )
    case "bar":
      return mergeFieldErrors(
        required("field", spec.field, "bar"),
        required("aggregation_function", spec.aggregationFunction, "bar"),
        required("time_period", spec.timePeriod, "bar")
      )
  }
}

const required = (path: string, value: string | null | undefined, chart: string): FieldErrors =>
  value === null || value === "" ? fieldError(path, `A ${chart} chart needs ${article(path)} ${path}.`) : noFieldErrors

const notAllowed = (path: string, value: string | null | undefined, chart: string): FieldErrors =>
  value === null || value === undefined
    ? noFieldErrors
    : fieldError(path, `A ${chart} chart takes no ${path}; leave it out or set it to null.`)

const article = (word: string): string => (/^[aeiou]/.test(word) ? "an" : "a")

const VALUE = "metric_evaluations.value"

const fieldErrors = (spec: Spec, metric: WidgetReferences["metric"]): FieldErrors => {
  const name = spec.chartType === "stat" ? "" : (spec.field ?? "")
  const field = fieldOf(name)
  const readsMetric =
    name === VALUE || (spec.chartType !== "stat" && spec.groupBy?.type === "field" && spec.groupBy.field === VALUE)
  return mergeFieldErrors(
    name !== "" && field === undefined ? fieldError("field", NOT_A_FIELD) : noFieldErrors,
    readsMetric && spec.metricId === null
      ? fieldError("metric", `${Messages.required} ${VALUE} is of one metric.`)
      : noFieldErrors,
    field === undefined || spec.dataType === undefined ? noFieldErrors : dataTypeErrors(field, spec.dataType),
    field === undefined || spec.dataType === undefined || spec.chartType !== "bar"
      ? noFieldErrors
      : aggregateErrors(field, effectiveType(field, spec.dataType, metric?.evalType), spec.aggregationFunction)
  )
}

const dataTypeErrors = (field: Field, given: DataType | null): FieldErrors => {
  const own = ownType(field)
  return given === null || given === "dynamic" || own === "dynamic" || given === own
    ? noFieldErrors
    : fieldError("data_type", `This field is ${own}, not ${given}.`)
}

const aggregateErrors = (field: Field, type: DataType, given: Aggregate | null | undefined): FieldErrors => {
  const possible = aggregatesOf(field, type)
  return given === null || given === undefined || possible.includes(given)
    ? noFieldErrors
    : fieldError("aggregation_function", `"${given}" cannot be applied to this field; use ${possible.join(" or ")}.`)
}

/** The aggregates that apply to a field. Identifiers can only be counted. */
const aggregatesOf = (field: Field, type: DataType): ReadonlyArray<Aggregate> => {
  if (field.type === "integer") return ["count"]
  switch (type) {
    case "numeric":
    case "dynamic":
      return Aggregate.literals
    case "boolean":
      return ["count", "sum", "avg"]
    case "string":
    case "datetime":
      return ["count"]
  }
}

/** The type of a field's values by its name; `dynamic` for documents and metrics. */
const ownType = (field: Field): DataType => {
  switch (field.type) {
    case "integer":
    case "number":
      return "numeric"
    case "boolean":
      return "boolean"
    case "text":
    case "status":
      return "string"
    case "timestamp":
      return "datetime"
    case "dynamic":
      return "dynamic"
  }
}

/** The type of a metric's values. Source: interface, Metric.eval_type. */
const metricType = (evalType: EvalType): DataType => {
  switch (evalType) {
    case "numeric":
    case "continuous_qualitative":
      return "numeric"
    case "binary":
    case "binary_workflow_adherence":
      return "boolean"
    case "enum":
      return "string"
  }
}

/**
 * The type of a field's values: by the field's name, otherwise as given by the client, otherwise by the metric, otherwise
 * `dynamic`.
 */
export const effectiveType = (field: Field, given: DataType | null, evalType: EvalType | undefined): DataType => {
  const own = ownType(field)
  if (own !== "dynamic") return own
  if (given !== null) return given
  return field.of === "evaluation" && evalType !== undefined ? metricType(evalType) : "dynamic"
}

/** The chart of a widget other than a stat; undefined if it violates the chart rules. */
export const plotOf = (spec: WidgetSpec, evalType: EvalType | undefined): Exclude<Chart, StatChart> | undefined => {
  if (spec.chartType === "stat") return undefined
  const field = fieldOf(spec.field)
  const group = groupOf(spec)
  if (field === undefined || group === undefined) return undefined
  const plot = { field, group, dataType: effectiveType(field, spec.dataType, evalType) }
  switch (spec.chartType) {
    case "line":
    case "pie":
      return { type: spec.chartType, ...plot }
    case "bar": {
      const { aggregationFunction: aggregate, timePeriod: period } = spec
      return aggregate === null || period === null
        ? undefined
        : { type: "bar", ...plot, aggregate, period: { by: "period", period } }
    }
  }
}

const groupOf = ({ groupBy }: WidgetSpec): Field | Bucket | null | undefined =>
  groupBy === null
    ? null
    : groupBy.type === "field"
      ? fieldOf(groupBy.field)
      : { by: "interval", milliseconds: groupBy.interval }
