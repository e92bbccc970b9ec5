/**
 * What a filter means, as a plain function over calls in memory: the reference that the SQL translation is compared with.
 */
import { Filters, isPlainObject, type Json, type JsonObject } from "@earshot/core"
import * as DateTime from "effect/DateTime"
import type { FilterableCall, FilterableEvaluation } from "./FilterableCall.js"

/** Whether a call matches. */
export type Matcher = (call: FilterableCall) => boolean

/** Whether a call matches a filter that is asked at `now`. This is what a filter means; SQL must say the same. */
export const matches = (filter: Filters.Filter, call: FilterableCall, now: DateTime.Utc): boolean =>
  matcher(filter, now)(call)

/** `matches` for many calls: times are worked out and patterns compiled once. */
export const matcher = (filter: Filters.Filter, now: DateTime.Utc): Matcher =>
  filter === null ? () => true : ofCall(filter, now)

/** Asked of a call and, inside `same_row`, of one of its evaluations. */
type RowMatcher = (evaluation: FilterableEvaluation) => boolean

const ofCall = (condition: Filters.Condition, now: DateTime.Utc): Matcher => {
  if (!Filters.isGroup(condition)) return leafOfCall(condition, now)
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

const ofRow = (condition: Filters.Condition, now: DateTime.Utc): RowMatcher => {
  if (!Filters.isGroup(condition)) {
    const meaning = Filters.compileLeaf(condition, now)
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

const leafOfCall = (leaf: Filters.Leaf, now: DateTime.Utc): Matcher => {
  const meaning = Filters.compileLeaf(leaf, now)
  if (meaning === undefined) return never
  const { field, negated, test } = meaning
  if (field.of === "evaluation") {
    const holds = evaluationTest(field.name, test, negated)
    return (call) => call.evaluations.some(holds)
  }
  const holds = Filters.predicate(test)
  return (call) => holds(valueOf(call, field)) !== negated
}

const evaluationTest = (name: Filters.EvaluationField, test: Filters.LeafTest, negated: boolean): RowMatcher => {
  const holds = Filters.predicate(test)
  return (evaluation) => holds(evaluationValue(evaluation, name)) !== negated
}

/** The value of a call's field, null when it is missing. Instants are epoch milliseconds. */
export const valueOf = (call: FilterableCall, field: Exclude<Filters.Field, { of: "evaluation" }>): Json =>
  field.of === "call" ? columnOf(call, field.name) : valueAtPath(documentOf(call, field.name), field.path)

const columnOf = (call: FilterableCall, name: Filters.CallField): Json => {
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
      return Filters.statusOf(call.success, call.isReviewed)
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

const documentOf = (call: FilterableCall, name: Filters.Document): Json =>
  name === "metadata" ? call.metadata : call.dynamicVariables

export const evaluationValue = (evaluation: FilterableEvaluation, name: Filters.EvaluationField): Json => {
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
const valueAtPath = (document: Json, path: ReadonlyArray<string>): Json => {
  let value = document
  for (const key of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return null
    value = value[key] ?? null
  }
  return value
}

const isJsonObject = (value: Json): value is JsonObject => isPlainObject(value)
