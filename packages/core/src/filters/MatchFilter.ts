import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import { isPlainObject, type Json, type JsonObject } from "../kernel/Json.js"
import { compareText } from "../kernel/Text.js"
import {
  type CallField,
  type Condition,
  type Document,
  type EvaluationField,
  type Field,
  type Filter,
  isGroup,
  type Leaf,
  statusOf
} from "./Filter.js"
import type { FilterableCall, FilterableEvaluation } from "./FilterableCall.js"
import { compileLeaf, type Order, type LeafTest } from "./CompiledLeaf.js"
import * as Regex from "./Regex.js"

/** Whether a call matches. */
export type Matcher = (call: FilterableCall) => boolean

/** Whether a call matches a filter that is asked at `now`. This is what a filter means; SQL must say the same. */
export const matches = (filter: Filter, call: FilterableCall, now: DateTime.Utc): boolean => matcher(filter, now)(call)

/** `matches` for many calls: times are worked out and patterns compiled once. */
export const matcher = (filter: Filter, now: DateTime.Utc): Matcher =>
  filter === null ? () => true : ofCall(filter, now)

/** Asked of a call and, inside `same_row`, of one of its evaluations. */
type RowMatcher = (evaluation: FilterableEvaluation) => boolean

const ofCall = (condition: Condition, now: DateTime.Utc): Matcher => {
  if (!isGroup(condition)) return leafOfCall(condition, now)
  if (condition.operator === "same_row") {
    const conditions = condition.conditions.map((inner) => ofRow(inner, now))
    // A group with no conditions matches everything, also a call without evaluations.
    return (call) =>
      conditions.length === 0 || call.evaluations.some((evaluation) => conditions.every((holds) => holds(evaluation)))
  }
  const conditions = condition.conditions.map((inner) => ofCall(inner, now))
  switch (condition.operator) {
    case "and":
      return (call) => conditions.every((holds) => holds(call))
    case "or":
      return (call) => conditions.length === 0 || conditions.some((holds) => holds(call))
    case "not":
      return (call) => !conditions.every((holds) => holds(call))
  }
}

const ofRow = (condition: Condition, now: DateTime.Utc): RowMatcher => {
  if (!isGroup(condition)) {
    const meaning = compileLeaf(condition, now)
    return meaning?.field.of === "evaluation"
      ? evaluationTest(meaning.field.name, meaning.test, meaning.negated)
      : never
  }
  const conditions = condition.conditions.map((inner) => ofRow(inner, now))
  switch (condition.operator) {
    case "and":
    case "same_row":
      return (evaluation) => conditions.every((holds) => holds(evaluation))
    case "or":
      return (evaluation) => conditions.length === 0 || conditions.some((holds) => holds(evaluation))
    case "not":
      return (evaluation) => !conditions.every((holds) => holds(evaluation))
  }
}

const never = () => false

const leafOfCall = (leaf: Leaf, now: DateTime.Utc): Matcher => {
  const meaning = compileLeaf(leaf, now)
  if (meaning === undefined) return never
  const { field, negated, test } = meaning
  if (field.of === "evaluation") {
    const holds = evaluationTest(field.name, test, negated)
    return (call) => call.evaluations.some(holds)
  }
  const holds = predicate(test)
  return (call) => holds(valueOf(call, field)) !== negated
}

const evaluationTest = (name: EvaluationField, test: LeafTest, negated: boolean): RowMatcher => {
  const holds = predicate(test)
  return (evaluation) => holds(evaluationValue(evaluation, name)) !== negated
}

/** The value of a call's field, null when it is missing. Instants are epoch milliseconds. */
export const valueOf = (call: FilterableCall, field: Exclude<Field, { of: "evaluation" }>): Json =>
  field.of === "call" ? columnOf(call, field.name) : valueAtPath(documentOf(call, field.name), field.path)

const columnOf = (call: FilterableCall, name: CallField): Json => {
  switch (name) {
    case "id":
      return call.id
    case "call_id":
      return call.callId
    case "success":
      return call.success
    case "duration":
      return call.duration
    case "customer_number":
      return call.customerNumber
    case "call_ended_reason":
      return call.callEndedReason
    case "dropoff_point":
      return call.dropoffPoint
    case "topic":
      return call.topic
    case "timestamp":
      return DateTime.toEpochMillis(call.timestamp)
    case "is_reviewed":
      return call.isReviewed
    case "status":
      return statusOf(call.success, call.isReviewed)
    case "feedback":
      return call.feedback
    case "trace_id":
      return call.traceId === "" ? null : call.traceId
    case "agent.id":
      return call.agentId
    case "agent.agent_name":
      return call.agentName
  }
}

const documentOf = (call: FilterableCall, name: Document): Json =>
  name === "metadata" ? call.metadata : call.dynamicVariables

export const evaluationValue = (evaluation: FilterableEvaluation, name: EvaluationField): Json => {
  switch (name) {
    case "metric_evaluations.value":
      return evaluation.value
    case "metric_evaluations.metric.id":
      return evaluation.metricId
    case "metric_evaluations.metric.name":
      return evaluation.metricName
  }
}

/** The value under these keys, null where there is none: steps go through objects, never into lists. */
export const valueAtPath = (document: Json, path: ReadonlyArray<string>): Json => {
  let value = document
  for (const key of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return null
    value = value[key] ?? null
  }
  return value
}

const isJsonObject = (value: Json): value is JsonObject => isPlainObject(value)

/** Whether a value, null where it is missing, passes a test. */
export const predicate = (test: LeafTest): ((value: Json) => boolean) => {
  switch (test.test) {
    case "missing":
      return (value) => value === null
    case "among": {
      const values = new Set<Json>(test.values)
      return (value) => values.has(value)
    }
    case "order": {
      const { op, than } = test
      return typeof than === "number"
        ? (value) => typeof value === "number" && isOrdered(op, value - than)
        : (value) => typeof value === "string" && isOrdered(op, compareText(value, than))
    }
    case "contains":
      return (value) => typeof value === "string" && value.includes(test.text)
    case "startswith":
      return (value) => typeof value === "string" && value.startsWith(test.text)
    case "endswith":
      return (value) => typeof value === "string" && value.endsWith(test.text)
    case "regex":
      return Either.match(Regex.compile(test.pattern), {
        onLeft: () => never,
        onRight: (isMatch) => (value) => typeof value === "string" && isMatch(value)
      })
    case "within":
      return (value) =>
        typeof value === "number" && test.spans.some(({ since, until }) => since <= value && value <= until)
  }
}

const isOrdered = (op: Order, difference: number): boolean => {
  switch (op) {
    case "gt":
      return difference > 0
    case "gte":
      return difference >= 0
    case "lt":
      return difference < 0
    case "lte":
      return difference <= 0
  }
}
