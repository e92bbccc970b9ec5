/**
 * How often the arbitraries meet the cases that rules decide differently: values that collide across types, equal times and
 * means, values at a limit, nothing and a single thing. A property whose arbitrary does not meet them says nothing about them.
 */
import { Filters, type RatedEvaluation } from "@earshot/core"
import * as fc from "fast-check"
import { evaluations } from "../calls/OutcomeProperties.js"
import { filter } from "../filters/FilterArbitraries.js"
import { meetingStretches, type Stretch } from "../metrics/SpeechProperties.js"
import { parameters, type Property } from "../Property.js"
import { measuredScenarios, type MeasuredScenario } from "../results/CompareProperties.js"
import { gate, gatedResult } from "../results/GateProperties.js"
import { deletionSnapshot } from "../results/DeletionProperties.js"

/** A case, and the least share of generated values that have to be one, in percent. */
type Case<A> = readonly [least: number, isMet: (value: A) => boolean]

/** How often a case was met. */
export interface Frequency {
  readonly arbitrary: string
  readonly case: string
  /** In percent of the generated values. */
  readonly met: number
  readonly least: number
}

interface Counted {
  readonly arbitrary: string
  readonly frequencies: () => ReadonlyArray<Frequency>
}

const SAMPLES = 1000

const counted = <A>(name: string, of: fc.Arbitrary<A>, cases: Readonly<Record<string, Case<A>>>): Counted => ({
  arbitrary: name,
  frequencies: () => {
    const values = fc.sample(of, parameters(SAMPLES, {}))
    return Object.entries(cases).map(([one, [least, isMet]]) => ({
      arbitrary: name,
      case: one,
      met: (100 * values.filter(isMet).length) / values.length,
      least
    }))
  }
})

const votes = (all: ReadonlyArray<RatedEvaluation>) =>
  all.flatMap(({ decidesSuccess, value }) => (decidesSuccess && value !== null ? [value] : []))

const leavesOf = (one: Filters.Filter): ReadonlyArray<Filters.Leaf> =>
  one === null ? [] : Filters.isGroup(one) ? one.conditions.flatMap(leavesOf) : [one]

type Filters2 = readonly [Filters.Filter, Filters.Filter]

const pairOfLeaves = ([one, other]: Filters2, isPair: (a: Filters.Leaf, b: Filters.Leaf) => boolean) =>
  leavesOf(one).some((a) => leavesOf(other).some((b) => isPair(a, b)))

const end = ({ length, start }: Stretch) => start + length

const pairOf = (all: ReadonlyArray<Stretch>, isPair: (a: Stretch, b: Stretch) => boolean) =>
  all.some((a, at) => all.some((b, other) => at !== other && isPair(a, b)))

const meanOf = (values: ReadonlyArray<number>) => values.reduce((sum, one) => sum + one, 0) / values.length

const pairsOfMetrics = ([base, result]: readonly [
  ReadonlyArray<MeasuredScenario>,
  ReadonlyArray<MeasuredScenario>
]): ReadonlyArray<readonly [ReadonlyArray<number>, ReadonlyArray<number>]> =>
  base.flatMap((one) =>
    result
      .filter(({ key }) => key === one.key)
      .flatMap((other) =>
        one.metrics.flatMap(({ id, values }) =>
          other.metrics
            .filter((metric) => metric.id === id)
            .map((metric): readonly [ReadonlyArray<number>, ReadonlyArray<number>] => [values, metric.values])
        )
      )
  )

