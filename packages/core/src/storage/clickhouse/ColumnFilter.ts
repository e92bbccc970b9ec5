/** How a filter's conditions are written in ClickHouse's dialect. */
import * as Arr from "effect/Array"
import type * as DateTime from "effect/DateTime"
import type { NamesById } from "../../analytics/ResourceNames.js"
import { compileLeaf, type Interval, type LeafTest, type Order, predicate } from "../../filters/CompiledLeaf.js"
import {
  type CallField,
  type Condition,
  type Field,
  fieldOf,
  type Filter,
  isGroup,
  type Leaf,
  type Scalar,
  STATUSES
} from "../../filters/Filter.js"
import { valueAt } from "./Documents.js"
import type { Parameters } from "./Statement.js"

export interface ColumnFilterContext {
  readonly parameters: Parameters
  /** What relative times are relative to. */
  readonly now: DateTime.Utc
  readonly agents: NamesById
  readonly metrics: NamesById
  /** The table of evaluations with a condition that selects those of the question's project. */
  readonly evaluations: { readonly table: string; readonly own: string }
}

/** The fields that are a column; the other two are worked out. */
export const CALL_COLUMNS: Readonly<Record<Exclude<CallField, "agent.agent_name" | "status">, string>> = {
  id: "id",
  call_id: "call_id",
  success: "success",
  duration: "duration_s",
  customer_number: "customer_number",
  call_ended_reason: "call_ended_reason",
  dropoff_point: "dropoff_point",
  topic: "topic",
  timestamp: "timestamp_ms",
  is_reviewed: "is_reviewed",
  feedback: "feedback",
  trace_id: "trace_id",
  "agent.id": "agent_id"
}

/** Columns without NULL, which stand bare where an index can serve them. */
const ALWAYS_THERE: ReadonlySet<string> = new Set([
  "id",
  "call_id",
  "timestamp_ms",
  "is_reviewed",
  "agent_id",
  "metric_id"
])

const SIGNS: Readonly<Record<Order, string>> = { gt: ">", gte: ">=", lt: "<", lte: "<=" }

/** A test of a value that is there. */
type ValueTest = Exclude<LeafTest, { test: "missing" }>

const isAboutNumbers = (test: ValueTest): boolean => test.test === "order" && typeof test.than === "number"

const numbersOf = (values: ReadonlyArray<Scalar>) => values.filter((value) => typeof value === "number")
const textsOf = (values: ReadonlyArray<Scalar>) => values.filter((value) => typeof value === "string")
const flagsOf = (values: ReadonlyArray<Scalar>) => values.filter((value) => typeof value === "boolean").map(Number)

/**
 * The condition, over the columns of the table of calls, that holds for the calls that match a filter. It is true or false,
 * never NULL.
 */
export const filterCondition = (filter: Filter, context: ColumnFilterContext): string =>
  filter === null ? "1" : new ColumnFilter(context).ofCall(filter)

/** Whether a call matches a condition if one of its evaluations does. */
const isOfRow = (condition: Condition): boolean =>
  isGroup(condition)
    ? condition.operator === "same_row" && condition.conditions.length > 0
    : fieldOf(condition.field)?.of === "evaluation"

class ColumnFilter {
  constructor(private readonly context: ColumnFilterContext) {}

  ofCall(condition: Condition): string {
    if (!isGroup(condition)) return this.leafOfCall(condition)
    if (condition.operator === "same_row" && condition.conditions.length > 0) {
      return this.anyEvaluation(all(condition.conditions.map((inner) => this.ofRow(inner))))
    }
    if (condition.operator !== "or") {
      return group(
        condition.operator,
        condition.conditions.map((inner) => this.ofCall(inner))
      )
    }
    // Of several conditions on any evaluation, one search suffices: a thousand of them took minutes.
    const [others, ofRows] = Arr.partition(condition.conditions, isOfRow)
    return group("or", [
      ...others.map((inner) => this.ofCall(inner)),
      ...(ofRows.length === 0 ? [] : [this.anyEvaluation(any(ofRows.map((inner) => this.ofRow(inner))))])
    ])
  }

