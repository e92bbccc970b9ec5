/**
 * Time divided at the bounds of buckets. Read bucket by bucket along an index of time, calls need no sorting and no
 * estimate of how many buckets they are in: SQLite would sort all calls for a GROUP BY, and PostgreSQL would too, since it
 * takes the number of calls for the number of their buckets.
 */
import { MAX_BUCKETS, type TimeRange } from "../../analytics/AnalyticsQuery.js"
import { type Bucket, bucketStart, nextBucket } from "../../analytics/Bucket.js"
import { type Condition, conjuncts, type Filter, isGroup } from "../../filters/Filter.js"

/** A range of epoch milliseconds, without its end. */
export type Slice = readonly [low: number, high: number]

/**
 * The buckets from the first to the last time, in order. Undefined if there are more of them than a chart has: most are
 * empty then, and each costs a search.
 */
export const slicesOf = (bucket: Bucket, { first, last }: TimeRange): ReadonlyArray<Slice> | undefined => {
  const slices: Array<Slice> = []
  for (let low = bucketStart(bucket, first); low <= last;) {
    if (slices.length === MAX_BUCKETS) return undefined
    const high = nextBucket(bucket, low)
    slices.push([low, high])
    low = high
  }
  return slices
}

const isTimeCondition = (condition: Condition): boolean => !isGroup(condition) && condition.field === "timestamp"

/** What a filter says about the time of calls alone: conditions that an index of time answers. */
export const timeConditions = (filter: Filter): Filter => {
  const conditions = conjuncts(filter).filter(isTimeCondition)
  return conditions.length === 0 ? null : { operator: "and", conditions }
}

/** Whether a filter is about the time of calls alone. */
export const isOfTime = (filter: Filter): boolean => conjuncts(filter).every(isTimeCondition)

/** Fields by which few calls can be found without reading all calls of a time. */
const isSelective = (field: string): boolean =>
  field === "id" || field.startsWith("agent.") || field.startsWith("metric_evaluations.")

/** Whether calls that match a filter are best found along time: no other index can find them faster. */
export const isReadAlongTime = (filter: Filter): boolean => filter === null || isAlongTime(filter)

const isAlongTime = (condition: Condition): boolean =>
  isGroup(condition) ? condition.conditions.every(isAlongTime) : !isSelective(condition.field)
