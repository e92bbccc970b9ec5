/** The columns that a question's values and groups are made of, in ClickHouse's dialect. */
import { isField, MAX_MEASURE, type ValuesQuery } from "../../analytics/AnalyticsQuery.js"
import { type Bucket, ORIGIN, widthOf } from "../../analytics/Bucket.js"
import type { Aggregate } from "../../analytics/Measure.js"
import type { NamesById } from "../../analytics/ResourceNames.js"
import type { CallField, EvaluationField, Field } from "../../filters/Filter.js"
import { CALL_COLUMNS } from "./ColumnFilter.js"
import { valueAt } from "./Documents.js"
import type { Parameters } from "./Statement.js"

/**
 * Documents and metrics hold values of several types, so a value takes up to three columns: in a row all but one of them
 * are NULL, or all where there is no value.
 */
export interface Part {
  readonly of: "flag" | "number" | "text"
  readonly value: string
}

export interface PartContext {
  readonly parameters: Parameters
  readonly agents: NamesById
  readonly metrics: NamesById
}

/** The name under an id; NULL if there is none. */
const nameOf = (column: string, names: NamesById, { parameters }: PartContext): string =>
  names.size === 0
    ? "CAST(NULL AS Nullable(String))"
    : `transform(${column}, ${parameters.integers([...names.keys()])}, ${parameters.texts([...names.values()])}, NULL)`

/** Booleans are 0 and 1. */
const flag = (value: string): string => `CAST(${value} AS Nullable(UInt8))`

const partsOf = (field: Field, context: PartContext): ReadonlyArray<Part> => {
  switch (field.of) {
    case "document":
      return [
        { of: "flag", value: flag(valueAt(field.name, "f", field.path)) },
        { of: "number", value: valueAt(field.name, "n", field.path) },
        { of: "text", value: valueAt(field.name, "t", field.path) }
      ]
    case "evaluation":
      return partsOfEvaluation(field.name, context)
    case "call":
      return [
        partOfCall(field.name, field.type === "boolean" ? "flag" : field.type === "text" ? "text" : "number", context)
      ]
  }
}

const partOfCall = (name: CallField, of: Part["of"], context: PartContext): Part => {
  switch (name) {
    case "agent.agent_name":
      return { of: "text", value: nameOf("agent_id", context.agents, context) }
    case "status":
      return {
        of: "text",
        value: `multiIf(isNull(success), NULL, success = 1, if(is_reviewed = 1, 'reviewed_success', 'success'),
          if(is_reviewed = 1, 'reviewed_failure', 'failure'))`
      }
    case "trace_id":
      return { of, value: "nullIf(trace_id, '')" }
    default:
      return { of, value: CALL_COLUMNS[name] }
  }
}

const partsOfEvaluation = (name: EvaluationField, context: PartContext): ReadonlyArray<Part> => {
  switch (name) {
    case "metric_evaluations.value":
      return [
        { of: "flag", value: flag("if(value_kind = 'boolean', value_number, NULL)") },
        { of: "number", value: "if(value_kind = 'number', value_number, NULL)" },
        { of: "text", value: "value_text" }
      ]
    case "metric_evaluations.metric.id":
      return [{ of: "number", value: "metric_id" }]
    case "metric_evaluations.metric.name":
      return [{ of: "text", value: nameOf("metric_id", context.metrics, context) }]
  }
}

/** A number that is not out of bounds, else NULL. */
export const measure = (value: string): string => `if(abs(${value}) <= ${MAX_MEASURE}, ${value}, NULL)`

