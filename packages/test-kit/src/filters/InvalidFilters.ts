import type { Filters } from "@earshot/core"
import * as fc from "fast-check"
import { condition } from "./FilterArbitraries.js"

/** An invalid filter. */
export interface InvalidFilter {
  readonly input: unknown
  /** The path, from the filter's root, under which the error must be reported. */
  readonly path: string
  /** What is invalid, for the message of a failed test. */
  readonly wrong: string
}

type Flaw = readonly [wrong: string, input: unknown, path: string]

const leaf = (field: unknown, op: unknown, value: unknown) => ({ field, op, value })
const topic = (op: string, value: unknown) => leaf("topic", op, value)
const row = (...conditions: ReadonlyArray<unknown>) => ({ operator: "same_row", conditions })
const nested = (levels: number): unknown => {
  let filter: unknown = topic("eq", "a")
  for (let i = 0; i < levels; i++) filter = { operator: "and", conditions: [filter] }
  return filter
}

const flaws: ReadonlyArray<Flaw> = [
  ["a text is not a filter", "topic", ""],
  ["a number is not a filter", 5, ""],
  ["a list is not a filter", [topic("eq", "a")], ""],
  ["no field", { op: "eq", value: 1 }, "field"],
  ["no operator", { field: "topic", value: "a" }, "op"],
  ["no value", { field: "topic", op: "eq" }, "value"],
  ["an extra key", { ...topic("eq", "a"), label: "x" }, "label"],
  ["__proto__ as a key", JSON.parse('{"field":"topic","op":"eq","value":"a","__proto__":{}}'), "__proto__"],
  ["an unknown field", leaf("transcript", "eq", "a"), "field"],
  ["a field inherited from Object", leaf("constructor", "eq", "a"), "field"],
  ["a field that is not a text", leaf(5, "eq", "a"), "field"],
  ["null for a field", leaf(null, "eq", "a"), "field"],
  ["a document without a path", leaf("metadata", "eq", "a"), "field"],
  ["an empty key in a path", leaf("metadata.a..b", "eq", "a"), "field"],
  ["a path that ends in a dot", leaf("metadata.a.", "eq", "a"), "field"],
  ["__proto__ in a path", leaf("metadata.__proto__.a", "eq", "a"), "field"],
  ["NUL in a path", leaf("metadata.a\0b", "eq", "a"), "field"],
  ["a lone surrogate in a path", leaf("metadata.\ud800", "eq", "a"), "field"],
  ["a path that is too deep", leaf(`metadata${".a".repeat(11)}`, "eq", "a"), "field"],
  ["a field that is too long", leaf(`metadata.${"a".repeat(300)}`, "eq", "a"), "field"],
  ["an unknown operator", topic("like", "a"), "op"],
  ["an operator in capitals", topic("EQ", "a"), "op"],
  ["an operator that is not a text", leaf("topic", { eq: 1 }, "a"), "op"],
  ["gt of a boolean field", leaf("success", "gt", true), "op"],
  ["contains of a number field", leaf("duration", "contains", "5"), "op"],
  ["regex of a time", leaf("timestamp", "regex", "a"), "op"],
  ["lt of a status", leaf("status", "lt", "success"), "op"],
  ["a number for a text field", topic("eq", 5), "value"],
  ["a text for a number field", leaf("duration", "gte", "60"), "value"],
  ["a text for a boolean field", leaf("success", "eq", "true"), "value"],
  ["0 for a boolean field", leaf("is_reviewed", "eq", 0), "value"],
  ["a fraction for an id", leaf("id", "eq", 1.5), "value"],
  ["an id beyond 2^53", leaf("agent.id", "eq", 2 ** 53), "value"],
  ["an integer beyond 2^53", leaf("metadata.a", "eq", 2 ** 60), "value"],
  ["not a number", leaf("duration", "eq", Number.NaN), "value"],
  ["infinity", leaf("duration", "lt", Number.POSITIVE_INFINITY), "value"],
  ["null", topic("eq", null), "value"],
  ["an object", leaf("metadata.a", "eq", { a: 1 }), "value"],
  ["a list for eq", topic("eq", ["a"]), "value"],
  ["gt of a boolean", leaf("metadata.a", "gt", true), "value"],
  ["contains of a number", leaf("metadata.a", "contains", 5), "value"],
  ["an unknown status", leaf("status", "eq", "done"), "value"],
  ["a word for a time", leaf("timestamp", "gte", "yesterday"), "value"],
  ["a number for a time", leaf("timestamp", "gte", 1_700_000_000), "value"],
  ["30 February", leaf("timestamp", "gte", "2026-02-30"), "value"],
  ["a step without a sign", leaf("timestamp", "gte", "today7d"), "value"],
  ["a step without a unit", leaf("timestamp", "gte", "today-7"), "value"],
  ["an unknown unit", leaf("timestamp", "gte", "today-7q"), "value"],
  ["spaces in a relative time", leaf("timestamp", "gte", "today - 7d"), "value"],
  ["a step beyond every date", leaf("timestamp", "gte", "now+99999999999999999999y"), "value"],
  ["NUL in a text", topic("eq", "a\0"), "value"],
  ["a lone surrogate", topic("contains", "\ud83d"), "value"],
  ["a text that is too long", topic("eq", "a".repeat(10_001)), "value"],
  ["a word for isnull", topic("isnull", "yes"), "value"],
  ["an empty list", topic("in", []), "value"],
  ["a text for in", topic("in", "a"), "value"],
  [
    "1,001 values",
    leaf(
      "id",
      "in",
      Array.from({ length: 1001 }, (_, i) => i)
    ),
    "value"
  ],
  ["a list in a list", topic("in", ["a", ["b"]]), "value[1]"],
  ["a null in a list", topic("in", [null]), "value[0]"],
  ["a value of another type in a list", leaf("id", "in", [1, 2, "3"]), "value[2]"],
  ["a pattern that does not compile", topic("regex", "(a"), "value"],
  ["a lookahead", topic("regex", "(?=a)b"), "value"],
  ["a backreference", topic("regex", "(a)\\1"), "value"],
  ["a pattern that is too long", topic("regex", "a".repeat(1001)), "value"],
  ["a pattern that repeats too often", topic("regex", "(a{100}){100}"), "value"],
  ["a pattern of too large a program", topic("regex", "(?:a?){900}a{900}"), "value"],
  ["no conditions", { operator: "and" }, "conditions"],
  ["null for conditions", { operator: "and", conditions: null }, "conditions"],
  ["an object for conditions", { operator: "or", conditions: { 0: topic("eq", "a") } }, "conditions"],
  ["no group operator", { conditions: [topic("eq", "a")] }, "operator"],
  ["an unknown group operator", { operator: "xor", conditions: [topic("eq", "a")] }, "operator"],
  ["not without conditions", { operator: "not", conditions: [] }, "conditions"],
  ["not of two", { operator: "not", conditions: [topic("eq", "a"), topic("eq", "b")] }, "conditions"],
  ["null among conditions", { operator: "and", conditions: [topic("eq", "a"), null] }, "conditions[1]"],
  ["a text among conditions", { operator: "and", conditions: ["topic"] }, "conditions[0]"],
  ["a group with a leaf's key", { operator: "and", conditions: [], field: "topic" }, "field"],
  ["a call's field inside same_row", row(topic("eq", "a")), "conditions[0].field"],
  ["same_row inside same_row", row(row(leaf("metric_evaluations.value", "gte", 1))), "conditions[0].operator"],
  [
    "a call's field deep inside same_row",
    row({ operator: "not", conditions: [{ operator: "or", conditions: [topic("eq", "a")] }] }),
    "conditions[0].conditions[0].conditions[0].field"
  ]
]