  /** A condition on an evaluation. */
  private ofRow(condition: Condition): string {
    if (isGroup(condition)) {
      return group(
        condition.operator,
        condition.conditions.map((inner) => this.ofRow(inner))
      )
    }
    const meaning = compileLeaf(condition, this.context.now)
    return meaning?.field.of === "evaluation"
      ? negatedIf(meaning.negated, this.evaluationTest(meaning.field, meaning.test))
      : "0"
  }

  private leafOfCall(leaf: Leaf): string {
    const meaning = compileLeaf(leaf, this.context.now)
    if (meaning === undefined) return "0"
    const { field, negated, test } = meaning
    switch (field.of) {
      case "call":
        return negatedIf(negated, this.callTest(field, test))
      case "document":
        return negatedIf(negated, this.documentTest(field, test))
      case "evaluation":
        return this.anyEvaluation(negatedIf(negated, this.evaluationTest(field, test)))
    }
  }

  private callTest(field: Extract<Field, { of: "call" }>, test: LeafTest): string {
    switch (field.name) {
      case "status": {
        if (test.test === "missing") return "isNull(success)"
        const flags = STATUSES.filter(predicate(test)).map(
          (status) => (status.startsWith("reviewed_") ? 2 : 0) + (status.endsWith("success") ? 1 : 0)
        )
        return flags.length === 0 ? "0" : `ifNull(2 * is_reviewed + success IN (${flags.join(", ")}), 0)`
      }
      case "agent.agent_name":
        return this.nameTest("agent_id", this.context.agents, test)
      case "trace_id":
        // Calls without a trace have the empty text, the interface's default.
        return test.test === "missing"
          ? "(trace_id = '')"
          : `(trace_id != '' AND ${this.valueTest("trace_id", field, test)})`
      default:
        return this.columnTest(CALL_COLUMNS[field.name], field, test)
    }
  }

  private columnTest(column: string, field: Field, test: LeafTest): string {
    if (ALWAYS_THERE.has(column)) return test.test === "missing" ? "0" : `(${this.valueTest(column, field, test)})`
    return test.test === "missing" ? `isNull(${column})` : `ifNull(${this.valueTest(column, field, test)}, 0)`
  }

  /** Names are not in the tables: they are tested here, and become a test of ids. */
  private nameTest(column: string, names: NamesById, test: LeafTest): string {
    const matches = predicate(test)
    const ids = [...names].filter(([, name]) => matches(name)).map(([id]) => id)
    return ids.length === 0 ? "0" : `(${column} IN ${this.context.parameters.integers(ids)})`
  }

  private documentTest({ name, path, ...field }: Extract<Field, { of: "document" }>, test: LeafTest): string {
    const number = valueAt(name, "n", path)
    const text = valueAt(name, "t", path)
    const flag = valueAt(name, "f", path)
    switch (test.test) {
      case "missing":
        return all([number, text, flag, valueAt(name, "o", path)].map((value) => `isNull(${value})`))
      case "among":
        return this.amongTest(test.values, { number, text, flag })
      default:
        return `ifNull(${this.valueTest(isAboutNumbers(test) ? number : text, { ...field, name, path }, test)}, 0)`
    }
  }

  /** Whether one of the expressions is one of the values of its type; a NULL is none. */
  private amongTest(
    values: ReadonlyArray<Scalar>,
    of: { readonly number: string; readonly text: string; readonly flag: string }
  ): string {
    const { parameters } = this.context
    const [numbers, texts, flags] = [numbersOf(values), textsOf(values), flagsOf(values)]
    return any([
      ...(numbers.length > 0 ? [`ifNull(${of.number} IN ${parameters.numbers(numbers)}, 0)`] : []),
      ...(texts.length > 0 ? [`ifNull(${of.text} IN ${parameters.texts(texts)}, 0)`] : []),
      ...(flags.length > 0 ? [`ifNull(${of.flag} IN (${flags.join(", ")}), 0)`] : [])
    ])
  }

