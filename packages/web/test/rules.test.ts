import { describe, expect, it } from "vitest"
import * as Filter from "../src/rules/filter.js"
import * as Format from "../src/rules/format.js"

const failed: Filter.Leaf = { field: "success", op: "eq", value: false }
const recent: Filter.Leaf = { field: "timestamp", op: "gte", value: "today-7d" }
const either: Filter.Group = { operator: "or", conditions: [failed, recent] }

describe("filters", () => {
  it("are read from JSON as they are", () => {
    for (const filter of [failed, either, { operator: "not", conditions: [either] }] as const) {
      expect(Filter.readFilter(JSON.parse(JSON.stringify(filter)))).toEqual(filter)
    }
    for (const empty of [null, {}]) expect(Filter.readFilter(empty)).toBe(null)
  })

  it("are not read from anything else", () => {
    let deep: unknown = failed
    for (let depth = 0; depth < 1_000; depth++) deep = { operator: "and", conditions: [deep] }
    for (const value of [
      1,
      "x",
      [],
      { field: "success" },
      { field: 1, op: "eq", value: 1 },
      { field: "x", op: "like", value: 1 },
      { field: "x", op: "eq" },
      { operator: "xor", conditions: [] },
      { operator: "and", conditions: [1] },
      { operator: "and" },
      deep
    ]) {
      expect(Filter.readFilter(value), JSON.stringify(value).slice(0, 80)).toBe(undefined)
    }
  })

  it("are joined with `and`, flattened, and without empty ones", () => {
    const and: Filter.Group = { operator: "and", conditions: [failed, recent] }
    expect(Filter.both(failed, null, recent)).toEqual(and)
    expect(Filter.both(and, either)).toEqual({ operator: "and", conditions: [failed, recent, either] })
    expect(Filter.both(null, { operator: "and", conditions: [] }, failed)).toEqual(failed)
    expect(Filter.both()).toBe(null)
    expect(Filter.fromConditions(Filter.topConditions(and))).toEqual(and)
    expect(Filter.fromConditions(Filter.topConditions(either))).toEqual(either)
  })

  it("keep the type of a value that is typed", () => {
    expect(Filter.readValue("7", "duration", "gte")).toBe(7)
    expect(Filter.readValue("7", "topic", "eq")).toBe("7")
    expect(Filter.readValue("a, b", "topic", "in")).toEqual(["a", "b"])
    expect(Filter.readValue("1, 2", "id", "in")).toEqual([1, 2])
    expect(Filter.readValue("false", "success", "eq")).toBe(false)
    expect(Filter.readValue("true", "metadata.vip", "eq")).toBe(true)
    expect(Filter.readValue("today-7d", "timestamp", "gte")).toBe("today-7d")
    expect(Filter.typedValue(["a", "b"])).toBe("a, b")
  })

  it("offer the operators that apply to a field", () => {
    expect(Filter.operatorsOf("success")).toEqual(["eq", "neq", "in", "isnull"])
    expect(Filter.operatorsOf("timestamp")).not.toContain("contains")
    expect(Filter.operatorsOf("topic")).toEqual([...Filter.OPERATORS])
  })

  it("are described in words", () => {
    expect(Filter.describe(failed)).toBe("success is false")
    expect(Filter.describe({ operator: "not", conditions: [either] })).toBe(
      "not ((success is false or time at least today-7d))"
    )
    expect(Filter.describe({ field: "topic", op: "isnull", value: false })).toBe("topic is present")
  })
})

describe("formats", () => {
  it("write times in UTC", () => {
    const now = new Date("2026-11-22T20:00:00Z")
    expect(Format.shortTime("2026-11-02T04:07:31Z", now)).toBe("2 Nov 04:07")
    expect(Format.shortTime("2025-01-31T23:59:00+01:00", now)).toBe("31 Jan 2025 22:59")
    expect(Format.shortTime("soon", now)).toBe("soon")
    expect(Format.fullTime("2026-11-02T04:07:31.500Z")).toBe("2026-11-02 04:07:31 UTC")
  })

  it("write durations and shares", () => {
    expect([0, 5, 65, 3665, -1].map(Format.clock)).toEqual(["0:00", "0:05", "1:05", "1:01:05", "0:00"])
    expect(Format.percent(0.7014)).toBe("70.1 %")
    expect(Format.seconds(0.84)).toBe("0.8 s")
    expect([null, true, 2.345, "yes"].map(Format.metricValue)).toEqual(["–", "Yes", "2.35", "yes"])
  })
})
