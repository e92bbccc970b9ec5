import type { JsonObject } from "../kernel/Json.js"
import { type FormulaResult, type Moment, toThousandths, withValue } from "./FormulaResult.js"

/** The quantile `p` of sorted numbers, by linear interpolation between ranks (`percentile_cont` in SQL). */
export const quantile = (sorted: ReadonlyArray<number>, p: number): number => {
  const position = p * (sorted.length - 1)
  const below = Math.floor(position)
  const low = sorted[below] ?? Number.NaN
  const high = sorted[below + 1] ?? low
  return low + (high - low) * (position - below)
}

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

const statisticsOf = (values: ReadonlyArray<number>) => {
  const sorted = [...values].sort((a, b) => a - b)
  return {
    count: values.length,
    mean: toThousandths(mean(values)),
    p50: toThousandths(quantile(sorted, 0.5)),
    p90: toThousandths(quantile(sorted, 0.9)),
    p95: toThousandths(quantile(sorted, 0.95)),
    p99: toThousandths(quantile(sorted, 0.99))
  }
}

const MAX_INTEGER = 2 ** 31 - 1

/** Milliseconds without their fractions, as integers of 32 bits: at most 24 days. */
export const wholeMilliseconds = (sample: ReadonlyArray<number>): ReadonlyArray<number> =>
  sample.map((one) => Math.min(Math.max(Math.round(one), -MAX_INTEGER), MAX_INTEGER))

/** The statistics that `configuration.statistic` can select. Default: the mean. */
export const STATISTICS = ["mean", "p50", "p90", "p95", "p99"] as const

/**
 * A metric over several samples in milliseconds.
 *
 * @param moments where in the call they are, as far as that is known
 * @param sample all of them
 */
export const sampleResult = (
  moments: ReadonlyArray<Moment>,
  configuration: JsonObject | null,
  sample: ReadonlyArray<number> = moments.map((one) => one.duration_ms)
): FormulaResult => {
  const statistics = statisticsOf(sample)
  const name = STATISTICS.find((one) => one === configuration?.statistic) ?? "mean"
  return { ...withValue(statistics[name], moments, statistics), sample }
}
