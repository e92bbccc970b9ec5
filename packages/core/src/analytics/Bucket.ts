import type { TimePeriod } from "./Measure.js"

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** How time is cut into pieces: by the calendar, or into pieces of one width. */
export type Bucket =
  | { readonly by: "period"; readonly period: TimePeriod }
  /** Milliseconds, a whole number above 0. */
  | { readonly by: "interval"; readonly milliseconds: number }

/**
 * Where pieces of one width are counted from: Monday, 29 December 1969, 00:00 UTC. From there hours and days begin where
 * the calendar has them, and seven days make an ISO week.
 */
export const ORIGIN = -3 * DAY

const WIDTHS: Readonly<Record<TimePeriod, number | undefined>> = {
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
  month: undefined
}

/** The width of a bucket in milliseconds, or undefined for months, which differ. */
export const widthOf = (bucket: Bucket): number | undefined =>
  bucket.by === "interval" ? bucket.milliseconds : WIDTHS[bucket.period]

/** When the bucket that holds an instant begins. Both are epoch milliseconds. */
export const bucketStart = (bucket: Bucket, at: number): number => {
  const width = widthOf(bucket)
  return width === undefined ? startOfMonth(at, 0) : ORIGIN + Math.floor((at - ORIGIN) / width) * width
}

/** When the bucket after the one that begins at `start` does. */
export const nextBucket = (bucket: Bucket, start: number): number => {
  const width = widthOf(bucket)
  return width === undefined ? startOfMonth(start, 1) : start + width
}

const startOfMonth = (at: number, later: number): number => {
  const date = new Date(at)
  // Date.UTC takes the years 0 to 99 for 1900 to 1999.
  const start = new Date(0)
  start.setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() + later, 1)
  return start.getTime()
}

/** The most points that a line is given on its own account; with fewer, bends go unseen, with more, they blur. */
const MAX_INFERRED_POINTS = 100

/** The period in which a line from `first` to `last` (epoch milliseconds) has at most 100 points; months at the longest. */
export const periodFor = (first: number, last: number): TimePeriod => {
  const fits = (period: "hour" | "day" | "week"): boolean => {
    const bucket: Bucket = { by: "period", period }
    const width = widthOf(bucket) ?? Number.POSITIVE_INFINITY
    return (bucketStart(bucket, last) - bucketStart(bucket, first)) / width < MAX_INFERRED_POINTS
  }
  return fits("hour") ? "hour" : fits("day") ? "day" : fits("week") ? "week" : "month"
}
