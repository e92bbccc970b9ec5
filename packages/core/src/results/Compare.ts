/**
 * Compares two results: scenarios with the same key, metric by metric, and the results as wholes. Pure.
 */
import * as Schema from "effect/Schema"
import { Direction } from "../metrics/MetricTerms.js"
import { Channel } from "../catalog/Agent.js"
import * as Fields from "../kernel/Fields.js"
import { AgentId, type MetricId, ResultId } from "../kernel/Ids.js"
import { evaluateResult, type RunCount } from "./Evaluate.js"

/**
 * How a value changed. `changed`: it differs, and neither direction is better. `unknown`: one side has no value.
 */
export const Change = Schema.Literal("better", "worse", "same", "changed", "unknown")
export type Change = typeof Change.Type

/** `mixed`: some values became better and some worse. `added` and `removed` scenarios exist in one result only. */
export const ScenarioChange = Schema.Literal(
  "better",
  "worse",
  "mixed",
  "same",
  "changed",
  "unknown",
  "added",
  "removed"
)
export type ScenarioChange = typeof ScenarioChange.Type

/** The values of a metric in some runs. */
export interface MetricScores {
  readonly id: MetricId
  readonly name: string
  readonly better: Direction | null
  /** Whether its values are true and false. */
  readonly isBinary: boolean
  /** The number of runs with a number (true is 1 and false is 0), their sum, and the sum of their squares. */
  readonly numbers: number
  readonly sum: number
  readonly squares: number
  /** The number of runs by enum value. */
  readonly words: ReadonlyMap<string, number>
}

/** The outcomes and scores of a scenario's runs. */
export interface ScenarioScores {
  readonly key: string
  readonly name: string
  readonly counts: ReadonlyArray<RunCount>
  readonly metrics: ReadonlyArray<MetricScores>
}

/** A result to compare; its scenarios in order, each key once. */
export interface ResultScores {
  readonly id: ResultId
  readonly name: string
  readonly agentId: AgentId
  readonly channel: Channel
  readonly scenarios: ReadonlyArray<ScenarioScores>
}

const Compared = Schema.Struct({
  /** Null where there is no value. */
  base: Schema.NullOr(Schema.Number),
  result: Schema.NullOr(Schema.Number),
  /** The result's value minus the base's. */
  difference: Schema.NullOr(Schema.Number),
  change: Change
})

const ComparedMetric = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  /** Which values are better; null where neither direction is. */
  better: Schema.NullOr(Direction),
  ...Compared.fields,
  /** For enum metrics: the share of each value, 0 to 1. */
  shares: Schema.NullOr(
    Schema.Array(Schema.Struct({ value: Schema.String, base: Schema.Number, result: Schema.Number }))
  )
})
type ComparedMetric = typeof ComparedMetric.Type

const ComparedScenario = Schema.Struct({
  key: Schema.String,
  name: Schema.String,
  change: ScenarioChange,
  runs: Schema.Struct({ base: Schema.Int, result: Schema.Int }),
  successRate: Fields.named("success_rate", Compared),
  metrics: Schema.Array(ComparedMetric)
})

const Side = Schema.Struct({
  id: ResultId,
  name: Schema.String,
  agentId: Fields.named("agent", AgentId),
  channel: Channel,
  totalRuns: Fields.named("total_runs", Schema.Int)
})

/** A comparison of `result` with `base`. */
export const Comparison = Schema.Struct({
  base: Side,
  result: Side,
  change: ScenarioChange,
  successRate: Fields.named("success_rate", Compared),
  metrics: Schema.Array(ComparedMetric),
  /** The number of scenarios by change. */
  scenarioCounts: Fields.named(
    "scenario_counts",
    Schema.Struct({
      better: Schema.Int,
      worse: Schema.Int,
      mixed: Schema.Int,
      same: Schema.Int,
      changed: Schema.Int,
      unknown: Schema.Int,
      added: Schema.Int,
      removed: Schema.Int
    })
  ),
  scenarios: Schema.Array(ComparedScenario)
})
export type Comparison = typeof Comparison.Type

/** The wire form of a comparison. */
export const encodeComparison = Schema.encodeSync(Comparison)

/** Rounding errors in sums of floats are no change. */
const NOISE = 1e-9

/** The share of the greater mean by which means may differ where there are no repeats to estimate their variation from. */
const DEFAULT_TOLERANCE = 0.25

/** Two standard errors: about 95 % of the differences between samples of the same distribution are smaller. */
const STANDARD_ERRORS = 2

