/** What charts show of the data of a widget, and the calls that stand behind a part of it. */
import type { Condition, FilterTree } from "./filter.js"
import { both } from "./filter.js"

/** The kind of a group: every call, a value, calls without one, and what is left beyond the largest groups. */
export type GroupKind = "all" | "value" | "none" | "other"

export interface GroupOf {
  readonly kind: GroupKind
  readonly key: string | number | boolean | null
}

/** The condition of a group's calls; null for all calls, undefined where no filter says it. */
export const groupCondition = (field: string, { key, kind }: GroupOf): Condition | null | undefined =>
  kind === "all"
    ? null
    : kind === "other"
      ? undefined
      : kind === "none"
        ? { field, op: "isnull", value: true }
        : key === null
          ? undefined
          : { field, op: "eq", value: key }

const DAY = 86_400_000
const LENGTHS: Readonly<Record<string, number>> = { hour: 3_600_000, day: DAY, week: 7 * DAY }

/** The end of the period that begins at a time, in UTC. */
export const periodEnd = (start: string, period: string | null, interval: number | null): string => {
  const date = new Date(start)
  if (interval !== null) return new Date(date.getTime() + interval).toISOString()
  if (period === "month") return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)).toISOString()
  return new Date(date.getTime() + (LENGTHS[period ?? "day"] ?? DAY)).toISOString()
}

/** The calls of a period and group, within what the widget shows. */
export const callsOf = (
  effective: FilterTree,
  period: { readonly start: string; readonly end: string } | null,
  group: Condition | null
): FilterTree =>
  both(
    effective,
    period === null
      ? null
      : {
          operator: "and",
          conditions: [
            { field: "timestamp", op: "gte", value: period.start },
            { field: "timestamp", op: "lt", value: period.end }
          ]
        },
    group
  )

/** Series over one list of times, as a chart draws them: a missing value is a gap. */
export const aligned = (
  series: ReadonlyArray<{
    readonly points: ReadonlyArray<{ readonly timestamp: string; readonly value: number | null }>
  }>
): { readonly times: ReadonlyArray<number>; readonly values: ReadonlyArray<ReadonlyArray<number | null>> } => {
  const times = [
    ...new Set(series.flatMap(({ points }) => points.map(({ timestamp }) => Date.parse(timestamp) / 1000)))
  ].toSorted((one, other) => one - other)
  const values = series.map(({ points }) => {
    const byTime = new Map(points.map(({ timestamp, value }) => [Date.parse(timestamp) / 1000, value]))
    return times.map((time) => byTime.get(time) ?? null)
  })
  return { times, values }
}

/** A widget's place on the grid of twelve columns. */
export interface Place {
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
}

const COLUMNS = 12

const isInt = (value: unknown, least: number, most: number): value is number =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most

/** The place in a widget's metadata, `{layout: {x, y, w, h}}`; undefined if there is none. */
const placeIn = (metadata: unknown): Place | undefined => {
  if (typeof metadata !== "object" || metadata === null || !("layout" in metadata)) return undefined
  const { layout } = metadata
  if (typeof layout !== "object" || layout === null) return undefined
  const { h, w, x, y } = { h: undefined, w: undefined, x: undefined, y: undefined, ...layout }
  return isInt(x, 0, COLUMNS - 1) && isInt(y, 0, 1_000) && isInt(w, 1, COLUMNS) && isInt(h, 1, 12)
    ? { x: Math.min(x, COLUMNS - w), y, w, h }
    : undefined
}

const overlap = (one: Place, other: Place): boolean =>
  one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h

/**
 * Places for all widgets, none of which overlap: a widget keeps its own if it can, and moves down otherwise; one without a
 * place gets half a row, or a whole row for numbers.
 */
export const placesOf = (
  widgets: ReadonlyArray<{ readonly id: number; readonly chart_type: string; readonly metadata: unknown }>
): ReadonlyMap<number, Place> => {
  const taken: Array<Place> = []
  const places = new Map<number, Place>()
  const settle = (id: number, wanted: Place) => {
    let place = wanted
    while (taken.some((one) => overlap(one, place))) place = { ...place, y: place.y + 1 }
    taken.push(place)
    places.set(id, place)
  }
  for (const { id, metadata } of widgets) {
    const place = placeIn(metadata)
    if (place !== undefined) settle(id, place)
  }
  for (const { chart_type, id, metadata } of widgets) {
    if (placeIn(metadata) !== undefined) continue
    const w = chart_type === "stat" ? COLUMNS : 6
    const h = chart_type === "stat" ? 1 : 3
    const bottom = taken.reduce((most, place) => Math.max(most, place.y + place.h), 0)
    const free = { x: 6, y: bottom - h, w, h }
    settle(id, w === 6 && free.y >= 0 && !taken.some((one) => overlap(one, free)) ? free : { x: 0, y: bottom, w, h })
  }
  return places
}
