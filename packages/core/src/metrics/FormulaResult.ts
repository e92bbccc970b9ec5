/** The value of an evaluation; null for none. */
export type EvaluationValue = number | boolean | string | null

/** A moment of the call that explains a value. */
export interface Moment {
  /** Seconds from the start of the call. */
  readonly at_second: number
  /** Milliseconds; 0 for a point in time, negative for an answer that began before `at_second`. */
  readonly duration_ms: number
}

/** The most moments stored with a value: the first in time. */
const MAX_MOMENTS = 100

/** The result of a formula for a call. */
export interface FormulaResult {
  readonly value: EvaluationValue
  /** Why there is no value, for a person; null if there is one. */
  readonly reason: string | null
  readonly moments: ReadonlyArray<Moment>
  /** Other figures of the same sample, such as the percentiles of latencies. */
  readonly statistics?: Readonly<Record<string, number>>
  /** All measurements that the value and the statistics are of, in milliseconds. */
  readonly sample?: ReadonlyArray<number>
}

/** Rounds to three decimals: milliseconds if the unit is seconds; the rest is floating-point noise. */
export const toThousandths = (value: number): number => Math.round(value * 1000) / 1000

/** Rounds to six decimals, for ratios and rates. */
export const toMillionths = (value: number): number => Math.round(value * 1_000_000) / 1_000_000

export const moment = (startSecond: number, seconds: number): Moment => ({
  at_second: toThousandths(startSecond),
  duration_ms: toThousandths(seconds * 1000)
})

export const withValue = (
  value: number | boolean | string,
  moments: ReadonlyArray<Moment> = [],
  statistics?: Readonly<Record<string, number>>
): FormulaResult => ({
  value,
  reason: null,
  moments: moments.slice(0, MAX_MOMENTS),
  ...(statistics === undefined ? {} : { statistics })
})

export const withoutValue = (reason: string): FormulaResult => ({ value: null, reason, moments: [] })