const all: ReadonlyArray<Counted> = [
  counted("evaluations of a call", evaluations, {
    none: [5, (some) => some.length === 0],
    "a single one": [5, (some) => some.length === 1],
    "none that decides": [15, (some) => votes(some).length === 0],
    "deciding ones that disagree": [3, (some) => votes(some).includes(true) && votes(some).includes(false)],
    "a deciding one whose value only resembles true or false": [
      15,
      (some) => votes(some).some((value) => typeof value !== "boolean")
    ],
    "two with one slug": [20, (some) => new Set(some.map(({ slug }) => slug)).size < some.length]
  }),
  counted("pairs of filters", fc.tuple(filter, filter), {
    "one empty": [3, ([one, other]) => (one === null) !== (other === null)],
    "an equal condition in both": [2, (pair) => pairOfLeaves(pair, (a, b) => JSON.stringify(a) === JSON.stringify(b))],
    "values that print alike and differ in type": [
      0.5,
      (pair) =>
        pairOfLeaves(
          pair,
          (a, b) =>
            a.field === b.field &&
            a.op === b.op &&
            typeof a.value !== typeof b.value &&
            String(a.value) === String(b.value)
        )
    ],
    "an and of one condition": [
      3,
      (pair) =>
        pair.some(
          (one) => one !== null && Filters.isGroup(one) && one.operator === "and" && one.conditions.length === 1
        )
    ],
    "an and with a condition twice": [
      2,
      (pair) =>
        pair.some((one) => {
          const texts = Filters.conjuncts(one).map((condition) => JSON.stringify(condition))
          return new Set(texts).size < texts.length
        })
    ]
  }),
  counted("stretches of speech", meetingStretches, {
    none: [3, (some) => some.length === 0],
    "one inside another of the same speaker": [
      10,
      (some) => pairOf(some, (a, b) => a.speaker === b.speaker && a.start < b.start && end(b) < end(a))
    ],
    "one inside another speaker's": [
      10,
      (some) => pairOf(some, (a, b) => a.speaker !== b.speaker && a.start < b.start && end(b) < end(a))
    ],
    "two that touch": [20, (some) => pairOf(some, (a, b) => end(a) === b.start)],
    "two that start together": [20, (some) => pairOf(some, (a, b) => a.start === b.start)],
    "two that end together": [20, (some) => pairOf(some, (a, b) => end(a) === end(b))],
    "three or more of one speaker": [
      20,
      (some) => ["main_agent", "testing_agent"].some((by) => some.filter(({ speaker }) => speaker === by).length > 2)
    ]
  }),
  counted("pairs of results", fc.tuple(measuredScenarios, measuredScenarios), {
    "an empty one": [10, ([one, other]) => one.length === 0 || other.length === 0],
    "a scenario in both": [40, ([one, other]) => one.some(({ key }) => other.some((two) => two.key === key))],
    "a metric of one scenario in both": [15, (pair) => pairsOfMetrics(pair).length > 0],
    "equal means": [2, (pair) => pairsOfMetrics(pair).some(([a, b]) => a.length > 0 && meanOf(a) === meanOf(b))],
    "repeats on both sides": [4, (pair) => pairsOfMetrics(pair).some(([a, b]) => a.length > 1 && b.length > 1)],
    "a single value on one side": [
      5,
      (pair) => pairsOfMetrics(pair).some(([a, b]) => a.length === 1 || b.length === 1)
    ],
    "no value on one side": [4, (pair) => pairsOfMetrics(pair).some(([a, b]) => (a.length === 0) !== (b.length === 0))]
  }),
  counted("gates and results", fc.tuple(gate, gatedResult), {
    "a rate that equals the minimum": [
      3,
      ([one, { result }]) => one.minPassRate === result.successRate && one.minPassRate !== null
    ],
    "no rate": [2, ([, { result }]) => result.successRate === null],
    "runs that nothing decided": [30, ([, { unjudged }]) => unjudged > 0],
    "deleted or canceled runs only": [
      0.1,
      ([, { deleted, result }]) => (deleted > 0 || result.runsByStatus.cancelled > 0) && result.successRate === 1
    ],
    "a mixed scenario": [
      10,
      ([, { comparison }]) => comparison?.scenarios.some((one) => one.change === "mixed") === true
    ]
  }),
  counted("deletions", deletionSnapshot, {
    nothing: [1, ({ runsToDelete }) => runsToDelete.length === 0],
    "a number that another run needs": [
      5,
      ({ runsToDelete, stillReferenced }) =>
        runsToDelete.some(({ phoneNumberId }) => phoneNumberId !== null && stillReferenced.has(phoneNumberId))
    ]
  })
]

/** How often each arbitrary meets each of its cases, with the kit's seed. */
export const frequencies = (): ReadonlyArray<Frequency> => all.flatMap((one) => one.frequencies())

const printed = (some: ReadonlyArray<Frequency>): string =>
  some.map((one) => `  ${one.met.toFixed(1).padStart(5)} % (at least ${one.least} %) ${one.case}`).join("\n")

/** Each fails, with all frequencies, where a case is met more rarely than its floor; `report` receives them otherwise. */
export const frequencyProperties = (report: (text: string) => void): ReadonlyArray<Property> =>
  all.map(({ arbitrary, frequencies: count }) => ({
    name: `${arbitrary} meet the cases that matter`,
    check: () => {
      const found = count()
      const rare = found.filter(({ least, met }) => met < least)
      if (rare.length > 0) {
        const names = rare.map((one) => `"${one.case}"`).join(", ")
        throw new Error(`${arbitrary}: actual frequencies of ${names}, expected the floors\n${printed(found)}`)
      }
      report(`${arbitrary}\n${printed(found)}`)
    }
  }))
