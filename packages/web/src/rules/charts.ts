/** What charts show of the data of a widget, and the calls that stand behind a part of it. */
import { both, type Condition, type FilterTree, type Group, isGroup, typeOf } from "./filter.js"

/** The kind of a group: every call, a value, calls without one, and what is left beyond the largest groups. */
export type GroupKind = "all" | "value" | "none" | "other"

export interface GroupOf {
  readonly kind: GroupKind
  readonly key: string | number | boolean | null
}

const DAY = 86_400_000
const LENGTHS: Readonly<Record<string, number>> = { hour: 3_600_000, day: DAY, week: 7 * DAY }

/** The end of the period that begins at a time, in UTC. */
export const periodEnd = (start: string, period: string | null, interval: number | null): string => {
  const date = new Date(start)
  if (interval !== null) return new Date(date.getTime() + interval).toISOString()
  if (period === "month") return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)).toISOString()
  return new Date(date.getTime() + (LENGTHS[period ?? "day"] ?? DAY)).toISOString()
}

/** What a chart shows, as far as the calls behind a part of it depend on it. */
export interface Charted {
  readonly effective: FilterTree
  readonly field: string
  readonly dataType: "numeric" | "boolean" | "string" | "datetime" | "dynamic"
  readonly metric: number | null
  readonly groupBy:
    { readonly type: "field"; readonly field: string } | { readonly type: "bucket"; readonly interval: number } | null
}

/** A part of a chart: a point or bar, which has a period, or a slice; the group is that of all calls where it has none. */
export interface ChartPart {
  readonly group: GroupOf
  readonly period?: Period
  readonly slice?: GroupOf
}

interface Period {
  readonly start: string
  readonly end: string
}

const EVALUATIONS = "metric_evaluations."

/** Fields that every call has a value of. */
const ALWAYS_THERE = ["id", "call_id", "timestamp", "agent.id", "agent.agent_name", "is_reviewed"]

/** The condition that a field has a value that the chart counts; null where every call has one. */
const hasValue = (field: string, dataType: Charted["dataType"]): Condition | null => {
  if (ALWAYS_THERE.includes(field)) return null
  if (typeOf(field) !== "value") return { field, op: "isnull", value: false }
  // Any number; those beyond 1e100, which charts ignore, cannot be named in a filter.
  const numeric: Group = {
    operator: "or",
    conditions: [
      { field, op: "gte", value: 0 },
      { field, op: "lt", value: 0 }
    ]
  }
  const boolean: Condition = { field, op: "in", value: [true, false] }
  const text: Condition = { field, op: "contains", value: "" }
  switch (dataType) {
    case "numeric":
      return numeric
    case "boolean":
      return boolean
    case "string":
    case "datetime":
      return text
    case "dynamic":
      return { operator: "or", conditions: [numeric, boolean, text] }
  }
}

const inPeriod = ({ end, start }: Period): Condition => ({
  operator: "and",
  conditions: [
    { field: "timestamp", op: "gte", value: start },
    { field: "timestamp", op: "lt", value: end }
  ]
})

/** The condition of a group or slice; null for all calls, undefined where no filter says it. */
const valueCondition = (field: string, { key, kind }: GroupOf): Condition | null | undefined => {
  switch (kind) {
    case "all":
      return null
    case "other":
      return undefined
    case "none":
      // A call without evaluations has no evaluation of which a filter could say something.
      return field.startsWith(EVALUATIONS) ? undefined : { field, op: "isnull", value: true }
    case "value":
      return key === null ? undefined : { field, op: "eq", value: key }
  }
}

const groupCondition = ({ field, groupBy }: Charted, group: GroupOf): Condition | null | undefined => {
  // A line chart of texts has a line for each of them.
  if (groupBy?.type !== "bucket") return valueCondition(groupBy === null ? field : groupBy.field, group)
  if (group.kind === "all") return null
  return group.kind !== "value" || typeof group.key !== "string"
    ? undefined
    : inPeriod({ start: group.key, end: periodEnd(group.key, null, groupBy.interval) })
}

const isOfEvaluations = (condition: Condition): boolean =>
  isGroup(condition) ? condition.conditions.some(isOfEvaluations) : condition.field.startsWith(EVALUATIONS)

