import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import { parseTimestamp } from "../kernel/Fields.js"

/**
 * A time in a filter: relative to the time of the query, or absolute. A relative time is `now` or `today` followed
 * by any number of steps, `+N` or `-N` with a unit: s, m (minutes), h, d, w, M (months), y. All of it is UTC. Source:
 * design of the filter language, docs/filters.md.
 */
export type TimeExpression =
  | { readonly from: "now" | "today"; readonly steps: ReadonlyArray<Step> }
  /** An instant, in epoch milliseconds; `isDay` for a date without a time, which means the whole day. */
  | { readonly from: "instant"; readonly at: number; readonly isDay: boolean }

export interface Step {
  readonly count: number
  readonly unit: Unit
}

const UNITS = ["s", "m", "h", "d", "w", "M", "y"] as const
export type Unit = (typeof UNITS)[number]

const isUnit = (letter: string | undefined): letter is Unit => UNITS.some((unit) => unit === letter)

const SECOND = 1000
const DAY = 86_400 * SECOND

const MILLIS: Readonly<Record<Exclude<Unit, "M" | "y">, number>> = {
  s: SECOND,
  m: 60 * SECOND,
  h: 3600 * SECOND,
  d: DAY,
  w: 7 * DAY
}

/** The largest sum of all steps of a time, so that every result fits a Date. */
export const MAX_OFFSET_YEARS = 10_000

const MAX_OFFSET = MAX_OFFSET_YEARS * 365 * DAY

const offsetOf = ({ count, unit }: Step): number =>
  Math.abs(count) * (unit === "y" ? 365 * DAY : unit === "M" ? 30 * DAY : MILLIS[unit])

const MAX_LENGTH = 1000
const RELATIVE = /^(now|today)((?:[+-]\d+[smhdwMy])*)$/
const STEP = /([+-]\d+)([smhdwMy])/g
const BARE_DATE = /^\s*\d{4}-\d{2}-\d{2}\s*$/

/** Parses a relative or an ISO 8601 time; undefined if it is neither, or beyond `MAX_OFFSET_YEARS`. */
export const parse = (text: string): TimeExpression | undefined => {
  if (text.length > MAX_LENGTH) return undefined
  const relative = RELATIVE.exec(text)
  if (relative === null) {
    const at = parseTimestamp(text)
    return at === undefined ? undefined : { from: "instant", at, isDay: BARE_DATE.test(text) }
  }
  const steps = Array.from((relative[2] ?? "").matchAll(STEP)).flatMap(([, count, unit]) =>
    isUnit(unit) ? [{ count: Number(count), unit }] : []
  )
  const reach = steps.reduce((sum, step) => sum + offsetOf(step), 0)
  return reach > MAX_OFFSET ? undefined : { from: relative[1] === "now" ? "now" : "today", steps }
}

/** Which boundary of a day a time stands for. */
export type Edge = "start" | "end"

/** `lte` and `gt` compare with the end of a day, `gte` and `lt` with its start. */
export const edgeOf = (op: "gt" | "gte" | "lt" | "lte"): Edge => (op === "lte" || op === "gt" ? "end" : "start")

/**
 * The instant of a time in a query at `now`, or undefined if the text is not a time. `today` and a date are the day's first or, with edge `end`, last millisecond (23:59:59.999), and steps move that. Months and years keep
 * the day of the month, or take the month's last day if it has no such day: 31 January + 1M is 28 or 29 February.
 */
export const resolve = (text: string, now: DateTime.Utc, edge: Edge): DateTime.Utc | undefined => {
  const time = parse(text)
  return time === undefined ? undefined : evaluate(time, now, edge)
}

/** As `resolve`, for a parsed time. */
export const evaluate = (time: TimeExpression, now: DateTime.Utc, edge: Edge): DateTime.Utc | undefined => {
  const toEdge = edge === "end" ? DAY - 1 : 0
  const millis = DateTime.toEpochMillis(now)
  const at =
    time.from === "instant"
      ? time.at + (time.isDay ? toEdge : 0)
      : time.steps.reduce(applyStep, time.from === "now" ? millis : Math.floor(millis / DAY) * DAY + toEdge)
  return Option.getOrUndefined(DateTime.make(at))
}

const applyStep = (at: number, { count, unit }: Step): number =>
  unit === "y" ? addMonths(at, 12 * count) : unit === "M" ? addMonths(at, count) : at + count * MILLIS[unit]

const addMonths = (at: number, count: number): number => {
  const date = new Date(at)
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth() + count
  const year = Math.floor(month / 12)
  const lastDay = new Date(0)
  lastDay.setUTCFullYear(year, month - year * 12 + 1, 0)
  return date.setUTCFullYear(year, month - year * 12, Math.min(date.getUTCDate(), lastDay.getUTCDate()))
}
