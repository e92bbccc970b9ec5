import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ApiKey, Scope } from "../../access/ApiKey.js"
import { ApiKeyStore } from "../../access/ApiKeyStore.js"
import { ApiKeyId, OrganizationId, UserId } from "../../kernel/Ids.js"
import { keyset } from "./Keyset.js"
import { Instant, jsonColumn, readRows } from "./Rows.js"
import { storing } from "./Storing.js"

const ApiKeyRow = Schema.Struct({
  id: ApiKeyId,
  organization_id: OrganizationId,
  name: Schema.String,
  hint: Schema.String,
  secret_hash: Schema.String,
  scopes: jsonColumn(Schema.Array(Scope)),
  created_by: Schema.NullOr(UserId),
  created_ms: Instant,
  expires_ms: Schema.NullOr(Instant),
  revoked_ms: Schema.NullOr(Instant)
})

const toApiKey = (row: typeof ApiKeyRow.Type): ApiKey =>
  new ApiKey({
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    hint: row.hint,
    scopes: row.scopes,
    createdBy: row.created_by,
    createdAt: row.created_ms,
    expiresAt: row.expires_ms,
    revokedAt: row.revoked_ms
  })

export const layer = Layer.effect(
  ApiKeyStore,
  Effect.map(SqlClient, (sql) => {
    const columns = sql.literal(
      "id, organization_id, name, hint, secret_hash, scopes, created_by, created_ms, expires_ms, revoked_ms"
    )
    const keys = readRows(ApiKeyRow, toApiKey)
    const hashed = readRows(ApiKeyRow, (row) => ({ credential: toApiKey(row), secretHash: row.secret_hash }))

    return ApiKeyStore.of({
      insert: (permit, key) =>
        sql`INSERT INTO api_keys ${sql
          .insert({
            organization_id: permit.organizationId,
            name: key.name,
            hint: key.hint,
            secret_hash: key.secretHash,
            scopes: JSON.stringify(key.scopes),
            created_by: permit.userId,
            created_ms: DateTime.toEpochMillis(key.createdAt),
            expires_ms: key.expiresAt === null ? null : DateTime.toEpochMillis(key.expiresAt)
          })
          .returning(columns)}`.pipe(keys.one, storing("ApiKeyStore.insert")),
      find: (permit, id) =>
        sql`SELECT ${columns} FROM api_keys WHERE id = ${id} AND organization_id = ${permit.organizationId}`.pipe(
          keys.first,
          storing("ApiKeyStore.find")
        ),
      list: (permit, page) =>
        sql`SELECT ${columns} FROM api_keys
            WHERE organization_id = ${permit.organizationId} AND ${keyset(sql, page)}`.pipe(
          keys.all,
          storing("ApiKeyStore.list")
        ),
      revoke: (permit, id, now) =>
        sql`UPDATE api_keys SET revoked_ms = ${DateTime.toEpochMillis(now)}
            WHERE id = ${id} AND organization_id = ${permit.organizationId} AND revoked_ms IS NULL`.pipe(
          Effect.asVoid,
          storing("ApiKeyStore.revoke")
        ),
      findByHash: (secretHash) =>
        sql`SELECT ${columns} FROM api_keys WHERE secret_hash = ${secretHash}`.pipe(
          hashed.first,
          storing("ApiKeyStore.findByHash")
        )
    })
  })
)
