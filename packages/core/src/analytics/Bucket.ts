import type { TimePeriod } from "./Measure.js"

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** How time is divided into buckets: by calendar periods in UTC, or by intervals of a fixed width. */
export type Bucket =
  | { readonly by: "period"; readonly period: TimePeriod }
  /** A positive integer. */
  | { readonly by: "interval"; readonly milliseconds: number }

/**
 * The origin of fixed intervals: Monday, 29 December 1969, 00:00 UTC, so that hours and days start at calendar boundaries
 * and seven days are an ISO week.
 */
export const ORIGIN = -3 * DAY

const WIDTHS: Readonly<Record<TimePeriod, number | undefined>> = {
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
  month: undefined
}

/** The width of a bucket in milliseconds; undefined for months. */
export const widthOf = (bucket: Bucket): number | undefined =>
  bucket.by === "interval" ? bucket.milliseconds : WIDTHS[bucket.period]

/** The start of the bucket that contains a time. Both are epoch milliseconds. */
export const bucketStart = (bucket: Bucket, at: number): number => {
  const width = widthOf(bucket)
  return width === undefined ? startOfMonth(at, 0) : ORIGIN + Math.floor((at - ORIGIN) / width) * width
}

/** The start of the bucket after the one that starts at `start`. */
export const nextBucket = (bucket: Bucket, start: number): number => {
  const width = widthOf(bucket)
  return width === undefined ? startOfMonth(start, 1) : start + width
}

const startOfMonth = (at: number, later: number): number => {
  const date = new Date(at)
  // Date.UTC maps the years 0 to 99 to 1900 to 1999.
  const start = new Date(0)
  start.setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() + later, 1)
  return start.getTime()
}

/** The most points of a line chart whose period is inferred. */
const MAX_INFERRED_POINTS = 100

/** The shortest period that gives at most 100 points from `first` to `last` (epoch milliseconds); at most months. */
export const periodFor = (first: number, last: number): TimePeriod => {
  const fits = (period: "hour" | "day" | "week"): boolean => {
    const bucket: Bucket = { by: "period", period }
    const width = widthOf(bucket) ?? Number.POSITIVE_INFINITY
    return (bucketStart(bucket, last) - bucketStart(bucket, first)) / width < MAX_INFERRED_POINTS
  }
  return fits("hour") ? "hour" : fits("day") ? "day" : fits("week") ? "week" : "month"
}