/** The parts of a field that count for values of this type; see `ReferenceAnalytics` in the test kit. */
export const valueParts = ({ dataType, field }: ValuesQuery, context: PartContext): ReadonlyArray<Part> => {
  const isWanted = (part: Part): boolean => {
    switch (dataType) {
      case "numeric":
        return part.of === "number"
      case "boolean":
        return part.of === "flag"
      case "string":
        return part.of === "text"
      case "datetime":
        return part.of === (field.type === "timestamp" ? "number" : "text")
      case "dynamic":
        return true
    }
  }
  const isBounded = field.type === "number" || field.type === "dynamic"
  return partsOf(field, context)
    .filter(isWanted)
    .map((part) => (isBounded && part.of === "number" ? { ...part, value: measure(part.value) } : part))
}

/** The parts of what divides values: a field, or the start of the bucket of their time. */
export const groupParts = (group: Field | Bucket | null, context: PartContext): ReadonlyArray<Part> =>
  group === null
    ? []
    : isField(group)
      ? partsOf(group, context)
      : [{ of: "number", value: bucketStart(group, "timestamp_ms") }]

const DAY = 86_400_000

/** Division that rounds down, also of negative numbers. */
const floorDivided = (value: string, by: number): string => `intDiv(${value} - positiveModulo(${value}, ${by}), ${by})`

/** Later than any time is early, in milliseconds. */
const ERA = 9e15

/**
 * When the bucket begins that a time is in, as `bucketStart` says it, in epoch milliseconds. Times are made positive, since
 * a division that rounds towards zero is the fastest one.
 */
export const bucketStart = (bucket: Bucket, time: string): string => {
  const width = widthOf(bucket)
  if (width === undefined) return startOfMonth(time)
  const shift = BigInt(Math.ceil(ERA / width)) * BigInt(width) - BigInt(ORIGIN)
  return `intDiv(${time} + ${shift}, ${width}) * ${width} - ${shift}`
}

/**
 * The engine's dates end in 2299, so the day of the month is computed, by the algorithm `civil_from_days` of
 * https://howardhinnant.github.io/date_algorithms.html. Years begin in March there.
 */
const startOfMonth = (time: string): string => {
  const day = floorDivided(time, DAY)
  const dayOfEra = `positiveModulo(${day} + 719468, 146097)`
  const year = `intDiv(${dayOfEra} - intDiv(${dayOfEra}, 1460) + intDiv(${dayOfEra}, 36524) - intDiv(${dayOfEra}, 146096), 365)`
  const dayOfYear = `(${dayOfEra} - (365 * ${year} + intDiv(${year}, 4) - intDiv(${year}, 100)))`
  const dayOfMonth = `(${dayOfYear} - intDiv(153 * intDiv(5 * ${dayOfYear} + 2, 153) + 2, 5))`
  return `(${day} - ${dayOfMonth}) * ${DAY}`
}

/** One aggregate of the values in a group of rows. Sums are compensated for rounding, percentiles exact. */
export const aggregateOf = (what: Aggregate, parts: ReadonlyArray<Part>): string => {
  const columns = parts.map(({ of }) => `v_${of}`)
  const value = `toFloat64(assumeNotNull(${columns.length === 1 ? columns[0] : `coalesce(${columns.join(", ")})`}))`
  switch (what) {
    case "count":
      return "toFloat64(count())"
    case "sum":
      return `sumKahan(${value})`
    case "avg":
      return `sumKahan(${value}) / count()`
    case "min":
    case "max":
      return `${what}(${value})`
    case "p50":
      return `quantileExactInclusive(0.5)(${value})`
    case "p95":
      return `quantileExactInclusive(0.95)(${value})`
    case "p99":
      return `quantileExactInclusive(0.99)(${value})`
  }
}

/** The order of keys among equals: none, booleans, numbers, texts. Texts are compared by their bytes, as by code points. */
export const keyOrder = (prefix: "g" | "v", parts: ReadonlyArray<Part>): string =>
  [
    `multiIf(${parts.map(({ of }, index) => `isNotNull(${prefix}_${of}), ${index + 1}, `).join("")}0)`,
    ...parts.map(({ of }) => `${prefix}_${of}`)
  ].join(", ")
