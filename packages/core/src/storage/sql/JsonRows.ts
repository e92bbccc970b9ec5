/** Rows bound as one parameter, however many there are: the statement's text stays the same, so it is prepared once. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import type { DialectFragments } from "./Dialect.js"

type ColumnType = "bigint" | "float8" | "text" | "integer[]"

/** A row of these columns. A property that it lacks is NULL. */
export type RowOf<Columns> = { readonly [Name in keyof Columns]: string | number | ReadonlyArray<number> | null }

/**
 * A table of these columns, in parentheses; it needs a name. SQLite has lists as JSON texts.
 */
export const jsonRows = <Columns extends Readonly<Record<string, ColumnType>>>(
  sql: SqlClient,
  { name }: DialectFragments,
  columns: Columns,
  rows: ReadonlyArray<RowOf<Columns>>
): Fragment => {
  const names = Object.keys(columns)
  return name === "sqlite"
    ? // Lists take SQLite two thirds of the time that objects take.
      sql`(SELECT ${sql.literal(names.map((one, position) => `value ->> ${position} AS ${one}`).join(", "))}
          FROM json_each(${JSON.stringify(rows.map((row) => names.map((one) => row[one])))}))`
    : sql`(SELECT * FROM json_to_recordset(${JSON.stringify(rows)}::json)
          AS listed (${sql.literal(names.map((one) => `${one} ${columns[one]}`).join(", "))}))`
}
