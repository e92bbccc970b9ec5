/**
 * Reference implementation of `AnalyticsStore`: the answers to its queries over calls in memory. Tests compare every store
 * with it. The calls passed in are those of the query's project.
 */
import { type Aggregate, AnalyticsQuery, Buckets, type Filters, type Json } from "@earshot/core"
import * as DateTime from "effect/DateTime"
import type { FilterableCall, FilterableEvaluation } from "../filters/FilterableCall.js"
import { evaluationValue, matcher, valueOf } from "../filters/ReferenceMatcher.js"

const { isField, MAX_BUCKETS, MAX_GROUPS, MAX_MEASURE, readsEvaluations } = AnalyticsQuery
const { bucketStart } = Buckets

type Calls = ReadonlyArray<FilterableCall>

const inScope = (scope: AnalyticsQuery.QueryScope, calls: Calls): Calls =>
  calls.filter(matcher(scope.filter, scope.now))

/** The numbers of a stat chart. */
export const totals = (query: AnalyticsQuery.TotalsQuery, all: Calls): AnalyticsQuery.Totals => {
  const calls = inScope(query, all)
  const isLatency = new Set<number>(query.latencyMetrics)
  const known = calls.flatMap((call) => (call.success === null ? [] : [call.success ? 1 : 0]))
  const durations = calls.flatMap((call) => (isMeasure(call.duration) ? [call.duration] : []))
  const evaluations = calls.flatMap((call) => call.evaluations.filter(({ metricId }) => isLatency.has(metricId)))
  const latencies = evaluations.flatMap(({ answerLatencies = [] }) => answerLatencies)
  const callLatencies = evaluations.flatMap(({ value }) => (isMeasure(value) ? [value] : []))
  const mean = (values: ReadonlyArray<number>) => (values.length === 0 ? null : aggregate("avg", values))
  return {
    calls: calls.length,
    successRate: mean(known),
    averageDuration: mean(durations),
    p95Latency: latencies.length === 0 ? null : aggregate("p95", latencies),
    p95CallLatency: callLatencies.length === 0 ? null : aggregate("p95", callLatencies)
  }
}

/** The number of values of each type. */
export const typeCounts = (query: AnalyticsQuery.ValuesQuery, calls: Calls): AnalyticsQuery.TypeCounts => {
  const points = values(query, null, calls)
  const ofType = (type: string) => points.filter(({ value }) => typeof value === type).length
  return { numeric: ofType("number"), boolean: ofType("boolean"), string: ofType("string") }
}

/** The times of the first and the last call with a value; undefined without values. */
export const timeRange = (query: AnalyticsQuery.ValuesQuery, calls: Calls): AnalyticsQuery.TimeRange | undefined => {
  const points = values(query, null, calls)
  if (points.length === 0) return undefined
  return points.reduce<AnalyticsQuery.TimeRange>(
    ({ first, last }, { at }) => ({ first: Math.min(first, at), last: Math.max(last, at) }),
    {
      first: Number.POSITIVE_INFINITY,
      last: Number.NEGATIVE_INFINITY
    }
  )
}

/** An aggregate of the values of each bucket and group. Texts are only counted; booleans are 0 and 1. */
export const timeline = (query: AnalyticsQuery.TimelineQuery, calls: Calls): AnalyticsQuery.Timeline => {
  const all = values(query, query.group, calls)
  const points = query.aggregate === "count" ? all : all.filter(({ value }) => typeof value !== "string")
  const ranking = query.group === null ? ungrouped : rank(points.map(({ group }) => group))
  const buckets = partition(points, ({ at }) => bucketStart(query.bucket, at))
  const newest = [...buckets].sort(([a], [b]) => b - a).slice(0, MAX_BUCKETS)
  return {
    groups: ranking.groups,
    cells: newest.flatMap(([at, all]) =>
      Array.from(
        partition(all, (one) => ranking.positionOf(one.group)),
        ([group, ones]): AnalyticsQuery.Cell => ({
          group,
          at,
          count: ones.length,
          value: aggregate(
            query.aggregate,
            ones.map(({ value }) => Number(value))
          )
        })
      )
    ),
    truncated: buckets.size > newest.length
  }
}

/** How often each value occurs, per group. */
export const shares = (query: AnalyticsQuery.SharesQuery, calls: Calls): AnalyticsQuery.Shares => {
  const points = values(query, query.group, calls)
  const ranking = query.group === null ? ungrouped : rank(points.map(({ group }) => group))
  const members = partition(points, (one) => ranking.positionOf(one.group))
  return {
    groups: ranking.groups.map((group, position) => {
      const ones = members.get(position) ?? []
      const slices = rank(ones.map(({ value }) => value))
      const counts = partition(ones, ({ value }) => slices.positionOf(value))
      return {
        ...group,
        count: ones.length,
        slices: slices.groups.map((slice, index) => ({ ...slice, count: counts.get(index)?.length ?? 0 }))
      }
    })
  }
}

