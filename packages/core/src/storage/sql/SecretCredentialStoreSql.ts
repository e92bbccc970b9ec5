/** API keys, shareable links and browser sessions: tables with the same columns, but for what a credential may do. */
import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ResourceScope } from "../../access/Actor.js"
import { ApiKey, ApiKeyScope } from "../../access/ApiKey.js"
import { ApiKeyStore } from "../../access/ApiKeyStore.js"
import type { BrowserSession } from "../../access/BrowserSession.js"
import { BrowserSessionStore } from "../../access/BrowserSessionStore.js"
import { Permission } from "../../access/Permission.js"
import type { NewSecretCredential, SecretCredential } from "../../access/SecretCredential.js"
import type { SecretCredentialStore } from "../../access/SecretCredentialStore.js"
import { ShareableLink } from "../../access/ShareableLink.js"
import { ShareableLinkStore } from "../../access/ShareableLinkStore.js"
import { ApiKeyId, BrowserSessionId, OrganizationId, ShareableLinkId, UserId } from "../../kernel/Ids.js"
import { Dialect } from "./Dialect.js"
import { Instant, jsonColumn, readRows } from "./Rows.js"
import { storing } from "./Storing.js"
import { tenantTable } from "./TenantTable.js"

const CommonRow = {
  organization_id: OrganizationId,
  name: Schema.String,
  hint: Schema.String,
  secret_hash: Schema.String,
  created_by: Schema.NullOr(UserId),
  created_ms: Instant,
  expires_ms: Schema.NullOr(Instant),
  revoked_ms: Schema.NullOr(Instant)
}
type CommonRow = Schema.Struct.Type<typeof CommonRow>

const common = (row: CommonRow) => ({
  organizationId: row.organization_id,
  name: row.name,
  hint: row.hint,
  createdBy: row.created_by,
  createdAt: row.created_ms,
  expiresAt: row.expires_ms,
  revokedAt: row.revoked_ms
})

const makeStore = <
  Row extends CommonRow,
  Encoded,
  Credential extends SecretCredential,
  New extends NewSecretCredential
>(of: {
  readonly store: string
  readonly table: "api_keys" | "shareable_links" | "browser_sessions"
  readonly row: Schema.Schema<Row, Encoded> & { readonly fields: Readonly<Record<keyof Encoded, unknown>> }
  readonly make: (row: Row) => Credential
  /** The columns that only this kind has. */
  readonly columns: (credential: New) => Readonly<Record<string, string | null>>
}): Effect.Effect<SecretCredentialStore<Credential, New>, never, SqlClient | Dialect> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const { tables } = dialect
    const table = yield* tenantTable({ ...of, softDeletes: false, ofProject: false })
    const hashed = readRows(of.row, (row) => ({ credential: of.make(row), secretHash: row.secret_hash }))
    const columns = sql.literal(Object.keys(of.row.fields).join(", "))

    return {
      insert: (permit, credential) =>
        table.insert(permit, {
          name: credential.name,
          hint: credential.hint,
          secret_hash: credential.secretHash,
          ...of.columns(credential),
          created_by: permit.userId,
          created_ms: DateTime.toEpochMillis(credential.createdAt),
          expires_ms: credential.expiresAt === null ? null : DateTime.toEpochMillis(credential.expiresAt)
        }),
      find: table.find,
      list: (permit, page) => table.list(permit, page),
      revoke: (permit, id, now) =>
        sql`UPDATE ${tables[of.table]} SET revoked_ms = ${DateTime.toEpochMillis(now)}
            WHERE id = ${id} AND organization_id = ${permit.organizationId} AND revoked_ms IS NULL`.pipe(
          Effect.asVoid,
          storing(`${of.store}.revoke`)
        ),
      findByHashes: (secretHashes) =>
        sql`SELECT ${columns} FROM ${tables[of.table]} WHERE secret_hash IN ${dialect.texts(secretHashes)}`.pipe(
          hashed.all,
          storing(`${of.store}.findByHashes`)
        )
    }
  })

export const apiKeys = Layer.effect(
  ApiKeyStore,
  makeStore({
    store: "ApiKeyStore",
    table: "api_keys",
    row: Schema.Struct({ id: ApiKeyId, ...CommonRow, scopes: jsonColumn(Schema.Array(ApiKeyScope)) }),
    make: (row) => new ApiKey({ id: row.id, ...common(row), scopes: row.scopes }),
    columns: ({ scopes }) => ({ scopes: JSON.stringify(scopes) })
  })
)

export const shareableLinks = Layer.effect(
  ShareableLinkStore,
  makeStore({
    store: "ShareableLinkStore",
    table: "shareable_links",
    row: Schema.Struct({
      id: ShareableLinkId,
      ...CommonRow,
      permissions: jsonColumn(Schema.Array(Permission)),
      bounds: jsonColumn(Schema.Array(ResourceScope))
    }),
    make: (row) => new ShareableLink({ id: row.id, ...common(row), permissions: row.permissions, bounds: row.bounds }),
    columns: ({ bounds, permissions }) => ({
      bounds: JSON.stringify(bounds),
      permissions: JSON.stringify(permissions)
    })
  })
)

export const browserSessions = Layer.effect(
  BrowserSessionStore,
  makeStore({
    store: "BrowserSessionStore",
    table: "browser_sessions",
    row: Schema.Struct({
      id: BrowserSessionId,
      ...CommonRow,
      key_hash: Schema.NullOr(Schema.String),
      scopes: jsonColumn(Schema.Array(ApiKeyScope))
    }),
    make: (row): BrowserSession => ({ id: row.id, ...common(row), keyHash: row.key_hash, scopes: row.scopes }),
    columns: ({ keyHash, scopes }) => ({ key_hash: keyHash, scopes: JSON.stringify(scopes) })
  })
)
