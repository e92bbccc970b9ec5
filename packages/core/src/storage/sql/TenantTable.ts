import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Permit } from "../../access/Permit.js"
import { type Found, PageBytes, type PageRequest } from "../../kernel/Pages.js"
import type { StorageError } from "../../kernel/Storage.js"
import { boundedPage, orderOf, sizeOf } from "./BoundedPage.js"
import { Dialect } from "./Dialect.js"
import { keyset } from "./Keyset.js"
import { readRows } from "./Rows.js"
import { type ScopeColumns, scopePredicate } from "./ScopeSql.js"
import { storing, whenTaken } from "./Storing.js"
import type { Table } from "./Tables.js"

type Value = string | number | null
type Columns = Readonly<Record<string, Value>>

/** The statements that a table of an organization's things is read and written with. Conditions name the table `t`. */
export interface TenantTable<A> {
  /** @param taken the error where a row with the same unique key is there; without it that is a failure of storage */
  readonly insert: <E = never>(permit: Permit, columns: Columns, taken?: () => E) => Effect.Effect<A, E | StorageError>
  readonly find: (permit: Permit, id: number) => Effect.Effect<Option.Option<A>, StorageError>
  /** As `find`, with the row locked until the transaction ends. */
  readonly findForUpdate: (permit: Permit, id: number) => Effect.Effect<Option.Option<A>, StorageError>
  /** A page of the rows in the permit's scope whose columns equal the values that are given and that meet conditions. */
  readonly list: (
    permit: Permit,
    page: PageRequest,
    equal?: Readonly<Record<string, Value | undefined>>,
    conditions?: ReadonlyArray<Fragment>
  ) => Effect.Effect<Found<A>, StorageError>
  /** All that meet a condition, oldest first if no other order is given. */
  readonly all: (permit: Permit, condition: Fragment, order?: string) => Effect.Effect<ReadonlyArray<A>, StorageError>
  readonly save: <E = never>(
    permit: Permit,
    id: number,
    columns: Columns,
    taken?: () => E
  ) => Effect.Effect<void, E | StorageError>
  /** Soft-deletes the row, after `detach` has removed what refers to it. */
  readonly softDelete: (
    permit: Permit,
    id: number,
    now: DateTime.Utc,
    detach?: ReadonlyArray<Effect.Effect<unknown, SqlError>>
  ) => Effect.Effect<void, StorageError>
  /** Deletes the row for good. */
  readonly delete: (permit: Permit, id: number) => Effect.Effect<void, StorageError>
}

/** The columns of a row that is made at `now`. */
export const createdAt = (now: DateTime.Utc) => ({
  created_ms: DateTime.toEpochMillis(now),
  updated_ms: DateTime.toEpochMillis(now)
})

/**
 * One helper for all plain tables: those with an `id` and an `organization_id`. Every statement asks for the permit's
 * organization; what is soft-deleted is not found.
 */
