import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import type { ResourceScope } from "../../access/Actor.js"
import type { Permit } from "../../access/Permit.js"
import type { Tables } from "./Tables.js"

/** Where a row has each kind of resource that it lies in, for example `{ project: "t.project_id", agent: "t.id" }`. */
export type ScopeColumns = { readonly [Type in ResourceScope["type"]]?: string }

/**
 * The rows of a list that are in a permit's scope: what `isInScope` asks of one thing, as a condition. It belongs in the
 * statement and not behind it, or pages would come out short.
 */
export const scopePredicate = (sql: SqlClient, permit: Permit, columns: ScopeColumns): Fragment => {
  if (permit.bounds === null) return sql`1 = 1`
  const conditions = permit.bounds.flatMap((scope) => {
    const column = columns[scope.type]
    return column === undefined ? [] : [sql`${sql.literal(column)} = ${scope.id}`]
  })
  return conditions.length === 0 ? sql`1 = 0` : sql.or(conditions)
}

/** The calls in the scope of a permit, as a condition on the alias `c`; those of a deleted project are none. */
export const callsInScope = (sql: SqlClient, tables: Tables, permit: Permit): Fragment =>
  sql`(c.organization_id = ${permit.organizationId}
    AND ${scopePredicate(sql, permit, { project: "c.project_id", agent: "c.agent_id" })}
    AND c.project_id NOT IN (SELECT id FROM ${tables.projects} WHERE deleted_ms IS NOT NULL))`
