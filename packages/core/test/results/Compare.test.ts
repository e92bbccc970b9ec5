import {
  AgentId,
  compareResults,
  directionOf,
  encodeComparison,
  MetricId,
  type MetricScores,
  predefinedEntries,
  ResultId,
  type ResultScores,
  type ScenarioScores
} from "@earshot/core"
import { MetricKit, ResultKit } from "@earshot/test-kit"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { Comparison } from "../../src/results/Compare.js"

const number = (id: number, mean: number, better: MetricScores["better"] = "higher"): MetricScores => ({
  id: MetricId.make(id),
  name: `M ${id}`,
  better,
  isBinary: false,
  numbers: 2,
  sum: mean * 2,
  squares: mean * mean * 2,
  words: new Map()
})

const words = (id: number, messages: Readonly<Record<string, number>>): MetricScores => ({
  ...number(id, 0, null),
  numbers: 0,
  sum: 0,
  squares: 0,
  words: new Map(Object.entries(messages))
})

const scenario = (key: string, successes: number, failures: number, metrics: ReadonlyArray<MetricScores> = []) =>
  ({
    key,
    name: key.toUpperCase(),
    counts: [
      ...(successes > 0 ? [{ status: "completed" as const, success: true, runs: successes }] : []),
      ...(failures > 0 ? [{ status: "completed" as const, success: false, runs: failures }] : [])
    ],
    metrics
  }) satisfies ScenarioScores

const result = (id: number, ...scenarios: ReadonlyArray<ScenarioScores>): ResultScores => ({
  id: ResultId.make(id),
  name: `R ${id}`,
  agentId: AgentId.make(1),
  channel: "text",
  scenarios
})

