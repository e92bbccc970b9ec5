import { Filters } from "@earshot/core"
import { FilterKit } from "@earshot/test-kit"
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decode } from "../../src/kernel/FieldErrors.js"
import * as Fields from "../../src/kernel/Fields.js"

const right = <A>(either: Either.Either<A, unknown>): A =>
  Either.getOrThrowWith(either, (left) => new Error(JSON.stringify(left)))
const errorsOf = (either: Either.Either<unknown, Readonly<Record<string, ReadonlyArray<string>>>>) =>
  Either.match(either, { onLeft: (errors) => errors, onRight: () => ({}) })

const leaf = { field: "topic", op: "eq", value: "billing" }

const asList = (count: number) => ({ field: "id", op: "in", value: Array.from({ length: count }, (_, i) => i) })

describe("Filters.parse", () => {
  it("parses null, an empty object and a group without conditions as the empty filter", () => {
    for (const input of [
      undefined,
      null,
      {},
      { operator: "and", conditions: [] },
      { operator: "or", conditions: [] },
      { operator: "same_row", conditions: [] },
      { operator: "and", conditions: [{}, { operator: "or", conditions: [] }] },
      { operator: "or", conditions: [leaf, {}] }
    ]) {
      expect(right(Filters.parse(input))).toBe(null)
    }
  })

  it("drops conditions that match every call, except where they change the result", () => {
    expect(right(Filters.parse({ operator: "and", conditions: [{}, leaf] }))).toEqual({
      operator: "and",
      conditions: [leaf]
    })
    expect(right(Filters.parse({ operator: "not", conditions: [{}] }))).toEqual({
      operator: "not",
      conditions: [{ operator: "and", conditions: [] }]
    })
  })

  it("keeps values as the client sent them", () => {
    const input = {
      operator: "and",
      conditions: [
        { field: "timestamp", op: "gte", value: "today-7d" },
        { field: "success", op: "eq", value: true },
        { field: "metadata.region", op: "in", value: ["eu", 5, false] }
      ]
    }
    expect(right(Filters.parse(input))).toEqual(input)
  })

  it("accepts filters up to each limit and rejects larger ones", () => {
    const all = (count: number, condition: unknown = leaf) => ({
      operator: "or",
      conditions: Array.from({ length: count }, () => condition)
    })
    const nested = (depth: number): unknown =>
      depth === 0 ? leaf : { operator: "not", conditions: [nested(depth - 1)] }
    const equal = (field: string, value: unknown = "") => ({ field, op: "eq", value })
    const { depth, nodes, values } = Filters.LIMITS
    const limits: ReadonlyArray<readonly [within: unknown, beyond: unknown, path: string]> = [
      [nested(depth), nested(depth + 1), "conditions[0].".repeat(depth).slice(0, -1)],
      [all(nodes - 1), all(nodes), "non_field_errors"],
      [all(values / 1000, asList(1000)), all(values / 1000 + 1, asList(1000)), "non_field_errors"],
      [asList(1000), asList(1001), "value"],
      [asList(1), asList(0), "value"],
      [equal("topic", "\u{1f600}".repeat(10_000)), equal("topic", "\u{1f600}".repeat(10_001)), "value"],
      [equal(`metadata.${"\u{1f600}".repeat(246)}`), equal(`metadata.${"\u{1f600}".repeat(247)}`), "field"],
      [equal(`metadata${".a".repeat(10)}`), equal(`metadata${".a".repeat(11)}`), "field"],
      [equal("id", 2 ** 53 - 1), equal("id", 2 ** 53), "value"],
      [equal("duration", 1 - 2 ** 53), equal("duration", -(2 ** 53)), "value"],
      [{ ...leaf, op: "regex", value: "a".repeat(998) }, { ...leaf, op: "regex", value: "a".repeat(1001) }, "value"]
    ]
    for (const [within, beyond, path] of limits) {
      expect(errorsOf(Filters.parse(within))).toEqual({})
      expect(Object.keys(errorsOf(Filters.parse(beyond)))).toEqual([path])
    }
  })

  it("accepts filters up to their cost and rejects those beyond it, with what each condition costs", () => {
    const all = (count: number, condition: unknown) => ({
      operator: "and",
      conditions: Array.from({ length: count }, () => condition)
    })
    const path = { field: "metadata.a.b", op: "eq", value: 1 }
    const pattern = { field: "topic", op: "regex", value: "a+" }
    for (const [condition, most] of [
      [path, 100],
      [pattern, 48],
      [{ ...pattern, field: "metadata.a" }, 33]
    ] as const) {
      expect(errorsOf(Filters.parse(all(most, condition)))).toEqual({})
      expect(Object.keys(errorsOf(Filters.parse(all(most + 1, condition))))).toEqual(["non_field_errors"])
    }
    expect(errorsOf(Filters.parse(all(101, path)))).toEqual({
      non_field_errors: [
        "This filter costs 2020, more than 2000. Use fewer conditions: a path of metadata or dynamic_variables costs 20, a regex 40 more, a metric evaluation 2, any other 1."
      ]
    })
  })

  it("accepts no filter that costs more than its limit, and the merge of two accepted ones as a query", () => {
    fc.assert(
      fc.property(FilterKit.filter, FilterKit.filter, fc.integer({ min: 0, max: 500 }), (one, other, cost) => {
        const costOf = (filter: Filters.Filter) => (filter === null ? 0 : Filters.costOf(filter))
        const parsed = Filters.parse(Filters.encode(one), { ...Filters.LIMITS, cost })
        expect(Either.isRight(parsed)).toBe(costOf(one) <= cost)
        expect(costOf(Filters.merge(one, other))).toBeLessThanOrEqual(costOf(one) + costOf(other))
      })
    )
  })

  for (const { check, name } of FilterKit.parseProperties(Filters.parse, Filters.encode)) it(name, check)

  it("parses an encoded filter from JSON text", () => {
    fc.assert(
      fc.property(FilterKit.filter, (filter) => {
        expect(right(Filters.parseText(JSON.stringify(Filters.encode(filter))))).toEqual(filter)
      })
    )
  })

  it("reports every error at once", () => {
    expect(
      errorsOf(
        Filters.parse({
          operator: "xor",
          conditions: [
            { field: "nope", op: "like", value: 1 },
            { field: "success", op: "gt", value: true },
            { operator: "and", conditions: [{ field: "id", op: "in", value: [1, "2", null] }], more: 1 }
          ]
        })
      )
    ).toEqual({
      operator: ['"xor" is not a valid choice; did you mean "or"?'],
      "conditions[0].field": [expect.stringContaining('"nope" is not a valid choice. Choose from ')],
      "conditions[0].op": [expect.stringContaining('"like" is not a valid choice. Choose from ')],
      "conditions[1].op": ['"gt" does not apply to this field; it takes eq, neq, in, isnull.'],
      "conditions[2].more": ["Unknown field."],
      "conditions[2].conditions[0].value[1]": ["A valid integer is required."],
      "conditions[2].conditions[0].value[2]": [expect.stringContaining("This field may not be null.")]
    })
  })

  it("reports each kind of error with its message", () => {
    const fields =
      "Choose from id, call_id, success, duration, customer_number, call_ended_reason, dropoff_point, topic, timestamp, " +
      "is_reviewed, status, feedback, trace_id, agent.id, agent.agent_name, metric_evaluations.value, " +
      "metric_evaluations.metric.id, metric_evaluations.metric.name, metadata.<path>, dynamic_variables.<path>."
    const time = "Not a valid time. Use ISO 8601, or now or today with steps such as today-7d (s m h d w M y)."
    const asked = (field: string, op: string, value: unknown) => ({ field, op, value })
    const row = (condition: unknown) => ({ operator: "same_row", conditions: [condition] })
    const expected: ReadonlyArray<readonly [input: unknown, errors: Readonly<Record<string, ReadonlyArray<string>>>]> =
      [
        ["x", { non_field_errors: ["Expected an object."] }],
        [{ operator: "and", conditions: [null] }, { "conditions[0]": ["This field may not be null."] }],
        [{ operator: "and" }, { conditions: ["This field is required."] }],
        [{ operator: "and", conditions: null }, { conditions: ["This field may not be null."] }],
        [{ operator: "and", conditions: {} }, { conditions: ["Expected a list of items."] }],
        [{ conditions: [] }, { operator: ["This field is required."] }],
        [{ operator: null, conditions: [] }, { operator: ["This field may not be null."] }],
        [
          { operator: 5, conditions: [] },
          { operator: [expect.stringContaining('"5" is not a valid choice. Choose from ')] }
        ],
        [{ operator: "AND", conditions: [] }, { operator: ['"AND" is not a valid choice; did you mean "and"?'] }],
        [{ operator: "not", conditions: [] }, { conditions: ["not takes exactly one condition."] }],
        [
          row(row(asked("metric_evaluations.value", "gte", 1))),
          { "conditions[0].operator": ["same_row cannot be nested in another same_row."] }
        ],
        [row(leaf), { "conditions[0].field": ["Only metric_evaluations fields can be used inside same_row."] }],
        [{ op: "eq", value: "x" }, { field: ["This field is required."] }],
        [{ field: null, op: "eq", value: "x" }, { field: ["This field may not be null."] }],
        [{ field: 5, op: "eq", value: "x" }, { field: ["Not a valid string."] }],
        [asked("nope", "eq", "x"), { field: [`"nope" is not a valid choice. ${fields}`] }],
        [{ field: "topic", value: "x" }, { op: ["This field is required."] }],
        [{ field: "topic", op: "eq" }, { value: ["This field is required."] }],
        [asked("success", "gt", "x"), { op: ['"gt" does not apply to this field; it takes eq, neq, in, isnull.'] }],
        [
          asked("topic", "eq", null),
          { value: ["This field may not be null. Use isnull to ask whether there is a value."] }
        ],
        [asked("topic", "in", null), { value: ["This field may not be null."] }],
        [asked("topic", "in", "x"), { value: ["Expected a list of items."] }],
        [asked("topic", "in", []), { value: ["Ensure this field has at least 1 elements."] }],
        [asked("topic", "eq", 5), { value: ["Not a valid string."] }],
        [asked("topic", "contains", 5), { value: ["Not a valid string."] }],
        [asked("topic", "isnull", 1), { value: ["Must be a valid boolean."] }],
        [asked("topic", "eq", "x".repeat(10_001)), { value: ["Ensure this field has no more than 10000 characters."] }],
        [asked("id", "eq", "5"), { value: ["A valid integer is required."] }],
        [asked("id", "eq", 1.5), { value: ["A valid integer is required."] }],
        [asked("duration", "eq", "5"), { value: ["A valid number is required."] }],
        [asked("duration", "gt", true), { value: ["A valid number is required."] }],
        [asked("duration", "eq", Number.NaN), { value: ["A valid number is required."] }],
        [asked("duration", "eq", 2 ** 53), { value: ["Ensure integers are within 2^53 - 1."] }],
        [asked("success", "eq", 1), { value: ["Must be a valid boolean."] }],
        [asked("status", "eq", 5), { value: ["Not a valid string."] }],
        [
          asked("status", "eq", "done"),
          { value: [expect.stringContaining('"done" is not a valid choice. Choose from ')] }
        ],
        [asked("timestamp", "gt", 5), { value: [time] }],
        [asked("timestamp", "gt", "then"), { value: [time] }],
        [asked("metadata.a", "gt", true), { value: ["A number or a text is required: booleans have no order."] }],
        [asked("metadata.a", "eq", {}), { value: ["A boolean, a number or a text is required."] }],
        [asked("metadata.a", "eq", Number.POSITIVE_INFINITY), { value: ["A valid number is required."] }]
      ]
    for (const [input, errors] of expected) expect([input, errorsOf(Filters.parse(input))]).toEqual([input, errors])
  })

  it("states the limit that a filter exceeds", () => {
    const list = asList(1000)
    expect(errorsOf(Filters.parse(asList(1001)))).toEqual({
      value: ["Ensure this field has no more than 1000 elements."]
    })
    expect(errorsOf(Filters.parse({ operator: "or", conditions: Array.from({ length: 11 }, () => list) }))).toEqual({
      non_field_errors: ["Ensure this filter has no more than 10000 values in its lists."]
    })
    expect(errorsOf(Filters.parse({ operator: "or", conditions: Array.from({ length: 5000 }, () => leaf) }))).toEqual({
      non_field_errors: ["Ensure this filter has no more than 1000 conditions."]
    })
  })

  it("accepts any text for a text field, pattern characters included", () => {
    for (const op of ["eq", "contains", "startswith", "endswith"]) {
      const input = { field: "topic", op, value: "(100%" }
      expect(right(Filters.parse(input))).toEqual(input)
    }
    expect(right(Filters.parse({ field: "status", op: "eq", value: "reviewed_success" }))).toEqual({
      field: "status",
      op: "eq",
      value: "reviewed_success"
    })
  })

  it("parses minus zero as zero", () => {
    for (const field of ["id", "duration", "metadata.a"]) {
      expect(right(Filters.parse({ field, op: "eq", value: -0 }))).toEqual({ field, op: "eq", value: 0 })
    }
  })

  it("reports at most ten unknown keys by name, and none that is too long or not a valid text", () => {
    const with_ = (...keys: ReadonlyArray<string>) =>
      errorsOf(Filters.parse({ ...leaf, ...Object.fromEntries(keys.map((key) => [key, 1])) }))
    const unknown = ["Unknown field."]
    expect(with_("a", "b")).toEqual({ a: unknown, b: unknown })
    expect(Object.keys(with_(..."abcdefghijkl"))).toEqual([..."abcdefghij"])
    expect(with_("k".repeat(100))).toEqual({ ["k".repeat(100)]: unknown })
    expect(with_("k".repeat(101))).toEqual({ non_field_errors: unknown })
    expect(with_("a\0")).toEqual({ non_field_errors: unknown })
  })

  it("rejects text that is not JSON, at any depth", () => {
    for (const text of [
      "{",
      "[]",
      '"a"',
      "5",
      "nul",
      "[".repeat(100_000),
      '{"operator":"not","conditions":['.repeat(50_000)
    ]) {
      expect(errorsOf(Filters.parseText(text))).toHaveProperty("non_field_errors")
    }
    const deep = 20_000
    const text = `${'{"operator":"not","conditions":['.repeat(deep)}{}${"]}".repeat(deep)}`
    expect(Object.values(errorsOf(Filters.parseText(text)))).toEqual([
      ["Ensure this filter is nested no deeper than 33 levels."]
    ])
    expect(errorsOf(Filters.parseText('{"field":"id","op":"eq","value":9007199254740993}'))).toHaveProperty("value")
    expect(errorsOf(Filters.parseText('{"field":"duration","op":"eq","value":1e999}'))).toHaveProperty("value")
  })

  it("accepts in a query what merging two stored filters can give, and no more", () => {
    const text = (filter: unknown) => JSON.stringify(filter)
    const any = (count: number, condition: unknown) =>
      text({ operator: "or", conditions: Array.from({ length: count }, () => condition) })
    const nested = (deep: number) =>
      `${'{"operator":"not","conditions":['.repeat(deep)}${text(leaf)}${"]}".repeat(deep)}`
    const padded = (length: number) => text(leaf).padEnd(length)
    const limits = [
      [nested(33), nested(34), "Ensure this filter is nested no deeper than 33 levels."],
      [any(2000, leaf), any(2001, leaf), "Ensure this filter has no more than 2001 conditions."],
      [any(20, asList(1000)), any(21, asList(1000)), "Ensure this filter has no more than 20000 values in its lists."],
      [padded(1_000_000), padded(1_000_001), "Ensure this field has no more than 1000000 characters."]
    ] as const
    for (const [within, beyond, expected] of limits) {
      expect(errorsOf(Filters.parseText(within))).toEqual({})
      expect(Object.values(errorsOf(Filters.parseText(beyond)))).toEqual([[expected]])
    }
    expect(errorsOf(Filters.parseText(5))).toEqual({ non_field_errors: ["Not a valid string."] })
    expect(errorsOf(Filters.parseText("{"))).toEqual({ non_field_errors: ["Value must be valid JSON."] })
  })

  it("parses a blank text as the empty filter", () => {
    expect([undefined, null, "", "  ", "null", "{}"].map((text) => right(Filters.parseText(text)))).toEqual(
      Array(6).fill(null)
    )
  })

  it("keeps the errors of a body with many unknown keys short", () => {
    const input = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`${"k".repeat(200)}${i}`, i]))
    expect(JSON.stringify(errorsOf(Filters.parse(input))).length).toBeLessThan(2000)
  })
})

