import { Filters } from "@earshot/core"
import { FilterKit } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"

const a: Filters.Leaf = { field: "success", op: "eq", value: true }
const b: Filters.Leaf = { field: "timestamp", op: "gte", value: "today-7d" }
const c: Filters.Leaf = { field: "duration", op: "gte", value: 60 }
const and = (...conditions: ReadonlyArray<Filters.Condition>): Filters.Group => ({ operator: "and", conditions })
const or = (...conditions: ReadonlyArray<Filters.Condition>): Filters.Group => ({ operator: "or", conditions })

describe("merge", () => {
  it.each(
    FilterKit.mergeProperties(Filters.merge, FilterKit.matches).map((property) => [property.name, property] as const)
  )("%s", (_, property) => property.check())

  it("combines the conditions of both filters in one and", () => {
    expect(Filters.merge(a, b)).toEqual(and(a, b))
    expect(Filters.merge(and(a, b), c)).toEqual(and(a, b, c))
    expect(Filters.merge(and(a, and(b)), and(and(c)))).toEqual(and(a, b, c))
    expect(Filters.merge(or(a, b), or(b, c))).toEqual(and(or(a, b), or(b, c)))
  })

  it("leaves a filter unchanged when the other one is empty", () => {
    expect(Filters.merge(null, null)).toBe(null)
    expect(Filters.merge(a, null)).toEqual(a)
    expect(Filters.merge(null, and(a))).toEqual(and(a))
    expect(Filters.merge(and(a), null)).toEqual(and(a))
  })

  it("flattens a filter when the other one is empty", () => {
    expect(Filters.merge(null, and(a, and(b, a)))).toEqual(and(a, b))
    expect(Filters.merge(and(and(a, b), b), null)).toEqual(and(a, b))
    expect(Filters.merge(null, or(a, and(a, a)))).toEqual(or(a, and(a, a)))
    expect(Filters.merge(null, and())).toBe(null)
    expect(Filters.merge(and(and()), null)).toBe(null)
  })

  it("keeps each condition once", () => {
    expect(Filters.merge(a, a)).toEqual(a)
    expect(Filters.merge(and(a, b), and(b, c))).toEqual(and(a, b, c))
    expect(Filters.merge(and(a, a), b)).toEqual(and(a, b))
  })
})
