import { Filters } from "@earshot/core"
import { FilterKit } from "@earshot/test-kit"
import * as DateTime from "effect/DateTime"
import { describe, expect, it } from "vitest"

const at = (text: string, now: string, edge: "start" | "end" = "start") => {
  const resolved = Filters.RelativeTime.resolve(text, DateTime.unsafeMake(now), edge)
  return resolved === undefined ? undefined : DateTime.formatIso(resolved)
}

describe("relative times", () => {
  it.each(
    FilterKit.relativeTimeProperties(Filters.RelativeTime.resolve).map((property) => [property.name, property] as const)
  )("%s", (_, property) => property.check())

  const now = "2026-03-31T10:20:30.456Z"
  it.each([
    ["now", "start", "2026-03-31T10:20:30.456Z"],
    ["now-90s", "start", "2026-03-31T10:19:00.456Z"],
    ["now+1h-30m", "end", "2026-03-31T10:50:30.456Z"],
    ["today", "start", "2026-03-31T00:00:00.000Z"],
    ["today", "end", "2026-03-31T23:59:59.999Z"],
    ["today-7d", "start", "2026-03-24T00:00:00.000Z"],
    ["today-7d", "end", "2026-03-24T23:59:59.999Z"],
    ["today-1w+2h", "start", "2026-03-24T02:00:00.000Z"],
    ["today-1M", "start", "2026-02-28T00:00:00.000Z"],
    ["today-1M", "end", "2026-02-28T23:59:59.999Z"],
    ["today-1M+1M", "start", "2026-03-28T00:00:00.000Z"],
    ["today+1M", "start", "2026-04-30T00:00:00.000Z"],
    ["now-13M", "start", "2025-02-28T10:20:30.456Z"],
    ["2026-03-01", "start", "2026-03-01T00:00:00.000Z"],
    ["2026-03-01", "end", "2026-03-01T23:59:59.999Z"],
    ["2026-03-01T12:00:00Z", "end", "2026-03-01T12:00:00.000Z"],
    ["2026-03-01T12:00:00+02:00", "start", "2026-03-01T10:00:00.000Z"],
    ["2026-03-01 12:00", "start", "2026-03-01T12:00:00.000Z"]
  ] as const)("%s at its %s is %s", (text, edge, expected) => {
    expect(at(text, now, edge)).toBe(expected)
  })

  it("respects leap years", () => {
    expect(at("today+1M", "2028-01-31T00:00:00Z")).toBe("2028-02-29T00:00:00.000Z")
    expect(at("today+1M", "2026-01-31T00:00:00Z")).toBe("2026-02-28T00:00:00.000Z")
    expect(at("today+1y", "2028-02-29T00:00:00Z")).toBe("2029-02-28T00:00:00.000Z")
    expect(at("today-4y", "2028-02-29T00:00:00Z")).toBe("2024-02-29T00:00:00.000Z")
  })

  it("accepts any number of steps within the range of dates", () => {
    expect(at(`now${"+1d-1d".repeat(100)}`, now)).toBe("2026-03-31T10:20:30.456Z")
    expect(at("now-9999y", now)).toBe("-007973-03-31T10:20:30.456Z")
    for (const text of [
      "now-10001y",
      "now+6000y-6000y",
      "now+999999999999d",
      `now+${"9".repeat(400)}s`,
      `now${"+1s".repeat(400)}`
    ]) {
      expect(at(text, now)).toBe(undefined)
    }
  })

  it("parses only the documented syntax", () => {
    expect(Filters.RelativeTime.parse("now")).toEqual({ from: "now", steps: [] })
    expect(Filters.RelativeTime.parse("today-12d+3M")).toEqual({
      from: "today",
      steps: [
        { count: -12, unit: "d" },
        { count: 3, unit: "M" }
      ]
    })
    expect(Filters.RelativeTime.parse(" 1970-01-02 ")).toEqual({ from: "instant", at: 86_400_000, isDay: true })
    expect(Filters.RelativeTime.parse("1970-01-02T00:00Z")).toEqual({ from: "instant", at: 86_400_000, isDay: false })
  })

  it("accepts offsets of up to 10,000 years of 365 days", () => {
    const longest = [
      [10_000, "y"],
      [121_666, "M"],
      [521_428, "w"],
      [3_650_000, "d"],
      [87_600_000, "h"],
      [5_256_000_000, "m"],
      [315_360_000_000, "s"]
    ] as const
    for (const [most, unit] of longest) {
      for (const sign of ["+", "-"]) {
        expect(Filters.RelativeTime.parse(`now${sign}${most}${unit}`)).toBeDefined()
        expect(Filters.RelativeTime.parse(`now${sign}${most + 1}${unit}`)).toBeUndefined()
      }
    }
    expect(Filters.RelativeTime.parse("now+5000y-5000y")).toBeDefined()
    expect(Filters.RelativeTime.parse("now+5000y-5000y+1s")).toBeUndefined()
  })

  it("rejects texts of more than 1,000 characters", () => {
    const long = `now+11d${"+1d".repeat(331)}`
    expect(long).toHaveLength(1000)
    expect(at(long, now)).toBe("2027-03-08T10:20:30.456Z")
    expect(at(`now+111d${"+1d".repeat(331)}`, now)).toBe(undefined)
  })

  it("resolves to undefined if the result is out of range", () => {
    const last = DateTime.unsafeMake(8_640_000_000_000_000)
    expect(Filters.RelativeTime.resolve("today", last, "start")).toEqual(last)
    expect(Filters.RelativeTime.resolve("today", last, "end")).toBe(undefined)
    expect(Filters.RelativeTime.resolve("now+1s", last, "start")).toBe(undefined)
  })

  it("resolves a day to its start or end, depending on the operator", () => {
    expect((["gt", "gte", "lt", "lte"] as const).map(Filters.RelativeTime.edgeOf)).toEqual([
      "end",
      "start",
      "start",
      "end"
    ])
  })

  it.each([
    "",
    "Now",
    "xnow",
    "now+1dx",
    "now+d",
    "2026-03-01x",
    "x2026-03-01",
    "today-",
    "today-7",
    "today7d",
    "today -7d",
    "today-7D",
    "now-1.5h",
    "now--1h",
    "tomorrow",
    "2026-13-01",
    "2026-02-29",
    "1700000000"
  ])("%j is none", (text) => {
    expect(at(text, now)).toBe(undefined)
  })
})
