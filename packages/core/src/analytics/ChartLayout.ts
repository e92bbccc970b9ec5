/** Lays out query results as chart series: labels, empty periods, shares. */
import * as DateTime from "effect/DateTime"
import type { Field, Scalar } from "../filters/Filter.js"
import {
  type Cell,
  type Group,
  isField,
  MAX_BUCKETS,
  type Share,
  type Shares,
  type SharesQuery,
  type Timeline,
  type TimelineQuery
} from "./AnalyticsQuery.js"
import { type Bucket, nextBucket } from "./Bucket.js"
import type { Aggregate } from "./Measure.js"
import type { Slice, SliceSeries, TimePoint, TimeSeries } from "./WidgetData.js"

/**
 * The series of a line or bar chart. Every series has a point for each period from the first to the last with a value,
 * including empty ones; if these are more than `MAX_BUCKETS`, empty periods are omitted.
 */
export const layoutTimeline = (
  query: TimelineQuery,
  fieldName: string,
  { cells, groups }: Timeline
): ReadonlyArray<TimeSeries> => {
  const times = periods(query.bucket, cells)
  const series = groups.map((group) => ({ group, held: new Map<number, Cell>() }))
  for (const cell of cells) series[cell.group]?.held.set(cell.at, cell)
  return series.map(({ group, held }) => ({
    ...labeled(group, query.group, fieldName),
    points: times.map((at) => pointOf(query.aggregate, at, held.get(at)))
  }))
}

const pointOf = (aggregate: Aggregate, at: number, cell: Cell | undefined): TimePoint => ({
  timestamp: DateTime.unsafeMake(at),
  value: cell !== undefined ? withoutNegativeZero(cell.value) : aggregate === "count" ? 0 : null,
  count: cell?.count ?? 0
})

/** JSON has no -0. */
const withoutNegativeZero = (value: number): number => (value === 0 ? 0 : value)

const periods = (bucket: Bucket, cells: ReadonlyArray<Cell>): ReadonlyArray<number> => {
  const held = [...new Set(cells.map(({ at }) => at))].sort((a, b) => a - b)
  const [first] = held
  const last = held.at(-1)
  if (first === undefined || last === undefined) return []
  const all: Array<number> = []
  for (let at = first; at <= last; at = nextBucket(bucket, at)) {
    if (all.length === MAX_BUCKETS) return held
    all.push(at)
  }
  return all
}

/** The series of a pie chart; in chronological order when grouped by time buckets. */
export const layoutShares = (query: SharesQuery, fieldName: string, { groups }: Shares): ReadonlyArray<SliceSeries> => {
  const inTime = isField(query.group) ? groups : [...groups].sort(byTime)
  return inTime.map((group) => ({
    ...labeled(group, query.group, fieldName),
    total: group.count,
    points: group.slices.map((slice) => sliceOf(slice, query.field, fieldName, group.count))
  }))
}

const byTime = (a: Share, b: Share): number => timeOf(a) - timeOf(b)

/** Groups without a time sort to the end. */
const timeOf = ({ key }: Share): number => (typeof key === "number" ? key : Number.POSITIVE_INFINITY)

const sliceOf = (slice: Share, field: Field, fieldName: string, total: number): Slice => ({
  ...labeled(slice, field, fieldName),
  value: slice.count,
  share: slice.count / total
})

const labeled = ({ key, kind }: Group, by: Field | Bucket | null, fieldName: string) => {
  const shown = keyOf(key, by)
  switch (kind) {
    case "all":
      return { kind, key: null, label: fieldName }
    case "none":
      return { kind, key: null, label: "(none)" }
    case "other":
      return { kind, key: null, label: "(other)" }
    case "value":
      return { kind, key: shown, label: labelOf(String(shown)) }
  }
}

/** Distinguishes a blank text from a missing one. */
const labelOf = (shown: string): string => (shown.trim() === "" ? "(blank)" : shown)

const keyOf = (key: Scalar | null, by: Field | Bucket | null): Scalar | null =>
  typeof key !== "number"
    ? key
    : !isField(by) || by.type === "timestamp"
      ? DateTime.formatIso(DateTime.unsafeMake(key))
      : withoutNegativeZero(key)
