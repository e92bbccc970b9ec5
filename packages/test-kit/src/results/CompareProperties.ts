/** Properties of the comparison of results, against an oracle on single values. Source: docs/results.md. */
import {
  AgentId,
  type Comparison,
  type Direction,
  MetricId,
  type MetricScores,
  ResultId,
  type ResultScores,
  type RunCount,
  type ScenarioScores
} from "@earshot/core"
import * as fc from "fast-check"
import { expectEqual, invariant, type Property, property } from "../Property.js"
import { resultScores, runCount } from "./ResultArbitraries.js"

export type Compare = (base: ResultScores, result: ResultScores, tolerance?: number | null) => Comparison

/** A metric with the values of single runs. */
export interface Measured {
  readonly id: number
  readonly better: Direction | null
  readonly isBinary: boolean
  readonly values: ReadonlyArray<number>
}

export interface MeasuredScenario {
  readonly key: string
  readonly counts: ReadonlyArray<RunCount>
  readonly metrics: ReadonlyArray<Measured>
}

/** Metric 1 is better higher, 2 lower, 3 neither, and 4 is binary. Values are few, so that means are equal now and then. */
const DIRECTIONS: ReadonlyArray<Direction | null> = ["higher", "lower", null, "higher"]
const measured: fc.Arbitrary<Measured> = fc
  .record({ id: fc.integer({ min: 1, max: 4 }), values: fc.array(fc.nat({ max: 2 }), { maxLength: 3, size: "max" }) })
  .map(({ id, values }) => ({
    id,
    better: DIRECTIONS[id - 1] ?? null,
    isBinary: id === 4,
    values: id === 4 ? values.map((value) => value % 2) : values
  }))
/** Scenarios of a result with the values of single runs. */
export const measuredScenarios: fc.Arbitrary<ReadonlyArray<MeasuredScenario>> = fc.uniqueArray(
  fc.record({
    key: fc.constantFrom("a", "b", "c"),
    counts: fc.array(runCount, { maxLength: 2 }),
    metrics: fc.uniqueArray(measured, { selector: ({ id }) => id, maxLength: 3, size: "max" })
  }),
  { selector: ({ key }) => key, maxLength: 3, size: "max" }
)

const scoresOf = ({ better, id, isBinary, values }: Measured): MetricScores => ({
  id: MetricId.make(id),
  name: `Metric ${id}`,
  better,
  isBinary,
  numbers: values.length,
  sum: values.reduce((sum, value) => sum + value, 0),
  squares: values.reduce((sum, value) => sum + value * value, 0),
  words: new Map()
})

const resultOf = (id: number, scenarios: ReadonlyArray<MeasuredScenario>): ResultScores => ({
  id: ResultId.make(id),
  name: `Result ${id}`,
  agentId: AgentId.make(1),
  channel: "text",
  scenarios: scenarios.map(({ counts, key, metrics }): ScenarioScores => ({
    key,
    name: key,
    counts,
    metrics: metrics.map(scoresOf)
  }))
})

/** A result with one scenario, all of whose runs succeed, and one metric. */
const withMetric = (id: number, values: ReadonlyArray<number>, better: Direction | null = "higher"): ResultScores =>
  resultOf(id, [
    {
      key: "a",
      counts: [{ status: "completed", success: true, runs: 1 }],
      metrics: [{ id: 1, better, isBinary: false, values }]
    }
  ])

const withRate = (id: number, passed: number, failed: number): ResultScores => {
  const count = (success: boolean, runs: number): ReadonlyArray<RunCount> =>
    runs === 0 ? [] : [{ status: "completed", success, runs }]
  return resultOf(id, [{ key: "a", counts: [...count(true, passed), ...count(false, failed)], metrics: [] }])
}

const rateOf = (counts: ReadonlyArray<RunCount>): number | null => {
  const runs = (includes: (one: RunCount) => boolean) =>
    counts.reduce((sum, one) => sum + (includes(one) ? one.runs : 0), 0)
  const passed = runs(({ status, success }) => status === "completed" && success === true)
  const lost = runs(
    ({ status, success }) =>
      status === "failed" || status === "timeout" || (status === "completed" && success === false)
  )
  return passed + lost === 0 ? null : passed / (passed + lost)
}

const mean = (values: ReadonlyArray<number>): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length

/** The squared standard error of a mean. */
const squaredError = (values: ReadonlyArray<number>): number => {
  const center = mean(values) ?? 0
  return values.reduce((sum, value) => sum + (value - center) ** 2, 0) / (values.length - 1) / values.length
}

