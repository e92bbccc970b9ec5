/** Properties of gates: whether a result passes as a step of a pipeline. Source: docs/runs.md. */
import { type Gate, type GatedResult, ResultId, AgentId, ScenarioChange } from "@earshot/core"
import * as fc from "fast-check"
import { expectEqual, type Property, property } from "../Property.js"

export type GateFailures = (gate: Gate, of: GatedResult) => ReadonlyArray<string>

export const gate: fc.Arbitrary<Gate> = fc.record({
  failOn: fc.constantFrom("failure", "regression"),
  // Rates that few runs have, so that a rate often equals the minimum.
  minPassRate: fc.constantFrom(null, null, 0, 0.25, 0.5, 1),
  allowUnjudged: fc.boolean()
})

const change = fc.constantFrom(...ScenarioChange.literals)
const unknown = { base: null, result: null, difference: null, change: "unknown" } as const

/** A result by its runs: succeeded, unsuccessful, failed, timed out, unjudged, canceled and deleted ones. */
export const gatedResult: fc.Arbitrary<GatedResult> = fc
  .record({
    passed: fc.nat({ max: 3 }),
    lost: fc.nat({ max: 2 }),
    failed: fc.nat({ max: 1 }),
    timeout: fc.nat({ max: 1 }),
    unjudged: fc.nat({ max: 1 }),
    cancelled: fc.constantFrom(0, 0, 0, 1),
    deleted: fc.constantFrom(0, 0, 0, 2),
    whole: fc.option(change),
    scenarios: fc.array(change, { maxLength: 3 })
  })
  .map(({ cancelled, deleted, failed, lost, passed, scenarios, timeout, unjudged, whole }) => {
    const decided = passed + lost + failed + timeout
    return {
      result: {
        runsByStatus: {
          queued: 0,
          running: 0,
          evaluating: 0,
          completed: passed + lost + unjudged,
          failed,
          timeout,
          cancelled
        },
        successRate: decided === 0 ? null : passed / decided,
        totalRuns: decided + unjudged + cancelled
      },
      unjudged,
      deleted,
      comparison:
        whole === null
          ? null
          : {
              base: { id: ResultId.make(1), name: "Base", agentId: AgentId.make(1), channel: "text", totalRuns: 1 },
              change: whole,
              scenarios: scenarios.map((one, at) => ({
                key: `key-${at}`,
                name: `Scenario ${at}`,
                change: one,
                runs: { base: 1, result: 1 },
                successRate: unknown,
                metrics: []
              }))
            }
    }
  })

const isPassed = (gate: Gate, of: GatedResult): boolean => {
  const { runsByStatus, successRate } = of.result
  const isComplete = runsByStatus.cancelled === 0 && of.deleted === 0
  const isDecided = gate.allowUnjudged || of.unjudged === 0
  const isRateReached = gate.minPassRate === null || (successRate !== null && successRate >= gate.minPassRate)
  const isFaultless =
    gate.failOn === "regression" && of.comparison !== null
      ? of.comparison.change !== "worse" &&
        of.comparison.scenarios.every((one) => one.change !== "worse" && one.change !== "mixed")
      : gate.minPassRate !== null || successRate === null || successRate === 1
  return isComplete && isDecided && isRateReached && isFaultless
}

export const gateProperties = (failures: GateFailures): ReadonlyArray<Property> => [
  property(
    "a result passes if it is complete and judged, its success rate is the minimum or more, and nothing failed or became worse",
    [gate, gatedResult],
    (one, of) => {
      const found = failures(one, of)
      if ((found.length === 0) !== isPassed(one, of))
        expectEqual("the failures", found, isPassed(one, of) ? [] : ["a failure"])
    },
    1000
  ),
  property("every scenario that became worse is named, and no other", [gate, gatedResult], (one, of) => {
    const named =
      failures({ ...one, failOn: "regression" }, of)
        .join(" ")
        .match(/key-\d/g) ?? []
    const worse = of.comparison?.scenarios.filter(
      (scenario) => scenario.change === "worse" || scenario.change === "mixed"
    )
    expectEqual(
      "the names",
      named,
      (worse ?? []).map(({ key }) => key)
    )
  }),
  property("a stricter gate lets nothing more pass", [gate, gatedResult], (one, of) => {
    const stricter: ReadonlyArray<Gate> = [
      { ...one, allowUnjudged: false },
      { ...one, minPassRate: 1 },
      { ...one, minPassRate: Math.min(1, (one.minPassRate ?? 1) + 0.25) }
    ]
    const passes = (gate: Gate) => failures(gate, of).length === 0
    if (passes(one)) return
    expectEqual(
      "stricter gates that pass",
      stricter.filter((gate) => gate.minPassRate === one.minPassRate || one.minPassRate !== null).filter(passes),
      []
    )
  }),
  property("the runs that did not succeed are counted", [gatedResult], (of) => {
    const found = failures({ failOn: "failure", minPassRate: null, allowUnjudged: true }, of)
    const counted = found.flatMap((one) => /^(\d+) of .* did not succeed/.exec(one)?.[1] ?? []).map(Number)
    const { completed, failed, timeout } = of.result.runsByStatus
    const decided = completed - of.unjudged + failed + timeout
    const lost = decided - Math.round((of.result.successRate ?? 0) * decided)
    expectEqual("the number", counted, lost === 0 ? [] : [lost])
  })
]