/** A value with the time of its call and its group. */
interface DataPoint {
  readonly at: number
  readonly value: Filters.Scalar
  readonly group: Filters.Scalar | null
}

const values = (
  query: AnalyticsQuery.ValuesQuery,
  group: Filters.Field | Buckets.Bucket | null,
  calls: Calls
): ReadonlyArray<DataPoint> =>
  inScope(query, calls).flatMap((call) => {
    const at = DateTime.toEpochMillis(call.timestamp)
    return evaluationsOf(query, group, call).flatMap((evaluation) => {
      const value = read(call, evaluation, query.field)
      if (!isValue(query, value)) return []
      const key = isField(group)
        ? scalar(read(call, evaluation, group))
        : group === null
          ? null
          : bucketStart(group, at)
      return [{ at, value, group: key }]
    })
  })

/** The evaluations that a call's values come from; null if none. */
const evaluationsOf = (
  query: AnalyticsQuery.ValuesQuery,
  group: Filters.Field | Buckets.Bucket | null,
  call: FilterableCall
): ReadonlyArray<FilterableEvaluation | null> => {
  if (!readsEvaluations(query, group)) return [null]
  const { metric } = query
  const points = call.evaluations.filter(({ metricId }) => metric === null || metricId === metric)
  return points.length === 0 ? [null] : points
}

const read = (call: FilterableCall, evaluation: FilterableEvaluation | null, field: Filters.Field): Json =>
  field.of !== "evaluation"
    ? valueOf(call, field)
    : evaluation === null
      ? null
      : evaluationValue(evaluation, field.name)

const scalar = (value: Json): Filters.Scalar | null => (typeof value === "object" ? null : value)

const isMeasure = (value: unknown): value is number => typeof value === "number" && Math.abs(value) <= MAX_MEASURE

/** Whether a value has the requested type. */
const isValue = ({ dataType, field }: AnalyticsQuery.ValuesQuery, value: Json): value is Filters.Scalar => {
  switch (dataType) {
    case "numeric":
      return isMeasure(value)
    case "boolean":
      return typeof value === "boolean"
    case "string":
      return typeof value === "string"
    case "datetime":
      // Documents and metrics have times as texts.
      return typeof value === (field.type === "timestamp" ? "number" : "string")
    case "dynamic":
      return isMeasure(value) || typeof value === "boolean" || typeof value === "string"
  }
}

/** An aggregate of at least one value. */
export const aggregate = (what: Aggregate, all: ReadonlyArray<number>): number => {
  switch (what) {
    case "count":
      return all.length
    case "sum":
      return sum(all)
    case "avg":
      return sum(all) / all.length
    case "min":
      return all.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY)
    case "max":
      return all.reduce((most, one) => Math.max(most, one), Number.NEGATIVE_INFINITY)
    case "p50":
      return percentile(all, 0.5)
    case "p95":
      return percentile(all, 0.95)
    case "p99":
      return percentile(all, 0.99)
  }
}

/** Kahan-Babuska-Neumaier summation. */
const sum = (all: ReadonlyArray<number>): number => {
  let total = 0
  let lost = 0
  for (const one of all) {
    const next = total + one
    lost += Math.abs(total) >= Math.abs(one) ? total - next + one : one - next + total
    total = next
  }
  return total + lost
}

const percentile = (all: ReadonlyArray<number>, p: number): number => {
  const sorted = Float64Array.from(all).sort()
  const position = p * (sorted.length - 1)
  const rank = Math.floor(position)
  const low = sorted[rank] ?? 0
  const high = sorted[rank + 1] ?? low
  return low + (position - rank) * (high - low)
}

const partition = <A, K>(all: ReadonlyArray<A>, keyOf: (one: A) => K): ReadonlyMap<K, ReadonlyArray<A>> => {
  const parts = new Map<K, Array<A>>()
  for (const one of all) {
    const key = keyOf(one)
    const part = parts.get(key)
    if (part === undefined) parts.set(key, [one])
    else part.push(one)
  }
  return parts
}

interface Ranking {
  readonly groups: ReadonlyArray<AnalyticsQuery.Group>
  /** The index in `groups` of a value. */
  readonly positionOf: (key: Filters.Scalar | null) => number
}

const ungrouped: Ranking = { groups: [{ kind: "all", key: null }], positionOf: () => 0 }

/** The most frequent values, and the rest as `other`. */
const rank = (keys: ReadonlyArray<Filters.Scalar | null>): Ranking => {
  const counts = new Map<Filters.Scalar | null, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  const ranked = [...counts]
    .sort(([a, n], [b, m]) => m - n || AnalyticsQuery.compareGroupKeys(a, b))
    .map(([key]) => key)
  const top = ranked.slice(0, MAX_GROUPS)
  const positions = new Map(top.map((key, position) => [key, position]))
  const groups = top.map((key): AnalyticsQuery.Group => ({ kind: key === null ? "none" : "value", key }))
  return {
    groups: ranked.length > top.length ? [...groups, { kind: "other", key: null }] : groups,
    positionOf: (key) => positions.get(key) ?? top.length
  }
}
