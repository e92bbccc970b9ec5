import { Filters } from "@earshot/core"
import { FilterKit } from "@earshot/test-kit"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decode } from "../../src/kernel/Faults.js"
import * as Fields from "../../src/kernel/Fields.js"

const right = <A>(either: Either.Either<A, unknown>): A =>
  Either.getOrThrowWith(either, (left) => new Error(JSON.stringify(left)))
const faultsOf = (either: Either.Either<unknown, Readonly<Record<string, ReadonlyArray<string>>>>) =>
  Either.match(either, { onLeft: (faults) => faults, onRight: () => ({}) })

const leaf = { field: "topic", op: "eq", value: "billing" }

describe("parsing a filter", () => {
  it("takes null, an object without keys and a group without conditions for the empty filter", () => {
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

  it("drops what holds anyway, and keeps it where it makes a difference", () => {
    expect(right(Filters.parse({ operator: "and", conditions: [{}, leaf] }))).toEqual({
      operator: "and",
      conditions: [leaf]
    })
    expect(right(Filters.parse({ operator: "not", conditions: [{}] }))).toEqual({
      operator: "not",
      conditions: [{ operator: "and", conditions: [] }]
    })
  })

  it("keeps values as the client gave them", () => {
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

  it("goes to its limits and no further", () => {
    const all = (count: number, condition: unknown = leaf) => ({
      operator: "or",
      conditions: Array.from({ length: count }, () => condition)
    })
    const nested = (depth: number): unknown =>
      depth === 0 ? leaf : { operator: "not", conditions: [nested(depth - 1)] }
    const listed = (count: number) => ({ field: "id", op: "in", value: Array.from({ length: count }, (_, i) => i) })
    const equal = (field: string, value: unknown = "") => ({ field, op: "eq", value })
    const { depth, nodes, values } = Filters.LIMITS
    const limits: ReadonlyArray<readonly [within: unknown, beyond: unknown, path: string]> = [
      [nested(depth), nested(depth + 1), "conditions[0].".repeat(depth).slice(0, -1)],
      [all(nodes - 1), all(nodes), "non_field_errors"],
      [all(values / 1000, listed(1000)), all(values / 1000 + 1, listed(1000)), "non_field_errors"],
      [listed(1000), listed(1001), "value"],
      [listed(1), listed(0), "value"],
      [equal("topic", "\u{1f600}".repeat(10_000)), equal("topic", "\u{1f600}".repeat(10_001)), "value"],
      [equal(`metadata.${"\u{1f600}".repeat(246)}`), equal(`metadata.${"\u{1f600}".repeat(247)}`), "field"],
      [equal(`metadata${".a".repeat(10)}`), equal(`metadata${".a".repeat(11)}`), "field"],
      [equal("id", 2 ** 53 - 1), equal("id", 2 ** 53), "value"],
      [equal("duration", 1 - 2 ** 53), equal("duration", -(2 ** 53)), "value"],
      [{ ...leaf, op: "regex", value: "a".repeat(998) }, { ...leaf, op: "regex", value: "a".repeat(1001) }, "value"]
    ]
    for (const [within, beyond, path] of limits) {
      expect(faultsOf(Filters.parse(within))).toEqual({})
      expect(Object.keys(faultsOf(Filters.parse(beyond)))).toEqual([path])
    }
  })

  it("reads back what it prints", () => {
    fc.assert(
      fc.property(FilterKit.filter, (filter) => {
        expect(right(Filters.parse(Filters.print(filter)))).toEqual(filter)
        expect(right(Filters.parseText(JSON.stringify(Filters.print(filter))))).toEqual(filter)
      })
    )
  })

  it("reads every filter, however many empty ones are in it, into a form that stays", () => {
    fc.assert(
      fc.property(FilterKit.filterJson, (input) => {
        const filter = right(Filters.parse(input))
        expect(right(Filters.parse(Filters.print(filter)))).toEqual(filter)
      })
    )
  })

  it.each(FilterKit.invalidFilters.map((invalid) => [invalid.wrong, invalid] as const))(
    "refuses %s",
    (_, { input, path }) => {
      expect(Object.keys(faultsOf(Filters.parse(input)))).toEqual([path])
    }
  )

  it("finds a flaw wherever it is, and nothing else", () => {
    fc.assert(
      fc.property(FilterKit.invalidFilter, ({ input, path }) => {
        expect(Object.keys(faultsOf(Filters.parse(input)))).toEqual([path])
      })
    )
  })

  it("tells every fault at once", () => {
    expect(
      faultsOf(
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
      operator: ['"xor" is not a valid choice.'],
      "conditions[0].field": [expect.stringContaining('"nope" is not a valid choice.')],
      "conditions[0].op": ['"like" is not a valid choice.'],
      "conditions[1].op": ['"gt" cannot be asked of this field; it takes eq, neq, in, isnull.'],
      "conditions[2].more": ["Unknown field."],
      "conditions[2].conditions[0].value[1]": ["A valid integer is required."],
      "conditions[2].conditions[0].value[2]": [expect.stringContaining("This field may not be null.")]
    })
  })

  it("answers for any input whatever", () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
        (input) => {
          Filters.parse(input)
          Filters.parse({ operator: "and", conditions: [input, { field: input, op: input, value: input }] })
        }
      )
    )
  })

  it("refuses text that is no JSON, of whatever depth", () => {
    for (const text of [
      "{",
      "[]",
      '"a"',
      "5",
      "nul",
      "[".repeat(100_000),
      '{"operator":"not","conditions":['.repeat(50_000)
    ]) {
      expect(faultsOf(Filters.parseText(text))).toHaveProperty("non_field_errors")
    }
    const deep = 20_000
    const text = `${'{"operator":"not","conditions":['.repeat(deep)}{}${"]}".repeat(deep)}`
    expect(Object.values(faultsOf(Filters.parseText(text)))).toEqual([
      ["Ensure this filter is nested no deeper than 33 levels."]
    ])
    expect(faultsOf(Filters.parseText('{"field":"id","op":"eq","value":9007199254740993}'))).toHaveProperty("value")
    expect(faultsOf(Filters.parseText('{"field":"duration","op":"eq","value":1e999}'))).toHaveProperty("value")
  })

  it("takes a blank text for the empty filter", () => {
    expect([undefined, null, "", "  ", "null", "{}"].map((text) => right(Filters.parseText(text)))).toEqual(
      Array(6).fill(null)
    )
  })

  it("says no more than a little about a body full of unknown keys", () => {
    const input = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`${"k".repeat(200)}${i}`, i]))
    expect(JSON.stringify(faultsOf(Filters.parse(input))).length).toBeLessThan(2000)
  })
})

