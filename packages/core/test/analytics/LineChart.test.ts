import { type Json } from "@earshot/core"
import { describe, expect, it } from "vitest"
import { call, line, points } from "./charts.js"

describe("a line chart", () => {
  it("averages numbers by hour for a short time range", () => {
    const data = line({ field: "duration" }, [
      call("2026-03-01T10:00:00Z", { duration: 10 }),
      call("2026-03-01T10:30:00Z", { duration: 20 }),
      call("2026-03-01T12:00:00Z", { duration: 5 }),
      call("2026-03-01T13:00:00Z")
    ])
    expect(data).toMatchObject({ dataType: "numeric", aggregationFunction: "avg", timePeriod: "hour", interval: null })
    expect(points(data.series[0])).toEqual([
      ["2026-03-01T10", 15, 2],
      ["2026-03-01T11", null, 0],
      ["2026-03-01T12", 5, 1]
    ])
    expect(data.series[0]).toMatchObject({ kind: "all", key: null, label: "duration" })
  })

  it("shows the share of true values", () => {
    const data = line({ field: "success", group_by: { type: "bucket", interval: 86_400_000 } }, [
      call("2026-03-01T10:00:00Z", { success: true }),
      call("2026-03-01T11:00:00Z", { success: false })
    ])
    expect(data).toMatchObject({ aggregationFunction: "avg", timePeriod: null, interval: 86_400_000 })
    expect(points(data.series[0])).toEqual([["2026-03-01T00", 0.5, 2]])
  })

  it("has one series per text with its count", () => {
    const data = line({ field: "call_ended_reason" }, [
      call("2026-03-01T10:00:00Z", { callEndedReason: "b" }),
      call("2026-03-01T10:00:00Z", { callEndedReason: "b" }),
      call("2026-03-01T10:00:00Z", { callEndedReason: "a" })
    ])
    expect(data.aggregationFunction).toBe("count")
    expect(data.series.map(({ key, points }) => [key, points[0]!.value])).toEqual([
      ["b", 2],
      ["a", 1]
    ])
  })

  it("uses the most frequent type of a field with several types", () => {
    const calls = [1, 2, "three", true, { four: 4 }, [5], null].map((score) =>
      call("2026-03-01T10:00:00Z", { metadata: { score } })
    )
    const data = line({ field: "metadata.score" }, calls)
    expect(data.dataType).toBe("numeric")
    expect(points(data.series[0])).toEqual([["2026-03-01T10", 1.5, 2]])
    expect(line({ field: "metadata.score", data_type: "string" }, calls).series[0]!.key).toBe("three")
  })

  it("has no points without values", () => {
    expect(line({ field: "duration" }, []).series).toEqual([{ kind: "all", key: null, label: "duration", points: [] }])
    expect(line({ field: "topic" }, []).series).toEqual([])
    expect(line({ field: "metadata.region" }, [])).toMatchObject({ dataType: "dynamic" })
  })

  it("infers numeric, boolean or string from the most frequent type", () => {
    const of = (...values: ReadonlyArray<Json>) =>
      line(
        { field: "metadata.x" },
        values.map((x) => call("2026-03-01T10:00:00Z", { metadata: { x } }))
      ).dataType
    expect(of(1, 2, true, "a")).toBe("numeric")
    expect(of(1, true, true, "a")).toBe("boolean")
    expect(of(true, true, 1)).toBe("boolean")
    expect(of(1, true, "a", "b")).toBe("string")
    expect(of("a", "b", 1)).toBe("string")
  })

  it("uses days without values", () => {
    expect(line({ field: "duration" }, [])).toMatchObject({ chartType: "line", timePeriod: "day", interval: null })
  })

  it("prefers numeric to boolean to string when equally frequent", () => {
    const of = (...values: ReadonlyArray<Json>) =>
      line(
        { field: "metadata.x" },
        values.map((x) => call("2026-03-01T10:00:00Z", { metadata: { x } }))
      ).dataType
    expect(of("a", true, 1)).toBe("numeric")
    expect(of("a", 1)).toBe("numeric")
    expect(of("a", true)).toBe("boolean")
    expect(of("a", "b", true)).toBe("string")
  })
})
