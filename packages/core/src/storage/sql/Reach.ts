import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import type { Bound } from "../../access/Actor.js"
import type { Permit } from "../../access/Permit.js"

/**
 * The rows of a list within a permit's reach: what `reaches` asks of one thing, as a condition. `columns` names where
 * each kind of resource that a row lies in is found, for example `{ project: "project_id", agent: "id" }`. It belongs in
 * the statement and not behind it, or pages would come out short.
 */
export const within = (
  sql: SqlClient,
  permit: Permit,
  columns: { readonly [Type in Bound["type"]]?: string }
): Fragment => {
  if (permit.bounds === null) return sql`1 = 1`
  const conditions = permit.bounds.flatMap((bound) => {
    const column = columns[bound.type]
    return column === undefined ? [] : [sql`${sql.literal(column)} = ${bound.id}`]
  })
  return conditions.length === 0 ? sql`1 = 0` : sql.or(conditions)
}