const changeOf = (base: number, result: number, better: Direction | null, tolerance: number): Change => {
  const difference = result - base
  if (Math.abs(difference) <= Math.max(tolerance, NOISE * Math.abs(base))) return "same"
  return better === null ? "changed" : difference > 0 === (better === "higher") ? "better" : "worse"
}

/** A difference of up to `tolerance` counts as none. */
const compared = (
  base: number | null,
  result: number | null,
  better: Direction | null,
  tolerance: number
): typeof Compared.Type =>
  base === null || result === null
    ? { base, result, difference: null, change: "unknown" }
    : { base, result, difference: result - base, change: changeOf(base, result, better, tolerance) }

const meanOf = (scores: MetricScores | undefined): number | null =>
  scores === undefined || scores.numbers === 0 ? null : scores.sum / scores.numbers

/** The squared standard error of the mean; undefined for fewer than two values. */
const squaredErrorOf = ({ numbers, squares, sum }: MetricScores): number | undefined => {
  if (numbers < 2) return undefined
  const squaredError = Math.max(0, squares - (sum * sum) / numbers) / ((numbers - 1) * numbers)
  return Number.isFinite(squaredError) ? squaredError : undefined
}

/** Whether both sides have repeats, from which the variation of the metric can be estimated. */
const isRepeated = (base: MetricScores | undefined, result: MetricScores | undefined): boolean =>
  (base?.numbers ?? 0) >= 2 && (result?.numbers ?? 0) >= 2

/** The difference of means that counts as none: what is given, else what the variation of repeats explains, else the default. */
const toleranceOf = (base: MetricScores, result: MetricScores, given: number | null): number => {
  const [before, after] = [meanOf(base) ?? 0, meanOf(result) ?? 0]
  if (given !== null) return given * Math.abs(before)
  const [ofBase, ofResult] = [squaredErrorOf(base), squaredErrorOf(result)]
  return ofBase === undefined || ofResult === undefined
    ? DEFAULT_TOLERANCE * Math.max(Math.abs(before), Math.abs(after))
    : STANDARD_ERRORS * Math.sqrt(ofBase + ofResult)
}

const noWords: ReadonlyMap<string, number> = new Map()

const wordsOf = (scores: MetricScores | undefined): number =>
  [...(scores?.words ?? noWords).values()].reduce((sum, runs) => sum + runs, 0)

const compareWords = (
  base: MetricScores | undefined,
  result: MetricScores | undefined,
  tolerance: number
): Pick<ComparedMetric, "change" | "shares"> => {
  const [before, after] = [wordsOf(base), wordsOf(result)]
  const values = [...new Set([...(base?.words ?? noWords).keys(), ...(result?.words ?? noWords).keys()])].toSorted()
  const shareOf = (scores: MetricScores | undefined, word: string, all: number) =>
    (scores?.words.get(word) ?? 0) / Math.max(1, all)
  const shares = values.map((value) => ({
    value,
    base: shareOf(base, value, before),
    result: shareOf(result, value, after)
  }))
  return {
    shares,
    change:
      before === 0 || after === 0
        ? "unknown"
        : shares.some((share) => changeOf(share.base, share.result, null, tolerance) === "changed")
          ? "changed"
          : "same"
  }
}

/** A compared metric, and whether its change counts for the scenario. */
interface WeighedMetric {
  readonly metric: ComparedMetric
  readonly isDeciding: boolean
}

/**
 * Both sides use the name and direction of `metric`. A number that was measured once on a side, such as one latency, does
 * not decide unless the caller gives a tolerance: it varies by chance.
 */
const compareMetric = (
  metric: MetricScores,
  base: MetricScores | undefined,
  result: MetricScores | undefined,
  given: number | null
): WeighedMetric => {
  const known = { id: metric.id, name: metric.name, better: metric.better }
  if (wordsOf(base) + wordsOf(result) > 0) {
    const whole = { base: null, result: null, difference: null, ...compareWords(base, result, given ?? 0) }
    return { metric: { ...known, ...whole }, isDeciding: true }
  }
  const tolerance = base === undefined || result === undefined ? 0 : toleranceOf(base, result, given)
  return {
    metric: { ...known, ...compared(meanOf(base), meanOf(result), metric.better, tolerance), shares: null },
    isDeciding: given !== null || metric.isBinary || isRepeated(base, result)
  }
}

const compareMetrics = (
  base: ReadonlyArray<MetricScores>,
  result: ReadonlyArray<MetricScores>,
  tolerance: number | null
): ReadonlyArray<WeighedMetric> => {
  const byId = (all: ReadonlyArray<MetricScores>) => new Map(all.map((one) => [one.id, one]))
  const [before, after] = [byId(base), byId(result)]
  // Where both sides have a metric, the result's definition is the current one.
  return [...byId([...base, ...result]).values()]
    .toSorted((a, b) => a.id - b.id)
    .map((metric) => compareMetric(metric, before.get(metric.id), after.get(metric.id), tolerance))
}