/** The change between two lists of values; undefined where it is too close to its tolerance to be computed with floats. */
const expectedChange = (
  base: ReadonlyArray<number>,
  result: ReadonlyArray<number>,
  better: Direction | null,
  given: number | null
): string | undefined => {
  const [before, after] = [mean(base), mean(result)]
  if (before === null || after === null) return "unknown"
  const tolerance =
    given !== null
      ? given * Math.abs(before)
      : base.length > 1 && result.length > 1
        ? 2 * Math.sqrt(squaredError(base) + squaredError(result))
        : 0.25 * Math.max(Math.abs(before), Math.abs(after))
  const difference = Math.abs(after - before)
  if (difference > 1e-6 && Math.abs(difference - tolerance) < 1e-6) return undefined
  if (difference <= tolerance + 1e-6) return "same"
  return better === null ? "changed" : after > before === (better === "higher") ? "better" : "worse"
}

const MIRRORED: Readonly<Record<string, string>> = {
  better: "worse",
  worse: "better",
  added: "removed",
  removed: "added"
}
const mirrored = (change: string): string => MIRRORED[change] ?? change

const byKey = <A extends { readonly key: string }>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all.toSorted((a, b) => (a.key < b.key ? -1 : 1))

const tolerance = fc.constantFrom(null, 0, 0.1, 0.25, 1)

/** The change of a whole by its parts: the success rate decides, then the metrics that decide. */
const combined = (rate: string, parts: ReadonlyArray<string>): string => {
  if (rate === "better" || rate === "worse") return rate
  const all = [rate, ...parts]
  if (all.includes("better")) return all.includes("worse") ? "mixed" : "better"
  return ["worse", "changed", "same"].find((one) => all.includes(one)) ?? "unknown"
}