describe("a filter as a field", () => {
  const Draft = Fields.object({ name: Fields.text(), filters: Fields.withDefault(Filters.FilterField, null) })
  const read = decode(Draft)

  it("is decoded with the rest of a body, its faults under its name", () => {
    expect(right(read({ name: "a", filters: leaf }))).toEqual({ name: "a", filters: leaf })
    expect(right(read({ name: "a" }))).toEqual({ name: "a", filters: null })
    expect(faultsOf(read({ filters: { operator: "and", conditions: [{ ...leaf, op: "like" }, 5] } }))).toEqual({
      name: ["This field is required."],
      "filters.conditions[0].op": ['"like" is not a valid choice.'],
      "filters.conditions[1]": ["Expected an object."]
    })
    expect(faultsOf(read({ name: "a", filters: "x" }))).toEqual({ filters: ["Expected an object."] })
  })

  it("is taken from a query as text or as an object", () => {
    const query = decode(Fields.object({ filters_v2: Fields.optional(Filters.FilterQuery) }))
    expect(right(query({ filters_v2: JSON.stringify(leaf) }))).toEqual({ filters_v2: leaf })
    expect(right(query({ filters_v2: leaf }))).toEqual({ filters_v2: leaf })
    expect(faultsOf(query({ filters_v2: "{" }))).toEqual({ filters_v2: ["Value must be valid JSON."] })
    expect(faultsOf(query({ filters_v2: 5 }))).toEqual({ filters_v2: ["Expected an object."] })
  })
})