  private evaluationTest(field: Extract<Field, { of: "evaluation" }>, test: LeafTest): string {
    switch (field.name) {
      case "metric_evaluations.value": {
        const values = {
          number: "if(value_kind = 'number', value_number, NULL)",
          text: "value_text",
          flag: "if(value_kind = 'boolean', value_number, NULL)"
        }
        switch (test.test) {
          case "missing":
            return "(value_kind = 'null')"
          case "among":
            return this.amongTest(test.values, values)
          default:
            return `ifNull(${this.valueTest(isAboutNumbers(test) ? values.number : values.text, field, test)}, 0)`
        }
      }
      case "metric_evaluations.metric.id":
        return this.columnTest("metric_id", field, test)
      case "metric_evaluations.metric.name":
        return this.nameTest("metric_id", this.context.metrics, test)
    }
  }

  private anyEvaluation(condition: string): string {
    const { own, table } = this.context.evaluations
    return `(row IN (SELECT row FROM ${table} WHERE ${own} AND ${condition}))`
  }

  /** A test of an expression of the test's own type; NULL where that is. */
  private valueTest(value: string, field: Field, test: ValueTest): string {
    const { parameters } = this.context
    switch (test.test) {
      case "among":
        return `${value} IN ${this.listed(field, test.values)}`
      case "order":
        return `${value} ${SIGNS[test.op]} ${this.bound(field, test.than)}`
      case "contains":
        return `position(${value}, ${parameters.text(test.text)}) > 0`
      case "startswith":
        return `startsWith(${value}, ${parameters.text(test.text)})`
      case "endswith":
        return `endsWith(${value}, ${parameters.text(test.text)})`
      case "regex":
        // RE2 as elsewhere, but by default a dot matches line breaks here.
        return `match(${value}, ${parameters.text(`(?-s)${test.pattern}`)})`
      case "within":
        return this.within(value, test.intervals)
    }
  }

  private bound(field: Field, than: number | string): string {
    const { parameters } = this.context
    if (typeof than === "string") return parameters.text(than)
    return field.type === "integer" || field.type === "timestamp" ? parameters.integer(than) : parameters.number(than)
  }

  private listed(field: Field, values: ReadonlyArray<Scalar>): string {
    const { parameters } = this.context
    switch (field.type) {
      case "integer":
        return parameters.integers(numbersOf(values))
      case "boolean":
        return `(${flagsOf(values).join(", ")})`
      case "number":
        return parameters.numbers(numbersOf(values))
      default:
        return parameters.texts(textsOf(values))
    }
  }

  private within(value: string, intervals: ReadonlyArray<Interval>): string {
    const { parameters } = this.context
    return any(
      intervals.map(
        ({ since, until }) => `(${value} BETWEEN ${parameters.integer(since)} AND ${parameters.integer(until)})`
      )
    )
  }
}

const group = (operator: "and" | "or" | "not" | "same_row", parts: ReadonlyArray<string>): string => {
  switch (operator) {
    case "and":
    case "same_row":
      return all(parts)
    case "or":
      return parts.length === 0 ? "1" : any(parts)
    case "not":
      return `NOT ${all(parts)}`
  }
}

const negatedIf = (negated: boolean, test: string): string => (negated ? `(NOT ${test})` : test)

/** All of some conditions; with one, it is in parentheses too. */
const all = (parts: ReadonlyArray<string>): string => (parts.length === 0 ? "1" : `(${parts.join(" AND ")})`)

const any = (parts: ReadonlyArray<string>): string => (parts.length === 0 ? "0" : `(${parts.join(" OR ")})`)
