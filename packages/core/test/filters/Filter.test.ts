import { Filters } from "@earshot/core"
import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"
import { isMatchAll, STATUSES, statusOf } from "../../src/filters/Filter.js"
import * as Regex from "../../src/filters/Regex.js"

const equality = ["eq", "neq", "in", "isnull"]
const order = ["gt", "gte", "lt", "lte"]
const textual = ["contains", "startswith", "endswith", "regex"]
const operators = [...equality, ...order, ...textual]

describe("fieldOf", () => {
  /** The type of each field, and what may be asked of it. */
  const fields: ReadonlyArray<readonly [name: string, type: string, taken: ReadonlyArray<string>]> = [
    ["id", "integer", [...equality, ...order]],
    ["call_id", "text", operators],
    ["success", "boolean", equality],
    ["duration", "number", [...equality, ...order]],
    ["customer_number", "text", operators],
    ["call_ended_reason", "text", operators],
    ["dropoff_point", "text", operators],
    ["topic", "text", operators],
    ["timestamp", "timestamp", [...equality, ...order]],
    ["is_reviewed", "boolean", equality],
    ["status", "status", [...equality, ...textual]],
    ["feedback", "text", operators],
    ["trace_id", "text", operators],
    ["agent.id", "integer", [...equality, ...order]],
    ["agent.agent_name", "text", operators],
    ["metric_evaluations.value", "dynamic", operators],
    ["metric_evaluations.metric.id", "integer", [...equality, ...order]],
    ["metric_evaluations.metric.name", "text", operators]
  ]

  it.each(fields)("%s is of type %s and takes the operators %j", (name, type, taken) => {
    expect(Filters.fieldOf(name)).toEqual({ of: name.startsWith("metric_") ? "evaluation" : "call", name, type })
    const isTaken = (op: string) =>
      Either.match(Filters.parse({ field: name, op, value: null }), {
        onLeft: (errors) => !Object.hasOwn(errors, "op"),
        onRight: () => true
      })
    expect(operators.filter(isTaken)).toEqual(taken)
  })

  it("accepts the named fields and paths into a document", () => {
    expect(Filters.FIELD_NAMES).toEqual(fields.map(([name]) => name))
    expect(Filters.fieldOf("metadata.a.0")).toEqual({
      of: "document",
      name: "metadata",
      path: ["a", "0"],
      type: "dynamic"
    })
    expect(Filters.fieldOf("dynamic_variables.b c")).toEqual({
      of: "document",
      name: "dynamic_variables",
      path: ["b c"],
      type: "dynamic"
    })
    const none = ["", "metadata", "metadata.", "metadata..a", "metadata.a.", "metadataxa", "x.metadata.a", "toString"]
    for (const name of [...none, "metadata.__proto__", "metadata.a\0"]) expect(Filters.fieldOf(name)).toBe(undefined)
  })

  it("rejects paths of more than ten keys or 255 characters", () => {
    expect(Filters.fieldOf(`metadata${".a".repeat(10)}`)).toBeDefined()
    expect(Filters.fieldOf(`metadata${".a".repeat(11)}`)).toBe(undefined)
    expect(Filters.fieldOf(`metadata.${"\u{1f600}".repeat(246)}`)).toBeDefined()
    expect(Filters.fieldOf(`metadata.${"\u{1f600}".repeat(247)}`)).toBe(undefined)
  })
})

describe("statusOf", () => {
  it("derives the status of a call from its success and its review", () => {
    expect(STATUSES).toEqual(["success", "failure", "reviewed_success", "reviewed_failure"])
    const of = [true, false, null].flatMap((success) =>
      [false, true].map((isReviewed) => statusOf(success, isReviewed))
    )
    expect(of).toEqual(["success", "reviewed_success", "failure", "reviewed_failure", null, null])
  })
})

describe("conjuncts", () => {
  it("collects the conditions of nested ands and of no other group", () => {
    const [a, b, c]: ReadonlyArray<Filters.Leaf> = [1, 2, 3].map((value) => ({ field: "id", op: "eq", value }))
    const group = (operator: Filters.GroupOperator, ...conditions: ReadonlyArray<Filters.Condition | undefined>) => ({
      operator,
      conditions: conditions.filter((one) => one !== undefined)
    })
    expect(Filters.conjuncts(null)).toEqual([])
    expect(Filters.conjuncts(a!)).toEqual([a])
    expect(Filters.conjuncts(group("and", a, group("and", b, group("and"))))).toEqual([a, b])
    for (const operator of ["or", "not", "same_row"] as const) {
      const other = group(operator, a, group("and", b, c))
      expect(Filters.conjuncts(group("and", other, c))).toEqual([other, c])
    }
  })
})

describe("isMatchAll", () => {
  it("is true for groups without conditions, except for not", () => {
    const empty = (operator: Filters.GroupOperator) => isMatchAll({ operator, conditions: [] })
    expect((["and", "or", "same_row", "not"] as const).map(empty)).toEqual([true, true, true, false])
    const leaf: Filters.Leaf = { field: "id", op: "eq", value: 1 }
    expect([leaf, { operator: "and" as const, conditions: [leaf] }].map(isMatchAll)).toEqual([false, false])
  })
})

describe("Regex.compile", () => {
  const errorOf = (pattern: string) =>
    Either.match(Regex.compile(pattern), { onLeft: (error) => error, onRight: () => undefined })

  it("matches anywhere in a text", () => {
    const isMatch = Either.getOrThrow(Regex.compile("b+c"))
    expect(["abbc", "bc", "ac", "b c"].map(isMatch)).toEqual([true, true, false, false])
  })

  it("rejects patterns of more than 1,000 characters or instructions", () => {
    expect(errorOf("a".repeat(998))).toBe(undefined)
    expect(errorOf("a".repeat(999))).toBe("This regular expression is too large: use fewer repetitions.")
    expect(errorOf("[a]".repeat(333) + "b")).toBe(undefined)
    expect(errorOf("[a]".repeat(333) + "bc")).toBe("Ensure this regular expression has no more than 1000 characters.")
  })

  it("explains why a pattern is invalid", () => {
    expect(errorOf("(a")).toBe("Not a valid regular expression: error parsing regexp: missing closing ): `(a`.")
  })
})