export const comparisonProperties = (compare: Compare): ReadonlyArray<Property> => [
  property(
    "exchanging the results exchanges better and worse, added and removed",
    [resultScores, resultScores],
    (one, other) => {
      const [forth, back] = [compare(one, other), compare(other, one)]
      const changes = ({ change, metrics, scenarios, successRate }: Comparison, of: (change: string) => string) => ({
        change: of(change),
        rate: of(successRate.change),
        scenarios: byKey(scenarios).map((scenario) => [scenario.key, of(scenario.change)]),
        // Where both sides have a metric, each comparison takes the direction of its own result.
        metrics: metrics.map((metric) => [metric.id, of(metric.change)])
      })
      expectEqual("the changes of the exchanged results", changes(back, String), changes(forth, mirrored))
    }
  ),
  property("exchanging the results negates the differences", [measuredScenarios, measuredScenarios], (one, other) => {
    const differences = (comparison: Comparison) =>
      [comparison.successRate, ...comparison.metrics].map(({ difference }) => difference)
    const back = differences(compare(resultOf(2, other), resultOf(1, one)))
    const forth = differences(compare(resultOf(1, one), resultOf(2, other)))
    expectEqual(
      "the differences",
      back,
      forth.map((one) => (one === null ? null : 0 - one))
    )
  }),
  property(
    "a result that is compared with itself is the same, or unknown without values",
    [resultScores, tolerance],
    (one, given) => {
      const { change, metrics, scenarios, successRate } = compare(one, one, given)
      const all = [
        change,
        successRate.change,
        ...metrics.map((metric) => metric.change),
        ...scenarios.map((scenario) => scenario.change)
      ]
      expectEqual(
        "changes",
        all.filter((change) => change !== "same" && change !== "unknown"),
        []
      )
    }
  ),
  property(
    "the change of a metric is that of the mean of its values in all runs",
    [measuredScenarios, measuredScenarios, tolerance],
    (before, after, given) => {
      const { metrics } = compare(resultOf(1, before), resultOf(2, after), given)
      const valuesOf = (scenarios: ReadonlyArray<MeasuredScenario>, id: number) =>
        scenarios.flatMap((one) => one.metrics).flatMap((metric) => (metric.id === id ? metric.values : []))
      const ids = [...new Set([...before, ...after].flatMap((one) => one.metrics.map(({ id }) => id)))].toSorted()
      expectEqual(
        "the metrics",
        metrics.map(({ id }) => id),
        ids
      )
      for (const metric of metrics) {
        const [base, result] = [valuesOf(before, metric.id), valuesOf(after, metric.id)]
        const change = expectedChange(base, result, DIRECTIONS[metric.id - 1] ?? null, given)
        expectEqual(`metric ${metric.id}`, [metric.base, metric.result], [mean(base), mean(result)])
        if (change !== undefined) expectEqual(`the change of metric ${metric.id}`, metric.change, change)
      }
    },
    1000
  ),
  property(
    "a scenario is as its success rate, and where that is the same as its metrics that decide",
    [measuredScenarios, measuredScenarios, tolerance],
    (before, after, given) => {
      const { scenarios } = compare(resultOf(1, before), resultOf(2, after), given)
      for (const { change, key, metrics, successRate } of scenarios) {
        const [base, result] = [before, after].map((all) => all.find((one) => one.key === key))
        expectEqual(
          `the success rates of ${key}`,
          [successRate.base, successRate.result],
          [rateOf(base?.counts ?? []), rateOf(result?.counts ?? [])]
        )
        const numberOf = (of: MeasuredScenario | undefined, id: number) =>
          of?.metrics.find((one) => one.id === id)?.values.length ?? 0
        const parts = metrics.map((metric) => {
          const isRepeated = numberOf(base, metric.id) > 1 && numberOf(result, metric.id) > 1
          const isDeciding = given !== null || metric.id === 4 || isRepeated || metric.change === "unknown"
          return isDeciding ? metric.change : "same"
        })
        const expected =
          base === undefined ? "added" : result === undefined ? "removed" : combined(successRate.change, parts)
        expectEqual(`the change of ${key}`, change, expected)
      }
    },
    1000
  ),
  property(
    "scenarios are paired by key, in the order of the result, removed ones last, and counted by change",
    [measuredScenarios, measuredScenarios],
    (before, after) => {
      const { scenarioCounts, scenarios } = compare(resultOf(1, before), resultOf(2, after))
      const keys = after.map(({ key }) => key)
      const removed = before.map(({ key }) => key).filter((key) => !keys.includes(key))
      expectEqual(
        "the keys",
        scenarios.map(({ key }) => key),
        [...keys, ...removed]
      )
      const counted = Object.entries(scenarioCounts).map(([change, count]) => [change, count])
      const expected = counted.map(([change]) => [change, scenarios.filter((one) => one.change === change).length])
      expectEqual("the counts", counted, expected)
    }
  ),
  property(
    "a greater tolerance finds no more changes",
    [measuredScenarios, measuredScenarios, fc.constantFrom(0, 0.1, 0.25)],
    (before, after, given) => {
      const [base, result] = [resultOf(1, before), resultOf(2, after)]
      const same = (one: Comparison) => one.metrics.filter(({ change }) => change === "same").map(({ id }) => id)
      const more = same(compare(base, result, given + 0.5))
      expectEqual(
        "same no more",
        same(compare(base, result, given)).filter((id) => !more.includes(id)),
        []
      )
    }
  ),
  invariant("a difference that equals its tolerance is none, and one that exceeds it is a change", () => {
    const change = (base: ReadonlyArray<number>, result: ReadonlyArray<number>, given: number | null) =>
      compare(withMetric(1, base), withMetric(2, result), given).metrics[0]?.change
    const rates = (base: ResultScores, result: ResultScores, given: number | null) =>
      compare(base, result, given).successRate.change
    const found = {
      given: [change([4], [5], 0.25), change([4], [3], 0.25), change([4], [5.001], 0.25), change([4], [2.999], 0.25)],
      negative: [change([-4], [-5], 0.25), change([-4], [-5.001], 0.25)],
      default: [change([3], [4], null), change([4], [3], null), change([3], [4.001], null), change([4.001], [3], null)],
      repeats: [change([5, 5], [6, 8], null), change([5, 5], [6.001, 8.001], null), change([5, 5], [5, 5.1], null)],
      rates: [
        rates(withRate(1, 1, 1), withRate(2, 3, 1), 0.25),
        rates(withRate(1, 1, 1), withRate(2, 4, 1), 0.25),
        rates(withRate(1, 3, 1), withRate(2, 2, 1), null),
        rates(withRate(1, 1, 1), withRate(2, 2, 2), null)
      ]
    }
    expectEqual("the changes", found, {
      given: ["same", "same", "better", "worse"],
      negative: ["same", "worse"],
      default: ["same", "same", "better", "worse"],
      repeats: ["same", "better", "same"],
      rates: ["same", "better", "worse", "same"]
    })
  })
]
