/** Arbitraries of results in every state. */
import {
  AgentId,
  MetricId,
  type MetricScores,
  ResultId,
  type ResultScores,
  type RunCount,
  RunStatus,
  type ScenarioScores
} from "@earshot/core"
import * as fc from "fast-check"

/** Runs of any status and outcome. */
export const runCount: fc.Arbitrary<RunCount> = fc.record({
  status: fc.constantFrom(...RunStatus.literals),
  success: fc.option(fc.boolean()),
  runs: fc.integer({ min: 1, max: 9 })
})

/** Metrics 1 to 4: higher is better, lower is better, no direction, and an enum. Their values are few, so that means meet. */
export const metricScores: fc.Arbitrary<MetricScores> = fc
  .record({
    id: fc.integer({ min: 1, max: 4 }),
    values: fc.array(fc.nat({ max: 3 }), { maxLength: 5 }),
    scale: fc.constantFrom(1, 1, -1, 0.001, 1e6),
    words: fc.dictionary(fc.constantFrom("a", "b", "__proto__", "constructor"), fc.integer({ min: 1, max: 9 }))
  })
  .map(({ id, scale, values, words }) => {
    const numbers = id === 4 ? [] : values.map((value) => value * scale)
    return {
      id: MetricId.make(id),
      name: `M ${id}`,
      better: id === 1 ? "higher" : id === 2 ? "lower" : null,
      isBinary: false,
      numbers: numbers.length,
      sum: numbers.reduce((sum, value) => sum + value, 0),
      squares: numbers.reduce((sum, value) => sum + value * value, 0),
      words: new Map(id === 4 ? Object.entries(words) : [])
    }
  })

/** A scenario with one of four keys, so that results share some. */
export const scenarioScores: fc.Arbitrary<ScenarioScores> = fc.record({
  key: fc.constantFrom("a", "b", "c", "d"),
  name: fc.string(),
  counts: fc.array(runCount, { maxLength: 4 }),
  metrics: fc.uniqueArray(metricScores, { selector: ({ id }) => id, maxLength: 4 })
})

export const resultScores: fc.Arbitrary<ResultScores> = fc
  .record({
    id: fc.integer({ min: 1, max: 1000 }),
    scenarios: fc.uniqueArray(scenarioScores, { selector: ({ key }) => key, maxLength: 4 })
  })
  .map(({ id, scenarios }) => ({
    id: ResultId.make(id),
    name: `R ${id}`,
    agentId: AgentId.make(1),
    channel: "text",
    scenarios
  }))
