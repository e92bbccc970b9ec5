import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type { Bound } from "../../access/Actor.js"
import type { Permit } from "../../access/Permit.js"
import type { PageRequest } from "../../kernel/Pages.js"
import type { StorageFault } from "../../kernel/Storage.js"
import { Dialect } from "./Dialect.js"
import { keyset } from "./Keyset.js"
import { within } from "./Reach.js"
import { readRows } from "./Rows.js"
import { storing } from "./Storing.js"

type Columns = Record<string, string | number | null>

interface CatalogTable<A> {
  readonly insert: (permit: Permit, columns: Columns, now: DateTime.Utc) => Effect.Effect<A, SqlError | StorageFault>
  readonly find: (permit: Permit, id: number) => Effect.Effect<Option.Option<A>, StorageFault>
  readonly hold: (permit: Permit, id: number) => Effect.Effect<Option.Option<A>, StorageFault>
  readonly list: (
    permit: Permit,
    conditions: ReadonlyArray<Fragment>,
    page: PageRequest
  ) => Effect.Effect<ReadonlyArray<A>, StorageFault>
  /** All that meet a condition, oldest first. */
  readonly all: (permit: Permit, condition: Fragment) => Effect.Effect<ReadonlyArray<A>, StorageFault>
  readonly save: (permit: Permit, id: number, columns: Columns) => Effect.Effect<void, SqlError | StorageFault>
  /** Takes one out of sight, when `detach` has freed whatever refers to it. */
  readonly remove: (
    permit: Permit,
    id: number,
    now: DateTime.Utc,
    detach: ReadonlyArray<Effect.Effect<unknown, SqlError>>
  ) => Effect.Effect<void, StorageFault>
}

/**
 * The statements that tables of a project's things have in common: those with an organisation, a project and an instant
 * of deletion. The table goes by `t` in conditions.
 */
export const catalogTable = <Row, Encoded, A>(of: {
  readonly store: string
  readonly table: string
  readonly row: Schema.Schema<Row, Encoded>
  /** What is selected; with `joins`, from other tables too. */
  readonly columns: string
  readonly joins?: string
  readonly make: (row: Row) => A
  readonly reach?: { readonly [Type in Bound["type"]]?: string }
}): Effect.Effect<CatalogTable<A>, never, SqlClient | Dialect> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const table = sql.literal(of.table)
    const rows = readRows(of.row, of.make)
    const selected = sql.literal(
      `SELECT ${of.columns} FROM ${of.table} t
       JOIN projects p ON p.id = t.project_id AND p.deleted_ms IS NULL ${of.joins ?? ""}`
    )
    const there = (permit: Permit) => sql`t.organization_id = ${permit.organizationId} AND t.deleted_ms IS NULL`
    const find = (permit: Permit, id: number) =>
      sql`${selected} WHERE t.id = ${id} AND ${there(permit)}`.pipe(rows.first)
    const ids = (statement: Effect.Effect<ReadonlyArray<object>, SqlError>) =>
      Effect.map(statement, ([row]) => (row !== undefined && "id" in row ? Number(row.id) : 0))
    const named = (operation: string) => storing(`${of.store}.${operation}`)

    return {
      insert: (permit, columns, now) =>
        sql`INSERT INTO ${table} ${sql
          .insert({
            organization_id: permit.organizationId,
            ...columns,
            created_ms: DateTime.toEpochMillis(now),
            updated_ms: DateTime.toEpochMillis(now)
          })
          .returning("id")}`.pipe(
          ids,
          Effect.flatMap((id) => sql`${selected} WHERE t.id = ${id}`.pipe(rows.one)),
          // A driver's failure is left to the store, which may know what it means.
          Effect.catchTag("ParseError", (error) => named("insert")(Effect.fail(error)))
        ),
      find: (permit, id) => find(permit, id).pipe(named("find")),
      hold: (permit, id) =>
        // Apart, since PostgreSQL locks no row that an outer join may leave out.
        sql`SELECT id FROM ${table} WHERE id = ${id} AND organization_id = ${permit.organizationId}
            ${dialect.forUpdate}`.pipe(Effect.zipRight(find(permit, id)), named("hold")),
      list: (permit, conditions, page) =>
        sql`${selected}
            WHERE ${sql.and([there(permit), ...conditions, within(sql, permit, of.reach ?? { project: "t.project_id" })])}
              AND ${keyset(sql, page, "t.id")}`.pipe(rows.all, named("list")),
      all: (permit, condition) =>
        sql`${selected} WHERE ${there(permit)} AND ${condition} ORDER BY t.id`.pipe(rows.all, named("all")),
      save: (permit, id, columns) =>
        Effect.asVoid(
          sql`UPDATE ${table} SET ${sql.update(columns)}
              WHERE id = ${id} AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL`
        ),
      remove: (permit, id, now, detach) =>
        Effect.all(detach, { discard: true }).pipe(
          Effect.zipRight(
            sql`UPDATE ${table} SET deleted_ms = ${DateTime.toEpochMillis(now)}
                WHERE id = ${id} AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL`
          ),
          Effect.asVoid,
          named("remove")
        )
    }
  })
