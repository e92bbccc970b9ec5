import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import type { Json } from "../kernel/Json.js"
import { compareText } from "../kernel/Text.js"
import { type Field, fieldOf, type FieldType, type Leaf, type LeafOperator, OPERATORS, type Scalar } from "./Filter.js"
import { parseValue } from "./LeafValue.js"
import * as Regex from "./Regex.js"
import * as RelativeTime from "./RelativeTime.js"

export type Order = "gt" | "gte" | "lt" | "lte"

/** Instants in epoch milliseconds, both ends included. */
export interface Interval {
  readonly since: number
  readonly until: number
}

/**
 * The test of a leaf on one value, with its times resolved: the one definition of the operators, which the SQL translation
 * and the reference matcher both implement. Instants are numbers, in epoch milliseconds. Every test except `missing` fails
 * on a missing value and on one of another type.
 */
export type LeafTest =
  | { readonly test: "missing" }
  /** Equal to one of these, in type and value. */
  | { readonly test: "among"; readonly values: ReadonlyArray<Scalar> }
  | { readonly test: "order"; readonly op: Order; readonly than: number | string }
  | { readonly test: "contains" | "startswith" | "endswith"; readonly text: string }
  | { readonly test: "regex"; readonly pattern: string }
  /** An instant in one of these intervals. */
  | { readonly test: "within"; readonly intervals: ReadonlyArray<Interval> }

export interface CompiledLeaf {
  readonly field: Field
  /** Whether the leaf matches if the test fails. */
  readonly negated: boolean
  readonly test: LeafTest
}

/**
 * Compiles a leaf for a query at `now`. Undefined for a leaf that the parser would reject (an unknown field, a value of the
 * wrong type): such a leaf matches no call.
 */
export const compileLeaf = (leaf: Leaf, now: DateTime.Utc): CompiledLeaf | undefined => {
  const field = fieldOf(leaf.field)
  if (field === undefined) return undefined
  if (!OPERATORS[field.type].includes(leaf.op) || Array.isArray(leaf.value) !== (leaf.op === "in")) return undefined
  const values = typeof leaf.value === "object" ? leaf.value : [leaf.value]
  if (values.some((value) => Either.isLeft(parseValue(leaf.op, field.type, value)))) return undefined
  const test = testOf(leaf.op, field.type, values, now)
  if (test === undefined) return undefined
  return { field, test, negated: leaf.op === "neq" || (leaf.op === "isnull" && leaf.value === false) }
}

const testOf = (
  op: LeafOperator,
  type: FieldType,
  values: ReadonlyArray<Scalar>,
  now: DateTime.Utc
): LeafTest | undefined => {
  const [value] = values
  if (value === undefined) return undefined
  switch (op) {
    case "isnull":
      return { test: "missing" }
    case "eq":
    case "neq":
    case "in":
      return type === "timestamp" ? within(values, now) : { test: "among", values }
    case "gt":
    case "gte":
    case "lt":
    case "lte": {
      const than = type === "timestamp" ? instant(value, now, RelativeTime.edgeOf(op)) : value
      return than === undefined || typeof than === "boolean" ? undefined : { test: "order", op, than }
    }
    case "contains":
    case "startswith":
    case "endswith":
      return typeof value === "string" ? { test: op, text: value } : undefined
    case "regex":
      return typeof value === "string" ? { test: "regex", pattern: value } : undefined
  }
}

const instant = (value: Scalar, now: DateTime.Utc, edge: RelativeTime.Edge): number | undefined => {
  const at = typeof value === "string" ? RelativeTime.resolve(value, now, edge) : undefined
  return at === undefined ? undefined : DateTime.toEpochMillis(at)
}

/** A time is equal to another if it is neither before nor after it: a day contains all of its instants. */
const within = (values: ReadonlyArray<Scalar>, now: DateTime.Utc): LeafTest => ({
  test: "within",
  intervals: values.flatMap((value) => {
    const since = instant(value, now, "start")
    const until = instant(value, now, "end")
    return since === undefined || until === undefined ? [] : [{ since, until }]
  })
})

/** A test as a function of a value, null where it is missing. */
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
        onLeft: () => () => false,
        onRight: (isMatch) => (value) => typeof value === "string" && isMatch(value)
      })
    case "within":
      return (value) =>
        typeof value === "number" && test.intervals.some(({ since, until }) => since <= value && value <= until)
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
