/** The rows of analytics, and the groups that they make. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { compareGroupKeys, type Group, MAX_BUCKETS, MAX_GROUPS, type Share } from "../../analytics/AnalyticsQuery.js"
import type { Scalar } from "../../filters/Filter.js"
import { readRows } from "./Rows.js"

/** A column that a statement may not have. */
export const nullable = <A, I>(column: Schema.Schema<A, I>) =>
  Schema.optionalWith(Schema.NullOr(column), { default: () => null })

/** The columns that rows are grouped by, of which a statement has those it needs. */
const KeyColumns = {
  g_flag: nullable(Schema.Number),
  g_number: nullable(Schema.Number),
  g_text: nullable(Schema.String)
}
/** The columns that slices are counted by. */
export const SliceColumns = {
  v_flag: nullable(Schema.Number),
  v_number: nullable(Schema.Number),
  v_text: nullable(Schema.String)
}

/** The value of a row, which has at most one of three kinds. */
export const scalar = (flag: number | null, number: number | null, text: string | null): Scalar | null =>
  flag === null ? (number ?? text) : flag !== 0

export const totalsRow = readRows(
  Schema.Struct({
    calls: Schema.Number,
    success_rate: Schema.NullOr(Schema.Number),
    average_duration: Schema.NullOr(Schema.Number)
  }),
  (row) => ({ calls: row.calls, successRate: row.success_rate, averageDuration: row.average_duration })
)

export const valueRow = readRows(Schema.Struct({ value: Schema.NullOr(Schema.Number) }), ({ value }) => value)

export const typesRow = readRows(
  Schema.Struct({ flags: Schema.Number, numbers: Schema.Number, texts: Schema.Number }),
  (row) => ({ numeric: row.numbers, boolean: row.flags, string: row.texts })
)

export const spanRow = readRows(
  Schema.Struct({ first: Schema.NullOr(Schema.Number), last: Schema.NullOr(Schema.Number) }),
  ({ first, last }) => (first === null || last === null ? Option.none() : Option.some({ first, last }))
)

export const groupRows = readRows(
  Schema.Struct({ ...KeyColumns, n: Schema.Number, total: Schema.Number }),
  ({ g_flag, g_number, g_text, n, total }) => ({ key: scalar(g_flag, g_number, g_text), count: n, total })
)

/** The most cells of a chart. */
export const MAX_CELLS = MAX_BUCKETS * (MAX_GROUPS + 1)

/** Which group a row is of. */
export interface Place {
  readonly isOther: boolean
  readonly key: Scalar | null
}

const placeOf = (row: {
  readonly is_top: number
  readonly g_flag: number | null
  readonly g_number: number | null
  readonly g_text: string | null
}): Place => ({ isOther: row.is_top === 0, key: scalar(row.g_flag, row.g_number, row.g_text) })

export const cellRows = readRows(
  Schema.Struct({
    ...KeyColumns,
    is_top: Schema.Number,
    bucket_ms: Schema.Number,
    value: Schema.Number,
    n: Schema.Number
  }),
  (row) => ({
    place: placeOf(row),
    at: row.bucket_ms,
    value: row.value,
    count: row.n
  })
)

export const sliceRows = readRows(
  Schema.Struct({ ...KeyColumns, ...SliceColumns, is_top: Schema.Number, n: Schema.Number, total: Schema.Number }),
  (row) => ({
    place: placeOf(row),
    key: scalar(row.v_flag, row.v_number, row.v_text),
    count: row.n,
    total: row.total
  })
)

export const soleSlices = readRows(
  Schema.Struct({ ...SliceColumns, n: Schema.Number, total: Schema.Number }),
  ({ n, total, v_flag, v_number, v_text }) => ({ key: scalar(v_flag, v_number, v_text), count: n, total })
)

/** The values that a chart names, from the most frequent ones read with one too many, and the rest of them as one. */
export const ranked = (
  rows: ReadonlyArray<{ readonly key: Scalar | null; readonly count: number; readonly total: number }>
) => {
  const top = rows.slice(0, MAX_GROUPS)
  const groups = top.map(({ count, key }): Share => ({ kind: key === null ? "none" : "value", key, count }))
  const named = groups.reduce((sum, { count }) => sum + count, 0)
  const total = rows[0]?.total ?? 0
  const other: Share = { kind: "other", key: null, count: total - named }
  return { groups: rows.length > top.length ? [...groups, other] : groups, top: top.map(({ key }) => key) }
}

/** Where in the list of groups a row belongs; beyond it, where no such group was found. */
export type PositionOf = (place: Place) => number

const positions = (top: ReadonlyArray<Scalar | null>): PositionOf => {
  const known = new Map(top.map((key, position) => [key, position]))
  return ({ isOther, key }) => (isOther ? top.length : (known.get(key) ?? Number.POSITIVE_INFINITY))
}

export const undivided: { readonly groups: ReadonlyArray<Group>; readonly top: Top; readonly positionOf: PositionOf } =
  {
    groups: [{ kind: "all", key: null }],
    top: null,
    positionOf: () => 0
  }

/** The groups that all cells together tell; `top` where there are more than a chart has. */
export const rankCells = (cells: ReadonlyArray<{ readonly place: Place; readonly count: number }>) => {
  const counts = new Map<Scalar | null, number>()
  for (const { count, place } of cells) counts.set(place.key, (counts.get(place.key) ?? 0) + count)
  const total = cells.reduce((sum, { count }) => sum + count, 0)
  const rows = Array.from(counts, ([key, count]) => ({ key, count, total }))
  return ranking(rows.sort((a, b) => b.count - a.count || compareGroupKeys(a.key, b.key)))
}

export const ranking = (rows: Parameters<typeof ranked>[0]) => {
  const { groups, top } = ranked(rows)
  return { groups, top: groups.length > top.length ? top : null, positionOf: positions(top) }
}

/** The most frequent keys, for a statement that puts the others together; null where it has to put nothing together. */
export type Top = ReadonlyArray<Scalar | null> | null
