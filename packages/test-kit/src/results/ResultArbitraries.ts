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

/** Metrics 1 to 4: higher is better, lower is better, no direction, and an enum. */
export const metricScores: fc.Arbitrary<MetricScores> = fc
  .record({
    id: fc.integer({ min: 1, max: 4 }),
    numbers: fc.integer({ min: 0, max: 5 }),
    mean: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
    spread: fc.double({ min: 0, max: 1e3, noNaN: true }),
    words: fc.dictionary(fc.constantFrom("a", "b", "__proto__", "constructor"), fc.integer({ min: 1, max: 9 }))
  })
  .map(({ id, mean, numbers, spread, words }) => {
    const isWords = id === 4
    return {
      id: MetricId.make(id),
      name: `M ${id}`,
      better: id === 1 ? "higher" : id === 2 ? "lower" : null,
      isBinary: false,
      numbers: isWords ? 0 : numbers,
      sum: isWords ? 0 : mean * numbers,
      squares: isWords ? 0 : (mean * mean + spread * spread) * numbers,
      words: new Map(isWords ? Object.entries(words) : [])
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
