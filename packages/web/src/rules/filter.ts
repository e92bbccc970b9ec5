/** The filter language of Earshot (docs/filters.md) as the app edits it. */

export const OPERATORS = [
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
export type Operator = (typeof OPERATORS)[number]

export const GROUPS = ["and", "or", "not", "same_row"] as const
export type GroupOperator = (typeof GROUPS)[number]

export interface Leaf {
  readonly field: string
  readonly op: Operator
  readonly value: unknown
}
export interface Group {
  readonly operator: GroupOperator
  readonly conditions: ReadonlyArray<Condition>
}
export type Condition = Leaf | Group
/** A filter; null matches every call. */
export type FilterTree = Condition | null

export type FieldType = "integer" | "number" | "boolean" | "text" | "status" | "time" | "value"

export const FIELDS: Readonly<Record<string, FieldType>> = {
  timestamp: "time",
  success: "boolean",
  status: "status",
  is_reviewed: "boolean",
  duration: "number",
  call_id: "text",
  "agent.agent_name": "text",
  "agent.id": "integer",
  call_ended_reason: "text",
  topic: "text",
  dropoff_point: "text",
  customer_number: "text",
  feedback: "text",
  trace_id: "text",
  id: "integer",
  "metric_evaluations.metric.name": "text",
  "metric_evaluations.metric.id": "integer",
  "metric_evaluations.value": "value"
}

export const typeOf = (field: string): FieldType => FIELDS[field] ?? "value"

const TEXTS: ReadonlyArray<Operator> = ["contains", "startswith", "endswith", "regex"]
const ORDERS: ReadonlyArray<Operator> = ["gt", "gte", "lt", "lte"]

/** The operators that apply to a field (docs/filters.md, Operators). */
export const operatorsOf = (field: string): ReadonlyArray<Operator> => {
  const type = typeOf(field)
  return OPERATORS.filter(
    (op) =>
      !(ORDERS.includes(op) && (type === "boolean" || type === "status")) &&
      !(TEXTS.includes(op) && type !== "text" && type !== "status" && type !== "value")
  )
}

export const OPERATOR_NAMES: Readonly<Record<Operator, string>> = {
  eq: "is",
  neq: "is not",
  gt: "greater than",
  gte: "at least",
  lt: "less than",
  lte: "at most",
  contains: "contains",
  startswith: "starts with",
  endswith: "ends with",
  in: "is one of",
  isnull: "is missing",
  regex: "matches"
}

export const GROUP_NAMES: Readonly<Record<GroupOperator, string>> = {
  and: "All of",
  or: "Any of",
  not: "None of",
  same_row: "One evaluation with all of"
}

export const isGroup = (condition: Condition): condition is Group => "operator" in condition

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** More would overflow the stack of a recursive walk; the server accepts less. */
const MAX_DEPTH = 64

/**
 * A value as a filter, or undefined if it has not the form of one. What fields and values mean is checked by the server,
 * whose errors are shown.
 */
export const readFilter = (value: unknown, depth = 0): FilterTree | undefined => {
  if (value === null) return null
  if (!isRecord(value) || depth > MAX_DEPTH) return undefined
  if (Object.keys(value).length === 0) return null
  const { conditions, field, op, operator } = value
  if (operator !== undefined) {
    const name = GROUPS.find((one) => one === operator)
    if (name === undefined || !Array.isArray(conditions)) return undefined
    const read = conditions.map((one: unknown) => readFilter(one, depth + 1))
    const known = read.flatMap((one) => (one === undefined || one === null ? [] : [one]))
    return read.includes(undefined) ? undefined : { operator: name, conditions: known }
  }
  const known = OPERATORS.find((one) => one === op)
  if (typeof field !== "string" || known === undefined || !("value" in value)) return undefined
  return { field, op: known, value: value.value }
}

/** Whether a filter matches every call. */
export const isEmpty = (filter: FilterTree): boolean =>
  filter === null || (isGroup(filter) && filter.operator !== "not" && filter.conditions.length === 0)

/** Both filters, with `and`s flattened; empty ones are left out. */
export const both = (...filters: ReadonlyArray<FilterTree>): FilterTree => {
  const conditions = filters.flatMap((filter): ReadonlyArray<Condition> =>
    filter === null || isEmpty(filter)
      ? []
      : isGroup(filter) && filter.operator === "and"
        ? filter.conditions
        : [filter]
  )
  const [only, other] = conditions
  return only === undefined ? null : other === undefined ? only : { operator: "and", conditions }
}

/** The conditions of a filter as the list that the filter bar shows: those of an `and`, or the filter itself. */
export const topConditions = (filter: FilterTree): ReadonlyArray<Condition> =>
  filter === null ? [] : isGroup(filter) && filter.operator === "and" ? filter.conditions : [filter]

/** The filter of a list of conditions. */
export const fromConditions = (conditions: ReadonlyArray<Condition>): FilterTree =>
  both(...conditions.map((condition): FilterTree => ({ operator: "and", conditions: [condition] })))

const text = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value)