describe("comparison of two results", () => {
  it("shows what became better and worse, by scenario and by metric", () => {
    const base = result(
      1,
      scenario("up", 1, 1),
      scenario("down", 2, 0),
      scenario("still", 1, 1, [number(1, 3), number(2, 100, "lower")]),
      scenario("gone", 1, 0),
      scenario("torn", 1, 0, [number(1, 3), number(2, 100, "lower")])
    )
    const now = result(
      2,
      scenario("new", 0, 1),
      scenario("torn", 1, 0, [number(1, 4), number(2, 130, "lower")]),
      scenario("still", 1, 1, [number(1, 3), number(2, 100, "lower")]),
      scenario("up", 2, 0),
      scenario("down", 1, 1)
    )
    const compared = compareResults(base, now)
    expect(compared.scenarios.map(({ change, key }) => [key, change])).toEqual([
      ["new", "added"],
      ["torn", "mixed"],
      ["still", "same"],
      ["up", "better"],
      ["down", "worse"],
      ["gone", "removed"]
    ])
    expect(compared.scenarios[1]?.metrics).toEqual([
      { id: 1, name: "M 1", better: "higher", base: 3, result: 4, difference: 1, change: "better", shares: null },
      { id: 2, name: "M 2", better: "lower", base: 100, result: 130, difference: 30, change: "worse", shares: null }
    ])
    expect(compared.scenarios[4]?.successRate).toEqual({ base: 1, result: 0.5, difference: -0.5, change: "worse" })
    expect(compared.scenarioCounts).toMatchObject({ better: 1, worse: 1, mixed: 1, same: 1, added: 1, removed: 1 })
    expect(compared).toMatchObject({
      base: { id: 1, totalRuns: 8 },
      result: { id: 2, totalRuns: 8 },
      successRate: { base: 6 / 8, result: 5 / 8, change: "worse" }
    })
    expect(encodeComparison(compared)).toMatchObject({
      base: { agent: 1, total_runs: 8 },
      success_rate: { base: 0.75 }
    })
  })

  it("ranks success above metrics and ignores differences within the tolerance", () => {
    const [base, now] = [
      result(1, scenario("a", 9, 1, [number(1, 100)])),
      result(2, scenario("a", 10, 0, [number(1, 95)]))
    ]
    expect(compareResults(base, now).scenarios[0]?.change).toBe("better")
    expect(compareResults(base, now, 0.04).scenarios[0]).toMatchObject({
      change: "better",
      metrics: [{ change: "worse" }]
    })
    expect(compareResults(base, now, 0.1).scenarios[0]).toMatchObject({ change: "same", metrics: [{ change: "same" }] })
  })

  const measured = (better: MetricScores["better"], ...values: ReadonlyArray<number>): MetricScores => ({
    ...number(1, 0, better),
    numbers: values.length,
    sum: values.reduce((sum, value) => sum + value, 0),
    squares: values.reduce((sum, value) => sum + value * value, 0)
  })
  const changes = (base: MetricScores, now: MetricScores, tolerance?: number) => {
    const [compared] = compareResults(
      result(1, scenario("a", 1, 0, [base])),
      result(2, scenario("a", 1, 0, [now])),
      tolerance
    ).scenarios
    return [compared?.metrics[0]?.change, compared?.change]
  }

  it("ignores differences of means that the variation of repeats explains", () => {
    const noisy = measured("lower", 800, 1_000, 700, 900)
    expect(changes(noisy, measured("lower", 900, 1_100, 800, 1_000))).toEqual(["same", "same"])
    expect(changes(noisy, measured("lower", 1_300, 1_500, 1_200, 1_400))).toEqual(["worse", "worse"])
    expect(changes(measured("lower", 800, 800), measured("lower", 801, 801))).toEqual(["worse", "worse"])
  })

  it("does not decide by a number that was measured once, unless a tolerance is given", () => {
    const [before, after] = [measured("lower", 800), measured("lower", 2_000)]
    expect(changes(before, after)).toEqual(["worse", "same"])
    expect(changes(before, measured("lower", 1_000))).toEqual(["same", "same"])
    expect(changes(before, after, 0.1)).toEqual(["worse", "worse"])
    expect(changes({ ...measured("higher", 1), isBinary: true }, { ...measured("higher", 0), isBinary: true })).toEqual(
      ["worse", "worse"]
    )
  })

  it("compares the shares of enum values without a direction", () => {
    const compared = compareResults(
      result(1, scenario("a", 0, 0, [words(4, { calm: 3, angry: 1 })])),
      result(2, scenario("a", 0, 0, [words(4, { calm: 4 })]))
    )
    expect(compared.metrics).toEqual([
      {
        id: 4,
        name: "M 4",
        better: null,
        base: null,
        result: null,
        difference: null,
        change: "changed",
        shares: [
          { value: "angry", base: 0.25, result: 0 },
          { value: "calm", base: 0.75, result: 1 }
        ]
      }
    ])
    expect(compared.change).toBe("changed")
  })

  it("compares shares where either side has enum values, whatever numbers they have", () => {
    const compared = (base: ReadonlyArray<MetricScores>, now: ReadonlyArray<MetricScores>, tolerance = 0) =>
      compareResults(result(1, scenario("a", 1, 0, base)), result(2, scenario("a", 1, 0, now)), tolerance).metrics[0]
    const shared = (value: string, base: number, now: number) => ({ value, base, result: now })
    expect(compared([words(4, { calm: 1 })], [])).toMatchObject({ change: "unknown", shares: [shared("calm", 1, 0)] })
    expect(compared([], [words(4, { calm: 2 })])).toMatchObject({ change: "unknown", shares: [shared("calm", 0, 1)] })
    expect(compared([words(4, { calm: 1 })], [words(4, {})])).toMatchObject({
      change: "unknown",
      shares: [shared("calm", 1, 0)]
    })
    expect(compared([words(4, { calm: 1, cross: 1 })], [words(4, { calm: 2, cross: 2 })])?.change).toBe("same")
    // One word came as often as before, two did not.
    const [before, after] = [words(4, { a: 2, b: 1, c: 1 }), words(4, { a: 2, b: 2, c: 0 })]
    expect(compared([before], [after])?.change).toBe("changed")
    expect(compared([before], [after], 0.25)?.change).toBe("same")
    expect(compared([before], [after], 0.24)?.change).toBe("changed")
  })

  it("compares means where both sides have numbers, and is unknown where one has none", () => {
    const compared = (base: ReadonlyArray<MetricScores>, now: ReadonlyArray<MetricScores>, tolerance = 0) =>
      compareResults(result(1, scenario("a", 1, 0, base)), result(2, scenario("a", 1, 0, now)), tolerance).metrics
    const none = { difference: null, change: "unknown", shares: null }
    expect(compared([number(1, 3)], [])).toEqual([
      { id: 1, name: "M 1", better: "higher", base: 3, result: null, ...none }
    ])
    expect(compared([], [number(1, 3)])).toEqual([
      { id: 1, name: "M 1", better: "higher", base: null, result: 3, ...none }
    ])
    expect(compared([{ ...number(1, 3), numbers: 0 }], [number(1, 3)])).toEqual([
      { id: 1, name: "M 1", better: "higher", base: null, result: 3, ...none }
    ])
    // By id, each with the name and the direction that it has now.
    expect(
      compared(
        [number(7, 1), { ...number(2, 1, "lower"), name: "Old" }],
        [{ ...number(2, 2), name: "New" }, number(5, 1)]
      )
    ).toMatchObject([{ id: 2, name: "New", change: "better" }, { id: 5 }, { id: 7, name: "M 7" }])
  })

  it("ignores rounding errors of sums, in proportion to the values", () => {
    const change = (base: number, now: number, tolerance = 0) =>
      compareResults(
        result(1, scenario("a", 1, 0, [number(1, base)])),
        result(2, scenario("a", 1, 0, [number(1, now)])),
        tolerance
      ).metrics[0]?.change
    expect(change(1e6, 1e6 + 0.0009)).toBe("same")
    expect(change(1e6, 1e6 + 0.0011)).toBe("better")
    expect(change(0.001, 0.001_001)).toBe("better")
    expect(change(-5, -5.001)).toBe("worse")
    expect(change(0, 1e-12)).toBe("better")
    expect(change(-100, -110, 0.1)).toBe("same")
    expect(change(-100, -111, 0.1)).toBe("worse")
    expect(change(100, 110, 0.1)).toBe("same")
  })

  it("combines changes: mixed where some are better and some worse, changed before same", () => {
    const overall = (...changes: ReadonlyArray<readonly [base: MetricScores | null, now: MetricScores | null]>) => {
      const side = (at: 0 | 1) => changes.flatMap((one) => one[at] ?? [])
      return compareResults(result(1, scenario("a", 0, 0, side(0))), result(2, scenario("a", 0, 0, side(1)))).change
    }
    const better = [number(1, 1), number(1, 2)] as const
    const worse = [number(2, 2), number(2, 1)] as const
    const same = [number(3, 1), number(3, 1)] as const
    const changed = [number(5, 1, null), number(5, 2, null)] as const
    const unknown = [number(6, 1), null] as const
    expect(overall(better, same, changed, unknown)).toBe("better")
    expect(overall(worse, same, changed, unknown)).toBe("worse")
    expect(overall(better, worse)).toBe("mixed")
    expect(overall(same, changed, unknown)).toBe("changed")
    expect(overall(same, unknown)).toBe("same")
    expect(overall(unknown)).toBe("unknown")
  })

  it("pools the scenarios of a result", () => {
    const pooled = compareResults(
      result(1, scenario("a", 1, 0, [number(1, 3), words(4, { calm: 1 })]), scenario("b", 1, 1, [number(1, 6)])),
      result(
        2,
        scenario("a", 1, 0, [{ ...number(1, 3), numbers: 6, sum: 18 }, words(4, { calm: 1, cross: 1 })]),
        scenario("b", 1, 0, [number(1, 9), words(4, { calm: 2 })])
      )
    )
    expect(pooled.metrics).toMatchObject([
      { id: 1, base: 4.5, result: 4.5, change: "same" },
      {
        id: 4,
        shares: [
          { value: "calm", base: 1, result: 0.75 },
          { value: "cross", base: 0, result: 0.25 }
        ]
      }
    ])
    expect(pooled.successRate).toMatchObject({ base: 2 / 3, result: 1 })
  })

  it("is encoded in snake case", () => {
    const side = { agent: 1, channel: "text" }
    const rate = { base: 0.5, result: 1, difference: 0.5, change: "better" }
    const metric = {
      id: 1,
      name: "M 1",
      better: "higher",
      base: 3,
      result: 4,
      difference: 1,
      change: "better",
      shares: null
    }
    const messages = {
      ...{ id: 4, name: "M 4", better: null, base: null, result: null, difference: null, change: "changed" },
      shares: [
        { value: "calm", base: 1, result: 0.5 },
        { value: "cross", base: 0, result: 0.5 }
      ]
    }
    expect(
      encodeComparison(
        compareResults(
          result(1, scenario("a", 1, 1, [number(1, 3), words(4, { calm: 1 })])),
          result(2, scenario("a", 2, 0, [number(1, 4), words(4, { calm: 1, cross: 1 })]))
        )
      )
    ).toEqual({
      base: { id: 1, name: "R 1", ...side, total_runs: 2 },
      result: { id: 2, name: "R 2", ...side, total_runs: 2 },
      change: "better",
      success_rate: rate,
      metrics: [metric, messages],
      scenario_counts: { better: 1, worse: 0, mixed: 0, same: 0, changed: 0, unknown: 0, added: 0, removed: 0 },
      scenarios: [
        {
          key: "a",
          name: "A",
          change: "better",
          runs: { base: 2, result: 2 },
          success_rate: rate,
          metrics: [metric, messages]
        }
      ]
    })
  })

  it("is distinguished from similar documents", () => {
    const compared = compareResults(
      result(1, scenario("a", 1, 1, [words(4, { calm: 1 })])),
      result(2, scenario("a", 2, 0, [words(4, { calm: 1 })]))
    )
    const isComparison = Schema.is(Schema.typeSchema(Comparison))
    expect(isComparison(compared)).toBe(true)
    expect(isComparison({ ...compared, scenarioCounts: {} })).toBe(false)
    expect(isComparison({ ...compared, metrics: [{}] })).toBe(false)
    expect(isComparison({ ...compared, metrics: compared.metrics.map((one) => ({ ...one, shares: [{}] })) })).toBe(
      false
    )
    expect(isComparison({ ...compared, scenarios: compared.scenarios.map((one) => ({ ...one, runs: {} })) })).toBe(
      false
    )
  })

  for (const { check, name } of ResultKit.comparisonProperties(compareResults)) it(name, check)
})

describe("direction of a metric", () => {
  it("comes from its configuration, its formula or its value type", () => {
    const plain = { slug: "x", evalType: "numeric" as const, functionName: "", configuration: null }
    expect(directionOf(plain)).toBeNull()
    expect(directionOf({ ...plain, configuration: { better: "lower" } })).toBe("lower")
    expect(directionOf({ ...plain, functionName: "latency_ms" })).toBe("lower")
    expect(directionOf({ ...plain, functionName: "constructor" })).toBeNull()
    expect(directionOf({ ...plain, evalType: "binary" })).toBe("higher")
    expect(directionOf({ ...plain, slug: "voicemail_detection", evalType: "binary" })).toBeNull()
    expect(directionOf({ ...plain, evalType: "continuous_qualitative" })).toBe("higher")
    expect(directionOf({ ...plain, evalType: "enum" })).toBeNull()
  })
  for (const { check, name } of MetricKit.directionProperties(directionOf, predefinedEntries)) it(name, check)
})