describe("FilterField and FilterQuery", () => {
  const Draft = Fields.object({ name: Fields.text(), filters: Fields.withDefault(Filters.FilterField, null) })
  const read = decode(Draft)

  it("decodes a filter within a body, with its errors under the name of the field", () => {
    expect(right(read({ name: "a", filters: leaf }))).toEqual({ name: "a", filters: leaf })
    expect(right(read({ name: "a" }))).toEqual({ name: "a", filters: null })
    expect(errorsOf(read({ filters: { operator: "and", conditions: [{ ...leaf, op: "like" }, 5] } }))).toEqual({
      name: ["This field is required."],
      "filters.conditions[0].op": [expect.stringContaining('"like" is not a valid choice. Choose from ')],
      "filters.conditions[1]": ["Expected an object."]
    })
    expect(errorsOf(read({ name: "a", filters: "x" }))).toEqual({ filters: ["Expected an object."] })
  })

  it("decodes a query parameter given as text or as an object", () => {
    const query = decode(Fields.object({ filters_v2: Fields.optional(Filters.FilterQuery) }))
    expect(right(query({ filters_v2: JSON.stringify(leaf) }))).toEqual({ filters_v2: leaf })
    expect(right(query({ filters_v2: leaf }))).toEqual({ filters_v2: leaf })
    expect(errorsOf(query({ filters_v2: "{" }))).toEqual({ filters_v2: ["Value must be valid JSON."] })
    expect(errorsOf(query({ filters_v2: 5 }))).toEqual({ filters_v2: ["Expected an object."] })
  })

  it("encodes a filter as an object, and as text in a query", () => {
    const filter = right(Filters.parse({ operator: "not", conditions: [leaf] }))
    expect(Schema.encodeSync(Filters.FilterField)(filter)).toEqual({ operator: "not", conditions: [leaf] })
    expect(Schema.encodeSync(Filters.FilterField)(null)).toBe(null)
    expect(Schema.encodeSync(Filters.FilterQuery)(filter)).toBe(
      '{"operator":"not","conditions":[{"field":"topic","op":"eq","value":"billing"}]}'
    )
  })

  it("describes a filter as a leaf, a group, an empty object or null in the JSON Schema", () => {
    const described = <I>(schema: Schema.Schema<Filters.Filter, I>) => JSONSchema.make(schema)
    const text = { type: "string" }
    expect(described(Filters.FilterField)).toMatchObject({
      title: "Filter",
      anyOf: [
        {
          type: "object",
          required: ["field", "op", "value"],
          properties: {
            field: text,
            op: {
              ...text,
              enum: [
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
              ]
            },
            value: {}
          },
          additionalProperties: false
        },
        {
          type: "object",
          required: ["operator", "conditions"],
          properties: {
            operator: { ...text, enum: ["and", "or", "not", "same_row"] },
            conditions: { type: "array", items: { type: "object" } }
          },
          additionalProperties: false
        },
        { type: "object", maxProperties: 0 },
        { type: "null" }
      ]
    })
    expect(described(Filters.FilterQuery)).toMatchObject({ type: "string", contentMediaType: "application/json" })
  })
})