export const fieldName = (field: string): string => {
  const known: Readonly<Record<string, string>> = {
    "agent.agent_name": "agent",
    "agent.id": "agent id",
    "metric_evaluations.metric.name": "metric",
    "metric_evaluations.metric.id": "metric id",
    "metric_evaluations.value": "metric value",
    is_reviewed: "reviewed",
    timestamp: "time",
    call_ended_reason: "ended reason"
  }
  return known[field] ?? field.replaceAll("_", " ")
}

/** A condition in words, for a filter's label. */
export const describe = (condition: Condition): string => {
  if (!isGroup(condition)) {
    const { field, op, value } = condition
    if (op === "isnull") return `${fieldName(field)} is ${value === false ? "present" : "missing"}`
    return `${fieldName(field)} ${OPERATOR_NAMES[op]} ${text(value)}`
  }
  const parts = condition.conditions.map((one) => (isGroup(one) ? `(${describe(one)})` : describe(one)))
  if (condition.operator === "not") return `not (${parts.join(" and ")})`
  return parts.join(condition.operator === "or" ? " or " : " and ")
}

const parsedJson = (typed: string): unknown => {
  try {
    return JSON.parse(typed)
  } catch {
    return undefined
  }
}

/**
 * What was typed as a value of a condition: JSON where it is a number, boolean or quoted text and the field may hold any
 * value, text otherwise. A list is separated by commas, or is JSON.
 */
export const readValue = (typed: string, field: string, op: Operator): unknown => {
  const type = typeOf(field)
  if (op === "in") {
    const list = typed.trimStart().startsWith("[") ? parsedJson(typed) : undefined
    return Array.isArray(list)
      ? list
      : typed.split(",").flatMap((one) => (one.trim() === "" ? [] : [readValue(one.trim(), field, "eq")]))
  }
  if (op === "isnull" || type === "boolean") return typed !== "false"
  if (type === "text" || type === "time" || type === "status") return typed
  if (typed.trim() !== "" && Number.isFinite(Number(typed))) return Number(typed)
  if (type !== "value") return typed
  const quoted = typed.startsWith('"') ? parsedJson(typed) : undefined
  return typed === "true" ? true : typed === "false" ? false : typeof quoted === "string" ? quoted : typed
}

/** A value of a condition as it is typed, so that `readValue` has the same value of it. */
export const typedValue = (value: unknown, field: string): string => {
  if (Array.isArray(value)) {
    const plain = value.map((one: unknown) => typedValue(one, field))
    return plain.some((one) => /^\s|\s$|,|^$|^\[/.test(one)) ? JSON.stringify(value) : plain.join(", ")
  }
  const plain = text(value)
  return typeof value === "string" && readValue(plain, field, "eq") !== value ? JSON.stringify(value) : plain
}
