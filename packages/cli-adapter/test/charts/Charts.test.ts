import { describe, expect, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { drawWidget } from "../../src/charts/DrawDashboard.js"
import { printInstant, printNumber, printSeconds, printShare } from "../../src/charts/Numbers.js"
import { shareBar } from "../../src/charts/PieChart.js"
import { barRows, lineRows, scaleOf } from "../../src/charts/TimeChart.js"
import { displayWidth } from "../../src/Text.js"
import type { Wire } from "../../src/Wire.js"
import { acts, anyText, unpainted } from "../support/text.js"

const DAY = 86_400_000

const overTime = (
  chart_type: "bar" | "line",
  series: ReadonlyArray<{ readonly label: string; readonly values: ReadonlyArray<number | null> }>
): Wire<"WidgetData"> => ({
  chart_type,
  data_type: "numeric",
  field: "duration",
  aggregation_function: "avg",
  time_period: "day",
  interval: null,
  truncated: false,
  series: series.map(({ label, values }) => ({
    kind: series.length === 1 ? "all" : "value",
    key: series.length === 1 ? null : label,
    label,
    points: values.map((value, at) => ({
      timestamp: new Date(Date.UTC(2026, 0, 1) + at * DAY).toISOString(),
      value,
      count: value === null ? 0 : 1
    }))
  }))
})

const pie = (slices: ReadonlyArray<readonly [string, number]>): Wire<"WidgetData"> => {
  const total = slices.reduce((sum, [, value]) => sum + value, 0)
  return {
    chart_type: "pie",
    data_type: "string",
    field: "call_ended_reason",
    total,
    series: [
      {
        kind: "all",
        key: null,
        label: "call_ended_reason",
        total,
        points: slices.map(([label, value]) => ({ kind: "value", key: label, label, value, share: value / total }))
      }
    ]
  }
}

const plain = (columns: number) => ({ columns, color: false })

describe("a number in a chart", () => {
  it.each([
    [1234, "1,234"],
    [12.345, "12.35"],
    [0, "0"],
    [-3.5, "-3.5"],
    [1_250_000, "1.3M"]
  ])("%d is printed as %s", (value, text) => {
    expect(printNumber(value)).toBe(text)
  })

  it("is printed as a duration, a percentage or a date by its unit", () => {
    expect(printSeconds(192.4)).toBe("03:12")
    expect(printSeconds(7205)).toBe("120:05")
    expect(printShare(0.8125)).toBe("81.3 %")
    const at = new Date("2026-03-14T09:00:00Z")
    expect(printInstant(at, 3_600_000)).toBe("03-14 09:00")
    expect(printInstant(at, DAY)).toBe("03-14")
    expect(printInstant(at, 31 * DAY)).toBe("2026-03")
  })
})

describe("a chart in the terminal", () => {
  it("prints four numbers side by side, or below each other if the terminal is narrow", () => {
    const data: Wire<"WidgetData"> = {
      chart_type: "stat",
      total_calls: 1406,
      success_rate: 0.73,
      avg_duration: 56,
      p95_latency: 1508,
      p95_call_latency: null
    }
    expect(drawWidget(data, plain(80))).toEqual([
      "1,406   73.0 %         00:56              1,508 ms      no data",
      "Calls   Success rate   Average duration   p95 latency   p95 call latency"
    ])
    expect(drawWidget(data, plain(40))).toEqual([
      "Calls            1,406",
      "Success rate     73.0 %",
      "Average duration 00:56",
      "p95 latency      1,508 ms",
      "p95 call latency no data"
    ])
  })

  it("draws slices with a precision of an eighth of a column", () => {
    expect(
      drawWidget(
        pie([
          ["customer", 6],
          ["silence", 2]
        ]),
        plain(44)
      )
    ).toEqual(["customer  75.0 %  6  █████████████████▎", "silence   25.0 %  2  █████▊"])
    expect(shareBar(0, 10)).toBe("")
    expect(shareBar(1e-9, 10)).toBe("▏")
    expect(shareBar(1, 10)).toBe("██████████")
  })

  it("draws bars from zero, with a gap for a missing value and the thinnest bar for zero", () => {
    const scale = scaleOf([4, 2, 0])
    expect(scale).toEqual({ low: 0, high: 5 })
    expect(barRows([4, null, 2, 0], { scale, rows: 2, width: 2 })).toEqual(["▅       ", "█   ▆ ▁ "])
  })

  it("draws lines as dots, interrupted where values are missing", () => {
    const frame = { scale: { low: 0, high: 10 }, rows: 1, columns: 3 }
    expect(lineRows([0, 10, 0], frame)).toEqual(["⡠⠊⢆"])
    expect(lineRows([5, null, 5], frame)).toEqual(["⠂ ⠐"])
  })

  it("states that there is no data", () => {
    for (const data of [
      pie([]),
      overTime("bar", []),
      overTime("line", [{ label: "duration", values: [null, null] }])
    ]) {
      expect(drawWidget(data, plain(80))).toEqual(["no data"])
    }
  })

  it("never exceeds its width and never contains control sequences, whatever the data", () => {
    const value = fc.option(
      fc.oneof(
        fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 }),
        fc.integer({ min: 0, max: 50 })
      )
    )
    const series = fc.array(fc.record({ label: anyText, values: fc.array(value, { minLength: 1, maxLength: 200 }) }), {
      maxLength: 8
    })
    const anyData: fc.Arbitrary<Wire<"WidgetData">> = fc.oneof(
      fc.tuple(fc.constantFrom("bar" as const, "line" as const), series).map(([type, some]) => overTime(type, some)),
      fc.array(fc.tuple(anyText, fc.integer({ min: 1, max: 1e9 })), { maxLength: 12 }).map(pie),
      fc.record({
        chart_type: fc.constant("stat" as const),
        total_calls: fc.nat(),
        success_rate: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
        avg_duration: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })),
        p95_latency: fc.option(fc.double({ min: -1e3, max: 1e7, noNaN: true })),
        p95_call_latency: fc.option(fc.double({ min: 0, max: 1e7, noNaN: true }))
      })
    )
    fc.assert(
      fc.property(anyData, fc.integer({ min: 30, max: 120 }), fc.boolean(), (data, columns, color) => {
        for (const line of drawWidget(data, { columns, color })) {
          const shown = unpainted(line)
          expect(acts(shown)).toBe(false)
          expect(shown).not.toContain("\n")
          expect(displayWidth(shown)).toBeLessThanOrEqual(columns)
          if (!color) expect(line).toBe(shown)
        }
      }),
      { numRuns: 100 }
    )
  })
})