/** Errors of a whole filter, which occur only at its root. */
const wholes: ReadonlyArray<Flaw> = [
  ["nested too deep", nested(33), Array.from({ length: 32 }, () => "conditions[0]").join(".")],
  ["nested 2,000 deep", nested(2000), Array.from({ length: 32 }, () => "conditions[0]").join(".")],
  [
    "too many conditions",
    { operator: "and", conditions: Array.from({ length: 1000 }, () => topic("eq", "a")) },
    "non_field_errors"
  ],
  [
    "too many values",
    {
      operator: "or",
      conditions: Array.from({ length: 11 }, () =>
        leaf(
          "id",
          "in",
          Array.from({ length: 1000 }, (_, i) => i)
        )
      )
    },
    "non_field_errors"
  ]
]

const invalidOf = ([wrong, input, path]: Flaw): InvalidFilter => ({ wrong, input, path: path || "non_field_errors" })

/** Every kind of invalid filter, in its simplest form. */
export const invalidFilters: ReadonlyArray<InvalidFilter> = [...flaws, ...wholes].map(invalidOf)

interface Wrapping {
  readonly operator: "and" | "or" | "not"
  readonly before: ReadonlyArray<Filters.Condition>
  readonly after: ReadonlyArray<Filters.Condition>
}

const wrapping: fc.Arbitrary<Wrapping> = fc.oneof(
  fc.record({
    operator: fc.constantFrom("and" as const, "or" as const),
    before: fc.array(condition, { maxLength: 2 }),
    after: fc.array(condition, { maxLength: 2 })
  }),
  fc.constant({ operator: "not" as const, before: [], after: [] })
)

const wrapped = (flaw: Flaw, { after, before, operator }: Wrapping): Flaw => {
  const [wrong, input, path] = flaw
  const place = `conditions[${before.length}]`
  return [wrong, { operator, conditions: [...before, input, ...after] }, path === "" ? place : `${place}.${path}`]
}

/** An invalid filter: one error, somewhere in an otherwise valid filter. */
export const invalidFilter: fc.Arbitrary<InvalidFilter> = fc
  .tuple(fc.constantFrom(...flaws), fc.array(wrapping, { maxLength: 3 }))
  .map(([flaw, wrappings]) => invalidOf(wrappings.reduce(wrapped, flaw)))
