import type * as DateTime from "effect/DateTime"
import type { Permit } from "../access/Permit.js"
import type { Field, Filter, Scalar } from "../filters/Filter.js"
import type { MetricId, ProjectId } from "../kernel/Ids.js"
import { compareText } from "../kernel/Text.js"
import type { Bucket } from "./Bucket.js"
import type { Aggregate, DataType } from "./Measure.js"

/** Previews require the permission to write dashboards; stored charts the permission to read them. */
export type ChartPermit = Permit<"dashboards:read" | "dashboards:write">

/** The most groups of a chart and slices of a pie; less frequent ones are combined as `other`. */
export const MAX_GROUPS = 50

/** The most periods of a chart; the newest are kept. */
export const MAX_BUCKETS = 1000

/**
 * Numbers of a greater magnitude are ignored. No real measurement is that large, and their sums could overflow, which is an
 * error in PostgreSQL.
 */
export const MAX_MEASURE = 1e100

/** The calls that a query is about. */
export interface QueryScope {
  readonly projectId: ProjectId
  readonly filter: Filter
  /** The moment of query, which relative times in the filter refer to. */
  readonly now: DateTime.Utc
}

/** The numbers of a stat chart. */
export interface TotalsQuery extends QueryScope {
  /** The metrics whose values are latencies of calls, and with whose evaluations the latencies of answers are stored. */
  readonly latencyMetrics: ReadonlyArray<MetricId>
}

/**
 * The values of a field. There is one value per call or, if the field or the group is a field of evaluations, one per
 * evaluation (with `metric`, again one per call). Null, objects, lists and values of another type than `dataType` are
 * ignored.
 */
export interface ValuesQuery extends QueryScope {
  readonly field: Field
  readonly dataType: DataType
  /** The metric whose evaluations are used; null means all. */
  readonly metric: MetricId | null
}

/** An aggregate of the values per time bucket and group. */
export interface TimelineQuery extends ValuesQuery {
  readonly aggregate: Aggregate
  readonly bucket: Bucket
  readonly group: Field | null
}

/** How often each value occurs, per group. */
export interface SharesQuery extends ValuesQuery {
  readonly group: Field | Bucket | null
}

export interface Totals {
  readonly calls: number
  /** 0 to 1, of calls whose success is known. */
  readonly successRate: number | null
  /** Seconds. */
  readonly averageDuration: number | null
  /** Over all answers of all calls, in milliseconds; each is an `Evaluation.answerLatencies`. */
  readonly p95Latency: number | null
  /** Over the values of the metrics, one a call, in milliseconds. */
  readonly p95CallLatency: number | null
}

/** The number of values of each type. */
export interface TypeCounts {
  readonly numeric: number
  readonly boolean: number
  readonly string: number
}

/** The times of the first and the last call with a value, in epoch milliseconds. */
export interface TimeRange {
  readonly first: number
  readonly last: number
}

/** A group of values. `key` is the value for the kind `value`; times are epoch milliseconds. */
export interface Group {
  readonly kind: "all" | "value" | "none" | "other"
  readonly key: Scalar | null
}

export interface Cell {
  /** The index in the list of groups. */
  readonly group: number
  /** The start of the bucket, in epoch milliseconds. */
  readonly at: number
  /** The aggregate of `count` values; cells without values are omitted. */
  readonly value: number
  readonly count: number
}

export interface Timeline {
  /** The most frequent first, then in the order of `compareGroupKeys`; `other` last. */
  readonly groups: ReadonlyArray<Group>
  /** The cells of the newest `MAX_BUCKETS` buckets with values, in any order. */
  readonly cells: ReadonlyArray<Cell>
  /** Whether older buckets with values were omitted. */
  readonly truncated: boolean
}

export interface Share extends Group {
  readonly count: number
}

/** Groups and slices are in the order of `Timeline.groups`. */
export interface Shares {
  readonly groups: ReadonlyArray<Share & { readonly slices: ReadonlyArray<Share> }>
}

/** Whether there is one value per evaluation: the field or the group is a field of evaluations. */
export const readsEvaluations = (query: ValuesQuery, group: Field | Bucket | null): boolean =>
  query.field.of === "evaluation" || (isField(group) && group.of === "evaluation")

export const isField = (group: Field | Bucket | null): group is Field => group !== null && "of" in group

const KEY_TYPES = ["object", "boolean", "number", "string"]

/** Order of group keys: null, booleans, numbers, strings; within a type by value. */
export const compareGroupKeys = (a: Scalar | null, b: Scalar | null): number => {
  const byKind = KEY_TYPES.indexOf(typeof a) - KEY_TYPES.indexOf(typeof b)
  if (byKind !== 0) return byKind
  return typeof a === "string" && typeof b === "string" ? compareText(a, b) : Number(a) - Number(b)
}
