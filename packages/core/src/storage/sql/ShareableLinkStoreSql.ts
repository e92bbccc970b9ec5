import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Bound } from "../../access/Actor.js"
import { Permission } from "../../access/Permission.js"
import { ShareableLink } from "../../access/ShareableLink.js"
import { ShareableLinkStore } from "../../access/ShareableLinkStore.js"
import { ShareableLinkId, OrganizationId, UserId } from "../../kernel/Ids.js"
import { keyset } from "./Keyset.js"
import { Instant, jsonColumn, readRows } from "./Rows.js"
import { storing } from "./Storing.js"

const ShareableLinkRow = Schema.Struct({
  id: ShareableLinkId,
  organization_id: OrganizationId,
  name: Schema.String,
  hint: Schema.String,
  secret_hash: Schema.String,
  permissions: jsonColumn(Schema.Array(Permission)),
  bounds: jsonColumn(Schema.Array(Bound)),
  created_by: Schema.NullOr(UserId),
  created_ms: Instant,
  expires_ms: Schema.NullOr(Instant),
  revoked_ms: Schema.NullOr(Instant)
})

const toShareableLink = (row: typeof ShareableLinkRow.Type): ShareableLink =>
  new ShareableLink({
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    hint: row.hint,
    permissions: row.permissions,
    bounds: row.bounds,
    createdBy: row.created_by,
    createdAt: row.created_ms,
    expiresAt: row.expires_ms,
    revokedAt: row.revoked_ms
  })

export const layer = Layer.effect(
  ShareableLinkStore,
  Effect.map(SqlClient, (sql) => {
    const columns = sql.literal(
      "id, organization_id, name, hint, secret_hash, permissions, bounds, created_by, created_ms, expires_ms, revoked_ms"
    )
    const links = readRows(ShareableLinkRow, toShareableLink)
    const hashed = readRows(ShareableLinkRow, (row) => ({
      credential: toShareableLink(row),
      secretHash: row.secret_hash
    }))

    return ShareableLinkStore.of({
      insert: (permit, link) =>
        sql`INSERT INTO shareable_links ${sql
          .insert({
            organization_id: permit.organizationId,
            name: link.name,
            hint: link.hint,
            secret_hash: link.secretHash,
            permissions: JSON.stringify(link.permissions),
            bounds: JSON.stringify(link.bounds),
            created_by: permit.userId,
            created_ms: DateTime.toEpochMillis(link.createdAt),
            expires_ms: link.expiresAt === null ? null : DateTime.toEpochMillis(link.expiresAt)
          })
          .returning(columns)}`.pipe(links.one, storing("ShareableLinkStore.insert")),
      find: (permit, id) =>
        sql`SELECT ${columns} FROM shareable_links WHERE id = ${id} AND organization_id = ${permit.organizationId}`.pipe(
          links.first,
          storing("ShareableLinkStore.find")
        ),
      list: (permit, page) =>
        sql`SELECT ${columns} FROM shareable_links
            WHERE organization_id = ${permit.organizationId} AND ${keyset(sql, page)}`.pipe(
          links.all,
          storing("ShareableLinkStore.list")
        ),
      revoke: (permit, id, now) =>
        sql`UPDATE shareable_links SET revoked_ms = ${DateTime.toEpochMillis(now)}
            WHERE id = ${id} AND organization_id = ${permit.organizationId} AND revoked_ms IS NULL`.pipe(
          Effect.asVoid,
          storing("ShareableLinkStore.revoke")
        ),
      findByHash: (secretHash) =>
        sql`SELECT ${columns} FROM shareable_links WHERE secret_hash = ${secretHash}`.pipe(
          hashed.first,
          storing("ShareableLinkStore.findByHash")
        )
    })
  })
)
