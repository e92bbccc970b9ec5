import type * as DateTime from "effect/DateTime"
import type { Field, Filter, Scalar } from "../filters/Filter.js"
import type { MetricId, ProjectId } from "../kernel/Ids.js"
import { compareText } from "../kernel/Text.js"
import type { Bucket } from "./Bucket.js"
import type { Aggregate, DataType } from "./Measure.js"

/** The most groups of a chart, and the most slices of a pie; what is rarer is put together as `other`. */
export const MAX_GROUPS = 50

/** The most periods of a chart; the newest are shown. */
export const MAX_BUCKETS = 1000

/**
 * Numbers beyond this count as no value: no real measurement is that large, and sums of such would leave the range of
 * floating point, which PostgreSQL answers with an error.
 */
export const MAX_MEASURE = 1e100

/** Which calls are asked about. */
export interface QueryScope {
  readonly projectId: ProjectId
  readonly filter: Filter
  /** The moment of asking, which relative times in the filter refer to. */
  readonly now: DateTime.Utc
}

/** The four numbers of a stat. */
export interface TotalsQuery extends QueryScope {
  /** The metrics whose values are latencies. */
  readonly latencyMetrics: ReadonlyArray<MetricId>
}

/**
 * Which values of those calls. There is one value a call; where a field of evaluations is involved, one an evaluation,
 * which with `metric` is again one a call. What is null, an object, a list, or of another type than `dataType` is no
 * value.
 */
export interface ValuesQuery extends QueryScope {
  readonly field: Field
  readonly dataType: DataType
  /** The metric whose evaluations are meant, or null for those of all. */
  readonly metric: MetricId | null
}

/** An aggregate of the values for each bucket of time, and for each value of another field. */
export interface TimelineQuery extends ValuesQuery {
  readonly aggregate: Aggregate
  readonly bucket: Bucket
  readonly group: Field | null
}

/** How often each value occurs. */
export interface SharesQuery extends ValuesQuery {
  readonly group: Field | Bucket | null
}

export interface Totals {
  readonly calls: number
  /** 0 to 1, of the calls whose success is known. */
  readonly successRate: number | null
  /** Seconds. */
  readonly averageDuration: number | null
  /** Milliseconds. */
  readonly p95Latency: number | null
}

/** How many values there are of each type. */
export interface TypeCounts {
  readonly numeric: number
  readonly boolean: number
  readonly string: number
}

/** The first and the last call with a value, in epoch milliseconds. */
export interface TimeRange {
  readonly first: number
  readonly last: number
}

/** A value, where `kind` is `value`. Instants are epoch milliseconds. */
export interface Group {
  readonly kind: "all" | "value" | "none" | "other"
  readonly key: Scalar | null
}

export interface Cell {
  /** A position in the list of groups. */
  readonly group: number
  /** When the bucket begins, in epoch milliseconds. */
  readonly at: number
  /** The aggregate of `count` values; there are no cells of no values. */
  readonly value: number
  readonly count: number
}

export interface Timeline {
  /** The most frequent first; among equals none, booleans, numbers, texts, each in their order; `other` last. */
  readonly groups: ReadonlyArray<Group>
  /** Of the newest buckets that hold values, in any order. */
  readonly cells: ReadonlyArray<Cell>
  /** Whether older buckets with values were left out. */
  readonly truncated: boolean
}

export interface Share extends Group {
  readonly count: number
}

/** In each list the order of `Timeline.groups`. */
export interface Shares {
  readonly groups: ReadonlyArray<Share & { readonly slices: ReadonlyArray<Share> }>
}

/** Whether the values are one an evaluation: where the field, or the field that divides it, is one of evaluations. */
export const readsEvaluations = (question: ValuesQuery, group: Field | Bucket | null): boolean =>
  question.field.of === "evaluation" || (isField(group) && group.of === "evaluation")

export const isField = (group: Field | Bucket | null): group is Field => group !== null && "of" in group

const KEY_TYPES = ["object", "boolean", "number", "string"]

/** Order of group keys: null, booleans, numbers, strings; within a type by value. */
export const compareGroupKeys = (a: Scalar | null, b: Scalar | null): number => {
  const byKind = KEY_TYPES.indexOf(typeof a) - KEY_TYPES.indexOf(typeof b)
  if (byKind !== 0) return byKind
  return typeof a === "string" && typeof b === "string" ? compareText(a, b) : Number(a) - Number(b)
}
