import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Context from "effect/Context"
import type { Json } from "../../kernel/Json.js"

/**
 * What the two databases say differently, one named fragment each with its reason. SQL is written once, with these in
 * it. Both keep booleans as 0 and 1 and instants as epoch milliseconds, so neither needs a fragment: SQLite has no such
 * types, and its driver refuses to bind them.
 */
export interface DialectFragments {
  readonly name: "sqlite" | "postgres"
  /** Column types. SQLite's INTEGER PRIMARY KEY is the row's own key; AUTOINCREMENT keeps ids from being used again. */
  readonly column: {
    readonly id: Fragment
    readonly integer: Fragment
    readonly real: Fragment
    readonly text: Fragment
    readonly flag: Fragment
    /** JSON that SQL looks into: TEXT in SQLite (its JSON functions read text), jsonb in PostgreSQL. Read back as text. */
    readonly json: Fragment
  }
  /** Binds a JSON document to a `json` column. */
  readonly json: (value: Json | null) => Fragment
  /** A list of integers as a one-column table, bound as one parameter however long it is. */
  readonly integers: (values: ReadonlyArray<number>) => Fragment
  /** A list of texts as a one-column table, bound as one parameter however long it is. */
  readonly texts: (values: ReadonlyArray<string>) => Fragment
  /** Locks the rows read until the transaction ends; SQLite's write transactions exclude each other as a whole. */
  readonly forUpdate: Fragment
}

export class Dialect extends Context.Tag("@earshot/core/storage/sql/Dialect")<Dialect, DialectFragments>() {}

export const sqliteDialect = (sql: SqlClient): DialectFragments => ({
  name: "sqlite",
  column: {
    id: sql.literal("INTEGER PRIMARY KEY AUTOINCREMENT"),
    integer: sql.literal("INTEGER"),
    real: sql.literal("REAL"),
    text: sql.literal("TEXT"),
    flag: sql.literal("INTEGER"),
    json: sql.literal("TEXT")
  },
  json: (value) => sql`${value === null ? null : JSON.stringify(value)}`,
  integers: (values) => sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`,
  texts: (values) => sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`,
  forUpdate: sql.literal("")
})

export const postgresDialect = (sql: SqlClient): DialectFragments => ({
  name: "postgres",
  column: {
    id: sql.literal("BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
    integer: sql.literal("BIGINT"),
    real: sql.literal("DOUBLE PRECISION"),
    text: sql.literal("TEXT"),
    flag: sql.literal("SMALLINT"),
    json: sql.literal("JSONB")
  },
  json: (value) => sql`${value === null ? null : JSON.stringify(value)}::jsonb`,
  integers: (values) =>
    sql`(SELECT value::bigint AS value FROM jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`,
  texts: (values) => sql`(SELECT value FROM jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`,
  forUpdate: sql.literal("FOR UPDATE")
})
