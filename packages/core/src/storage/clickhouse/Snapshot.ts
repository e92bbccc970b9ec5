/**
 * Which rows are visible. Rows are never changed: a new version of a call is a new row, and the old one is listed in
 * `superseded`. A writer takes a range of row numbers (an epoch), writes rows, and publishes the number of the last: what was
 * written becomes visible at that moment, with the rows that it replaces. So a question sees all of a change or none, and
 * all questions with the same snapshot see the same calls. What a writer wrote without publishing it is never seen: the next
 * one begins above it, and what the earlier one publishes from then on does not count.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ColumnStoreUnavailable } from "../../analytics/Projection.js"
import type { ClickHouseEngine } from "./ClickHouseEngine.js"
import { decodeRows } from "./EngineRows.js"
import type { ColumnTables } from "./ColumnTables.js"
import { plain } from "./Statement.js"

/** A range of row numbers: above `base`, up to and including `published`. */
export interface Epoch {
  readonly base: number
  readonly published: number
}

export interface Snapshot {
  /** Ascending, without those that contain nothing. */
  readonly epochs: ReadonlyArray<Epoch>
  /** The base of the newest epoch, whether or not it contains anything; 0 if there is none. */
  readonly newestBase: number
  /** Rows that were superseded up to this row number have been erased, or are being. */
  readonly erased: number
  /** Whether there may be superseded rows. */
  readonly hasSuperseded: boolean
}

const epochRows = decodeRows(
  Schema.Struct({
    base: Schema.Number,
    ended: Schema.Number,
    published: Schema.Number,
    replaced: Schema.Number,
    erased: Schema.Number,
    cleaned: Schema.Number
  })
)

/** The rows of an epoch are merged by the engine, after some time. */
const merged = (rows: ReadonlyArray<{ readonly base: number; readonly ended: number; readonly published: number }>) => {
  const byBase = new Map<number, { readonly base: number; readonly ended: number; readonly published: number }>()
  for (const { base, ended, published } of rows) {
    const known = byBase.get(base)
    byBase.set(base, {
      base,
      ended: Math.max(ended, known?.ended ?? 0),
      published: Math.max(published, known?.published ?? 0)
    })
  }
  return [...byBase.values()].sort((a, b) => a.base - b.base)
}

/** Reads what is visible now. Each question begins with it, so it is as cheap as can be. */
export const readSnapshot = (
  engine: ClickHouseEngine,
  tables: ColumnTables
): Effect.Effect<Snapshot, ColumnStoreUnavailable> =>
  engine
    .rows(
      "readSnapshot",
      plain(`SELECT base, ended, published, replaced, erased, cleaned FROM ${tables.epochs} SETTINGS max_threads = 1`)
    )
    .pipe(
      Effect.flatMap((rows) => epochRows("readSnapshot", rows)),
      Effect.map((rows) => {
        const epochs = merged(rows)
        const most = (of: "replaced" | "erased" | "cleaned") => rows.reduce((most, row) => Math.max(most, row[of]), 0)
        return {
          epochs: epochs
            .map(({ base, published }, index) => ({ base, published: epochs[index + 1]?.ended ?? published }))
            .filter(({ base, published }) => published > base),
          newestBase: epochs.at(-1)?.base ?? 0,
          erased: most("erased"),
          hasSuperseded: most("replaced") > most("cleaned")
        }
      })
    )

/**
 * Questions that take less time than this do not look whether rows of their snapshot were erased meanwhile: it is announced
 * at least that long before rows are removed.
 */
export const NOTICE = Duration.seconds(5)

/** The number of the last row that is visible; 0 if there is none. */
export const lastRow = ({ epochs }: Snapshot): number => epochs.at(-1)?.published ?? 0

/** The condition that a row number has been published. */
const published = (column: string, { epochs }: Snapshot): string => {
  const [first] = epochs
  if (first === undefined) return "0"
  const gaps = epochs.slice(1).map(({ base }, index) => ({ above: epochs[index]?.published ?? 0, upTo: base }))
  return [
    `${column} > ${first.base}`,
    `${column} <= ${epochs.at(-1)?.published ?? 0}`,
    ...gaps
      .filter(({ above, upTo }) => upTo > above)
      .map(({ above, upTo }) => `NOT (${column} > ${above} AND ${column} <= ${upTo})`)
  ].join(" AND ")
}

/** The condition that a row is visible, for a WHERE over `calls`, `evaluations` or `rows`. */
export const visible = (tables: ColumnTables, snapshot: Snapshot, ofProject?: string): string =>
  snapshot.hasSuperseded
    ? `${published("row", snapshot)} AND row NOT IN (${supersededRows(tables, snapshot, ofProject)})`
    : published("row", snapshot)

/** The rows that are superseded, as a SELECT. */
export const supersededRows = (tables: ColumnTables, snapshot: Snapshot, ofProject?: string): string =>
  `SELECT row FROM ${tables.superseded} WHERE ${ofProject === undefined ? "" : `project_id = ${ofProject} AND `}${published("since", snapshot)}`

/** The condition that a row was written but never published, by writers before the newest epoch. */
export const abandoned = (snapshot: Snapshot): string =>
  `(row <= ${snapshot.newestBase} AND NOT (${published("row", snapshot)}))`