/** The calls that a part of a chart is of, as a filter: as many as it counts. Undefined where no filter says it. */
export const callsBehind = (charted: Charted, { group, period, slice }: ChartPart): FilterTree | undefined => {
  const { dataType, effective, field, metric } = charted
  const ofGroup = groupCondition(charted, group)
  const ofSlice = slice === undefined ? null : valueCondition(field, slice)
  if (ofGroup === undefined || ofSlice === undefined) return undefined
  const isNamed = ofSlice !== null || (group.kind === "value" && charted.groupBy === null)
  const conditions = [ofGroup, ofSlice, isNamed ? null : hasValue(field, dataType)].filter((one) => one !== null)
  const row = conditions.filter(isOfEvaluations)
  if (row.length > 0 && metric !== null) row.unshift({ field: `${EVALUATIONS}metric.id`, op: "eq", value: metric })
  const ofRow: FilterTree = row.length > 1 ? { operator: "same_row", conditions: row } : (row[0] ?? null)
  return both(
    effective,
    period === undefined ? null : inPeriod(period),
    ...conditions.filter((condition) => !isOfEvaluations(condition)),
    ofRow
  )
}

/** Values of series on top of each other: each with the sum of those after it, so that the first is drawn first. */
export const stacked = (
  values: ReadonlyArray<ReadonlyArray<number | null>>
): ReadonlyArray<ReadonlyArray<number | null>> =>
  values.map((one, index) =>
    one.map((_, at) => {
      const above = values.slice(index).flatMap((series) => series[at] ?? [])
      return above.length === 0 ? null : above.reduce((sum, value) => sum + value, 0)
    })
  )

/**
 * The series that a click is on, of their values at a time as they are drawn: the smallest bar that reaches up to it, which is
 * drawn last, or the nearest point of a line. Undefined beside all of them.
 */
export const pickedSeries = (
  drawn: ReadonlyArray<number | null | undefined>,
  y: number,
  isBars: boolean
): number | undefined => {
  const found = drawn
    .map((value, index) => ({ value, index }))
    .filter(
      (one): one is { value: number; index: number } => typeof one.value === "number" && (!isBars || one.value >= y)
    )
    .toSorted((one, other) =>
      isBars ? one.value - other.value || other.index - one.index : Math.abs(one.value - y) - Math.abs(other.value - y)
    )
  return found[0]?.index
}

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

export const COLUMNS = 12

/** The most rows of a widget, and the least columns. */
const MAX_HEIGHT = 12
const MIN_WIDTH = 2

const isInt = (value: unknown, least: number, most: number): value is number =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most

/** The place in a widget's metadata, `{layout: {x, y, w, h}}`; undefined if there is none. */
export const placeIn = (metadata: unknown): Place | undefined => {
  if (typeof metadata !== "object" || metadata === null || !("layout" in metadata)) return undefined
  const { layout } = metadata
  if (typeof layout !== "object" || layout === null) return undefined
  const { h, w, x, y } = { h: undefined, w: undefined, x: undefined, y: undefined, ...layout }
  return isInt(x, 0, COLUMNS - 1) && isInt(y, 0, 1_000) && isInt(w, 1, COLUMNS) && isInt(h, 1, MAX_HEIGHT)
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

const within = (least: number, value: number, most: number): number => Math.max(least, Math.min(most, value))

/** A place moved by columns and rows, within the grid. */
export const moved = (place: Place, columns: number, rows: number): Place => ({
  ...place,
  x: within(0, place.x + columns, COLUMNS - place.w),
  y: within(0, place.y + rows, 1_000)
})

/** A place made wider and taller by columns and rows, within the grid. */
export const resized = (place: Place, columns: number, rows: number): Place => ({
  ...place,
  w: within(MIN_WIDTH, place.w + columns, COLUMNS - place.x),
  h: within(1, place.h + rows, MAX_HEIGHT)
})

/**
 * The places of all widgets when one is put somewhere: it stays there, and those in its way move down, from the top of the
 * grid on.
 */
export const arranged = (places: ReadonlyMap<number, Place>, id: number, place: Place): ReadonlyMap<number, Place> => {
  const others = [...places]
    .filter(([other]) => other !== id)
    .toSorted(([, one], [, other]) => one.y - other.y || one.x - other.x)
  const taken = [place]
  const arrangement = new Map([[id, place]])
  for (const [other, wanted] of others) {
    let free = wanted
    while (taken.some((one) => overlap(one, free))) free = { ...free, y: free.y + 1 }
    taken.push(free)
    arrangement.set(other, free)
  }
  return arrangement
}

export const isSamePlace = (one: Place | undefined, other: Place): boolean =>
  one !== undefined && one.x === other.x && one.y === other.y && one.w === other.w && one.h === other.h

/** A widget's metadata with a place, which keeps what else it has. */
export const withPlace = (metadata: unknown, layout: Place): Readonly<Record<string, unknown>> => ({
  ...(typeof metadata === "object" && metadata !== null && !Array.isArray(metadata) ? metadata : {}),
  layout
})