export const tenantTable = <Row, Encoded, A>(of: {
  /** The store's name, for errors and traces. */
  readonly store: string
  readonly table: Table
  /** The columns that are read. */
  readonly row: Schema.Schema<Row, Encoded> & { readonly fields: Readonly<Record<keyof Encoded, unknown>> }
  readonly make: (row: Row) => A
  /** Whether the table has `deleted_ms` (default: true). */
  readonly softDeletes?: boolean
  /** Whether rows lie in a project and are found only while it is there (default: true). */
  readonly ofProject?: boolean
  readonly joins?: Fragment
  /** What columns of `row` that are not the table's own are read from. */
  readonly expressions?: { readonly [Column in keyof Encoded]?: string }
  /** The bytes of what is read for a row from elsewhere: a number, which pages are bounded by. */
  readonly furtherBytes?: Fragment
  /** Where a permit's scopes are found. Without it the table is the organization's as a whole. */
  readonly scope?: ScopeColumns
}): Effect.Effect<TenantTable<A>, never, SqlClient | Dialect> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const pageBytes = yield* PageBytes
    const { forUpdate, tables } = dialect
    const table = tables[of.table]
    const { joins, scope, softDeletes = true } = of
    const names = Object.keys(of.row.fields)
    const rows = readRows(of.row, of.make)
    const ids = readRows(Schema.Struct({ id: Schema.Number }), ({ id }) => id)

    const columns = sql.literal(names.map((name) => expressionOf(of.expressions, name)).join(", "))
    const project =
      of.ofProject === false ? sql`` : sql`JOIN ${tables.projects} p ON p.id = t.project_id AND p.deleted_ms IS NULL`
    const from = sql`FROM ${table} t ${project} ${joins ?? sql``}`
    const selected = sql`SELECT ${columns} ${from}`
    const size = sizeOf(
      sql,
      dialect,
      names.map((name) => sql.literal(readFrom(of.expressions, name))),
      of.furtherBytes === undefined ? [] : [of.furtherBytes]
    )
    const visible = (permit: Permit) =>
      softDeletes
        ? sql`t.organization_id = ${permit.organizationId} AND t.deleted_ms IS NULL`
        : sql`t.organization_id = ${permit.organizationId}`
    const row = (permit: Permit, id: number) =>
      softDeletes
        ? sql`id = ${id} AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL`
        : sql`id = ${id} AND organization_id = ${permit.organizationId}`
    const find = (permit: Permit, id: number) => rows.first(sql`${selected} WHERE t.id = ${id} AND ${visible(permit)}`)
    const named = (operation: string) => storing(`${of.store}.${operation}`)

    const made = (insert: (returning: string) => Effect.Effect<ReadonlyArray<object>, SqlError>) =>
      joins === undefined
        ? rows.one(insert(names.join(", ")))
        : Effect.flatMap(ids.one(insert("id")), (id) => rows.one(sql`${selected} WHERE t.id = ${id}`))

    return {
      insert: (permit, values, taken) =>
        made(
          (returning) =>
            sql`INSERT INTO ${table} ${sql
              .insert({ organization_id: permit.organizationId, ...values })
              .returning(sql.literal(returning))}`
        ).pipe(whenTaken(taken), named("insert")),
      find: (permit, id) => find(permit, id).pipe(named("find")),
      findForUpdate: (permit, id) =>
        // A statement of its own, since PostgreSQL locks no row that an outer join may leave out.
        sql`SELECT id FROM ${table} WHERE id = ${id} AND organization_id = ${permit.organizationId} ${forUpdate}`.pipe(
          Effect.zipRight(find(permit, id)),
          named("findForUpdate")
        ),
      list: (permit, page, equal = {}, conditions = []) =>
        boundedPage(pageBytes, page, {
          sizes: sql`SELECT t.id, ${size} AS bytes ${from}
            WHERE ${sql.and([
              visible(permit),
              ...Object.entries(equal).flatMap(([column, value]) =>
                value === undefined || value === null ? [] : [sql`${sql.literal(`t.${column}`)} = ${value}`]
              ),
              ...conditions,
              ...(scope === undefined ? [] : [scopePredicate(sql, permit, scope)])
            ])} AND ${keyset(sql, page, "t.id")}`,
          rows: (listed) =>
            rows.all(
              sql`${selected} WHERE ${dialect.isOneOf("t.id", listed)} AND ${visible(permit)} ${orderOf(sql, page, "t.id")}`
            )
        }).pipe(named("list")),
      all: (permit, condition, order = "t.id") =>
        sql`${selected} WHERE ${visible(permit)} AND ${condition} ORDER BY ${sql.literal(order)}`.pipe(
          rows.all,
          named("all")
        ),
      save: (permit, id, values, taken) =>
        sql`UPDATE ${table} SET ${sql.update(values)} WHERE ${row(permit, id)}`.pipe(
          Effect.asVoid,
          whenTaken(taken),
          named("save")
        ),
      softDelete: (permit, id, now, detach = []) =>
        Effect.all(detach, { discard: true }).pipe(
          Effect.zipRight(
            sql`UPDATE ${table} SET deleted_ms = ${DateTime.toEpochMillis(now)} WHERE ${row(permit, id)}`
          ),
          Effect.asVoid,
          named("remove")
        ),
      delete: (permit, id) => sql`DELETE FROM ${table} WHERE ${row(permit, id)}`.pipe(Effect.asVoid, named("remove"))
    }
  })

type Expressions = Readonly<Record<string, string | undefined>> | undefined

/** A column as it is selected: from an expression, or else of the table `t`. */
export const expressionOf = (expressions: Expressions, name: string): string => {
  const expression = expressions?.[name]
  return expression === undefined ? `t.${name}` : `${expression} AS ${name}`
}

const readFrom = (expressions: Expressions, name: string): string => expressions?.[name] ?? `t.${name}`
