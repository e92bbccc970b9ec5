/**
 * The filter language of dashboards, widgets and call lists. Source: interface, Filter; what it leaves open is written
 * down in docs/filters.md.
 */
import { isWithin, textError } from "../kernel/Text.js"

/** The operators of a leaf. */
export const LEAF_OPERATORS = [
  "eq",
  "neq",
  "gt",
  "gte",
  "lt",
  "lte",
  "contains",
  "startswith",
  "endswith",
  "in",
  "isnull",
  "regex"
] as const
export type LeafOperator = (typeof LEAF_OPERATORS)[number]

/** How a group combines its conditions; `same_row` applies all of them to the same metric evaluation. */
export const GROUP_OPERATORS = ["and", "or", "not", "same_row"] as const
export type GroupOperator = (typeof GROUP_OPERATORS)[number]

export type Scalar = string | number | boolean

/** A condition on one field. The value is what the client sent: `today-7d` stays `today-7d`. */
export interface Leaf {
  readonly field: string
  readonly op: LeafOperator
  /** A list for `in`, a boolean for `isnull`. */
  readonly value: Scalar | ReadonlyArray<Scalar>
}

export interface Group {
  readonly operator: GroupOperator
  readonly conditions: ReadonlyArray<Condition>
}

export type Condition = Leaf | Group

/** A filter of calls; null is the empty filter, which matches every call. */
export type Filter = Condition | null

export const isGroup = (condition: Condition): condition is Group => "operator" in condition

/** The condition that matches every call. Used only where null cannot be: in a `not`. */
export const MATCH_ALL: Group = { operator: "and", conditions: [] }

export const isMatchAll = (condition: Condition): boolean =>
  isGroup(condition) && condition.operator !== "not" && condition.conditions.length === 0

/**
 * - `integer`: an identifier
 * - `number`: finite
 * - `text`: compared by code point, case-sensitively
 * - `status`: one of `STATUSES`
 * - `timestamp`: an ISO 8601 or a relative time (see `RelativeTime`)
 * - `dynamic`: any value of a JSON document or a metric; equal only to a value of the same type
 */
export type FieldType = "integer" | "number" | "boolean" | "text" | "status" | "timestamp" | "dynamic"

/** The statuses of a call. Source: interface, Call record. */
export const STATUSES = ["success", "failure", "reviewed_success", "reviewed_failure"] as const
export type Status = (typeof STATUSES)[number]

/** The status of a call, derived from its success and its review; null while success is null. */
export const statusOf = (success: boolean | null, isReviewed: boolean): Status | null =>
  success === null ? null : `${isReviewed ? "reviewed_" : ""}${success ? "success" : "failure"}`

const CALL_FIELDS = {
  id: "integer",
  call_id: "text",
  success: "boolean",
  duration: "number",
  customer_number: "text",
  call_ended_reason: "text",
  dropoff_point: "text",
  topic: "text",
  timestamp: "timestamp",
  is_reviewed: "boolean",
  status: "status",
  feedback: "text",
  trace_id: "text",
  "agent.id": "integer",
  "agent.agent_name": "text"
} as const satisfies Record<string, FieldType>
export type CallField = keyof typeof CALL_FIELDS

const EVALUATION_FIELDS = {
  "metric_evaluations.value": "dynamic",
  "metric_evaluations.metric.id": "integer",
  "metric_evaluations.metric.name": "text"
} as const satisfies Record<string, FieldType>
export type EvaluationField = keyof typeof EVALUATION_FIELDS

/** The JSON documents of a call that a field may address. */
export const DOCUMENTS = ["metadata", "dynamic_variables"] as const
export type Document = (typeof DOCUMENTS)[number]

/** A field of filters, widgets and groupings. */
export type Field =
  | { readonly of: "call"; readonly name: CallField; readonly type: FieldType }
  | { readonly of: "evaluation"; readonly name: EvaluationField; readonly type: FieldType }
  /** Keys from the document's root; a number is a key too, since paths lead through objects only. */
  | { readonly of: "document"; readonly name: Document; readonly path: ReadonlyArray<string>; readonly type: "dynamic" }

const isCallField = (name: string): name is CallField => Object.hasOwn(CALL_FIELDS, name)
const isEvaluationField = (name: string): name is EvaluationField => Object.hasOwn(EVALUATION_FIELDS, name)

/** The fixed field names; there are also `metadata.<path>` and `dynamic_variables.<path>`. */
export const FIELD_NAMES: ReadonlyArray<CallField | EvaluationField> = [
  ...Object.keys(CALL_FIELDS).filter(isCallField),
  ...Object.keys(EVALUATION_FIELDS).filter(isEvaluationField)
]

/** The longest field name, in characters. Source: interface, Widget.field. */
export const MAX_FIELD = 255

/** The most keys in a path, which bounds the parameters of a statement. */
const MAX_PATH = 10

/** The field of this name, or undefined. */
export const fieldOf = (name: string): Field | undefined => {
  if (isCallField(name)) return { of: "call", name, type: CALL_FIELDS[name] }
  if (isEvaluationField(name)) return { of: "evaluation", name, type: EVALUATION_FIELDS[name] }
  if (!isWithin(MAX_FIELD, name) || textError(name) !== undefined) return undefined
  const document = DOCUMENTS.find((one) => name.startsWith(`${one}.`))
  if (document === undefined) return undefined
  const path = name.slice(document.length + 1).split(".")
  // No stored document has a `__proto__` key.
  return path.length > MAX_PATH || path.some((key) => key === "" || key === "__proto__")
    ? undefined
    : { of: "document", name: document, path, type: "dynamic" }
}

const EQUALITY = ["eq", "neq", "in", "isnull"] as const
const ORDER = ["gt", "gte", "lt", "lte"] as const
const TEXTUAL = ["contains", "startswith", "endswith", "regex"] as const

/** The operators of each field type. */
export const OPERATORS: Readonly<Record<FieldType, ReadonlyArray<LeafOperator>>> = {
  integer: [...EQUALITY, ...ORDER],
  number: [...EQUALITY, ...ORDER],
  boolean: EQUALITY,
  text: [...EQUALITY, ...ORDER, ...TEXTUAL],
  status: [...EQUALITY, ...TEXTUAL],
  timestamp: [...EQUALITY, ...ORDER],
  dynamic: [...EQUALITY, ...ORDER, ...TEXTUAL]
}

/** The conditions that must all match: those of an `and`, however nested, or the filter itself. */
export const conjuncts = (filter: Filter): ReadonlyArray<Condition> =>
  filter === null ? [] : isGroup(filter) && filter.operator === "and" ? filter.conditions.flatMap(conjuncts) : [filter]