/** Combines changes; those without a direction have the least weight. */
const overall = (changes: ReadonlyArray<Change>): ScenarioChange => {
  const isBetter = changes.includes("better")
  const isWorse = changes.includes("worse")
  if (isBetter || isWorse) return isBetter && isWorse ? "mixed" : isBetter ? "better" : "worse"
  return changes.includes("changed") ? "changed" : changes.includes("same") ? "same" : "unknown"
}

/** All runs of a result, pooled as if of one scenario. */
const pooled = (scenarios: ReadonlyArray<ScenarioScores>): Omit<ScenarioScores, "key" | "name"> => {
  const metrics = new Map<MetricId, MetricScores>()
  for (const one of scenarios.flatMap((scenario) => scenario.metrics)) {
    const sum = metrics.get(one.id)
    const words = new Map(sum?.words)
    for (const [word, runs] of one.words) words.set(word, (words.get(word) ?? 0) + runs)
    metrics.set(one.id, {
      ...one,
      numbers: one.numbers + (sum?.numbers ?? 0),
      sum: one.sum + (sum?.sum ?? 0),
      squares: one.squares + (sum?.squares ?? 0),
      words
    })
  }
  return { counts: scenarios.flatMap(({ counts }) => counts), metrics: [...metrics.values()] }
}

const compareRuns = (
  base: Omit<ScenarioScores, "key" | "name">,
  result: Omit<ScenarioScores, "key" | "name">,
  tolerance: number | null
) => {
  const [before, after] = [evaluateResult(base.counts), evaluateResult(result.counts)]
  const successRate = compared(before.successRate, after.successRate, "higher", tolerance ?? 0)
  const weighed = compareMetrics(base.metrics, result.metrics, tolerance)
  const metrics = weighed.map(({ metric }) => metric)
  const changes = weighed.map(({ isDeciding, metric: { change } }): Change =>
    isDeciding || change === "unknown" ? change : "same"
  )
  // The success rate takes precedence over the metrics.
  const change =
    successRate.change === "better" || successRate.change === "worse"
      ? successRate.change
      : overall([successRate.change, ...changes])
  return { change, successRate, metrics, runs: { base: before.totalRuns, result: after.totalRuns } }
}

const nothing = { counts: [], metrics: [] }

/**
 * Compares a result with a base. Scenarios are paired by key, in the result's order, removed ones last.
 *
 * With `tolerance` (0 to 1), a success rate counts as changed where it differs by more, and the mean of a metric where it
 * differs by more than that share of the base's. Without it, every difference of success rates counts; means count where
 * they differ by more than two standard errors of their difference if both sides have at least two values, else by more
 * than a quarter of the greater one. A scenario is as its success rate; where that is the same, as its metrics, without
 * numbers that were measured once.
 */
export const compareResults = (
  base: ResultScores,
  result: ResultScores,
  tolerance: number | null = null
): Comparison => {
  const before = new Map(base.scenarios.map((scenario) => [scenario.key, scenario]))
  const after = new Set(result.scenarios.map(({ key }) => key))
  const scenarios = [
    ...result.scenarios.map((scenario) => {
      const was = before.get(scenario.key)
      const whole = compareRuns(was ?? nothing, scenario, tolerance)
      return {
        key: scenario.key,
        name: scenario.name,
        ...whole,
        change: was === undefined ? ("added" as const) : whole.change
      }
    }),
    ...base.scenarios
      .filter(({ key }) => !after.has(key))
      .map((scenario) => ({
        key: scenario.key,
        name: scenario.name,
        ...compareRuns(scenario, nothing, tolerance),
        change: "removed" as const
      }))
  ]
  const { runs, ...whole } = compareRuns(pooled(base.scenarios), pooled(result.scenarios), tolerance)
  const count = (change: ScenarioChange) => scenarios.filter((one) => one.change === change).length
  const side = ({ agentId, channel, id, name }: ResultScores, totalRuns: number) => ({
    id,
    name,
    agentId,
    channel,
    totalRuns
  })
  return {
    base: side(base, runs.base),
    result: side(result, runs.result),
    ...whole,
    scenarioCounts: {
      better: count("better"),
      worse: count("worse"),
      mixed: count("mixed"),
      same: count("same"),
      changed: count("changed"),
      unknown: count("unknown"),
      added: count("added"),
      removed: count("removed")
    },
    scenarios
  }
}
