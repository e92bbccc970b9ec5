import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { CodeConnection } from "../../checkouts/CodeConnection.js"
import { CodeConnectionStore, type SealedSecret, type StoredConnection } from "../../checkouts/CodeConnectionStore.js"
import { CodeConnectionId, OrganizationId, UserId } from "../../kernel/Ids.js"
import { JsonObject } from "../../kernel/Json.js"
import * as Pages from "../../kernel/Pages.js"
import { Dialect } from "./Dialect.js"
import { keyset } from "./Keyset.js"
import { Instant, jsonColumn, readRows } from "./Rows.js"
import { Flag, storing } from "./Storing.js"

export const CodeConnectionRow = Schema.Struct({
  id: CodeConnectionId,
  organization_id: OrganizationId,
  host: Schema.String,
  name: Schema.String,
  settings: jsonColumn(JsonObject),
  sealed_secret: Schema.NullOr(Schema.String),
  active: Flag,
  created_by: Schema.NullOr(UserId),
  created_ms: Instant,
  tested_ms: Schema.NullOr(Instant),
  test_error: Schema.NullOr(Schema.String),
  activated_ms: Schema.NullOr(Instant),
  revoked_ms: Schema.NullOr(Instant)
})

export const toStoredConnection = (row: typeof CodeConnectionRow.Type): StoredConnection => ({
  connection: new CodeConnection({
    id: row.id,
    organizationId: row.organization_id,
    host: row.host,
    name: row.name,
    settings: row.settings,
    state: row.revoked_ms !== null ? "revoked" : row.active ? "active" : "inactive",
    createdBy: row.created_by,
    createdAt: row.created_ms,
    testedAt: row.tested_ms,
    testError: row.test_error,
    activatedAt: row.activated_ms,
    revokedAt: row.revoked_ms
  }),
  sealed: row.sealed_secret
})

const SealedRow = Schema.Struct({ id: Schema.Int, organization_id: OrganizationId, sealed: Schema.String })

/** Where each kind of sealed secret lies. */
const PLACES = {
  connection: { table: "code_connections", column: "sealed_secret" },
  grant: { table: "checkout_grants", column: "sealed_handle" }
} as const

export const layer = Layer.effect(
  CodeConnectionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const { tables } = dialect
    const columns = sql.literal(
      "id, organization_id, host, name, settings, sealed_secret, active, created_by, created_ms, tested_ms, test_error, activated_ms, revoked_ms"
    )
    const stored = readRows(CodeConnectionRow, toStoredConnection)
    const connections = readRows(CodeConnectionRow, (row) => toStoredConnection(row).connection)

    return CodeConnectionStore.of({
      insert: (permit, connection) =>
        sql`INSERT INTO ${tables.code_connections} ${sql
          .insert({
            organization_id: permit.organizationId,
            host: connection.host,
            name: connection.name,
            settings: JSON.stringify(connection.settings),
            sealed_secret: connection.sealed,
            active: 0,
            created_by: permit.userId,
            created_ms: DateTime.toEpochMillis(connection.createdAt)
          })
          .returning(columns)}`.pipe(connections.one, storing("CodeConnectionStore.insert")),
      find: (permit, id) =>
        sql`SELECT ${columns} FROM ${tables.code_connections} WHERE id = ${id} AND organization_id = ${permit.organizationId}`.pipe(
          stored.first,
          storing("CodeConnectionStore.find")
        ),
      // All of the organization's, in one order: of two that are activated at once one has to wait for the other.
      findForUpdate: (permit, id) =>
        sql`SELECT ${columns} FROM ${tables.code_connections}
            WHERE organization_id = ${permit.organizationId} ORDER BY id ${dialect.forUpdate}`.pipe(
          stored.all,
          Effect.map((all) => Option.fromNullable(all.find(({ connection }) => connection.id === id))),
          storing("CodeConnectionStore.hold")
        ),
      list: (permit, page) =>
        sql`SELECT ${columns} FROM ${tables.code_connections}
            WHERE organization_id = ${permit.organizationId} AND ${keyset(sql, page)}`.pipe(
          connections.all,
          Effect.map((rows) => Pages.found(page, rows)),
          storing("CodeConnectionStore.list")
        ),
      findActive: (permit) =>
        sql`SELECT ${columns} FROM ${tables.code_connections}
            WHERE organization_id = ${permit.organizationId} AND active = 1`.pipe(
          stored.first,
          storing("CodeConnectionStore.findActive")
        ),
      recordTest: (permit, id, error, now) =>
        sql`UPDATE ${tables.code_connections} SET ${sql.update({
          tested_ms: DateTime.toEpochMillis(now),
          test_error: error
        })} WHERE id = ${id} AND organization_id = ${permit.organizationId}`.pipe(
          Effect.asVoid,
          storing("CodeConnectionStore.recordTest")
        ),
      // Two statements, since a unique index is checked a row at a time.
      activate: (permit, id, now) =>
        Effect.zipRight(
          sql`UPDATE ${tables.code_connections} SET active = 0
              WHERE organization_id = ${permit.organizationId} AND active = 1 AND id <> ${id}`,
          sql`UPDATE ${tables.code_connections} SET active = 1, activated_ms = ${DateTime.toEpochMillis(now)}
              WHERE id = ${id} AND organization_id = ${permit.organizationId} AND active = 0 AND revoked_ms IS NULL`
        ).pipe(Effect.asVoid, storing("CodeConnectionStore.activate")),
      revoke: (permit, id, now) =>
        sql`UPDATE ${tables.code_connections} SET active = 0, revoked_ms = ${DateTime.toEpochMillis(now)}
            WHERE id = ${id} AND organization_id = ${permit.organizationId} AND revoked_ms IS NULL`.pipe(
          Effect.asVoid,
          storing("CodeConnectionStore.revoke")
        ),
      sealed: (of, after, limit) => {
        const column = sql.literal(PLACES[of].column)
        return sql`SELECT id, organization_id, ${column} AS sealed FROM ${tables[PLACES[of].table]}
            WHERE id > ${after} AND ${column} IS NOT NULL ORDER BY id LIMIT ${limit}`.pipe(
          readRows(SealedRow, (row): SealedSecret => ({
            of,
            id: row.id,
            organizationId: row.organization_id,
            sealed: row.sealed
          })).all,
          storing("CodeConnectionStore.sealed")
        )
      },
      reseal: (secret, sealed) => {
        const column = sql.literal(PLACES[secret.of].column)
        return sql`UPDATE ${tables[PLACES[secret.of].table]} SET ${column} = ${sealed}
            WHERE id = ${secret.id} AND ${column} = ${secret.sealed}`.pipe(
          Effect.asVoid,
          storing("CodeConnectionStore.reseal")
        )
      }
    })
  })
)
