import { describe, expect, it } from "vitest"
import { formulaDirection } from "../../src/metrics/Formulas.js"
import { predefinedEntries } from "../../src/metrics/PredefinedMetrics.js"

describe("predefined latency metrics", () => {
  it("compute each percentile with the formula of latency_ms", () => {
    const latency = predefinedEntries.filter(({ functionName }) => functionName === "latency_ms")
    expect(
      latency.map(({ configuration, id, name, revision, slug }) => [id, revision, slug, name, configuration])
    ).toEqual([
      [1, 1, "latency_ms", "Latency", null],
      [2, 1, "latency_p50_ms", "Latency p50", { statistic: "p50" }],
      [3, 1, "latency_p90_ms", "Latency p90", { statistic: "p90" }],
      [4, 1, "latency_p95_ms", "Latency p95", { statistic: "p95" }],
      [5, 1, "latency_p99_ms", "Latency p99", { statistic: "p99" }]
    ])
  })

  it("describe what they measure, by which formula and on what basis", () => {
    const described = predefinedEntries.find(({ slug }) => slug === "latency_p90_ms")?.description
    expect(described).toContain("The 90th percentile of the user's waiting times for the agent's answers in a call.")
    expect(described).toContain("quantile by linear interpolation between ranks (percentile_cont in SQL)")
    expect(described).toContain("Basis: the start of every turn, and the ends of the user's")
  })
})

describe("the direction of a formula", () => {
  it("is stated where smaller or larger values are better", () => {
    expect(formulaDirection("latency_ms")).toBe("lower")
    expect(formulaDirection("interruption_score")).toBe("higher")
  })
})
