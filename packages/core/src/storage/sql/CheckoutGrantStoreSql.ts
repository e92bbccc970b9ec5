import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { CheckoutGrantStore, type DueGrant } from "../../checkouts/CheckoutGrantStore.js"
import { RepositoryName } from "../../checkouts/RepositoryName.js"
import { CheckoutGrantId, CodeConnectionId, OrganizationId } from "../../kernel/Ids.js"
import { CodeConnectionRow, toStoredConnection } from "./CodeConnectionStoreSql.js"
import { Dialect } from "./Dialect.js"
import { readRows } from "./Rows.js"
import { storing } from "./Storing.js"

const GrantedRow = Schema.Struct({
  organization_id: OrganizationId,
  host: Schema.String,
  repository: RepositoryName
})

const DueRow = Schema.Struct({
  ...CodeConnectionRow.fields,
  connection_id: CodeConnectionId,
  id: CheckoutGrantId,
  sealed_handle: Schema.String,
  attempts: Schema.Int
})

export const layer = Layer.effect(
  CheckoutGrantStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const { tables } = dialect

    const granted = readRows(GrantedRow, (row) => ({
      organizationId: row.organization_id,
      host: row.host,
      repository: row.repository
    }))
    const dueGrants = readRows(DueRow, (row): DueGrant => {
      const { connection_id: connectionId, ...columns } = row
      return {
        id: row.id,
        organizationId: row.organization_id,
        sealedHandle: row.sealed_handle,
        attempts: row.attempts,
        stored: toStoredConnection({ ...columns, id: connectionId })
      }
    })

    /** The conditions other than time under which the token of a checkout `g` of a connection `c` is valid. */
    const inForce = sql`c.active = 1
      AND NOT EXISTS (SELECT 1 FROM ${tables.revoked_tokens} r
        WHERE r.organization_id = g.organization_id AND r.jti = g.session_jti)
      AND (g.agent_id IS NULL OR EXISTS (SELECT 1 FROM ${tables.agents} a
        WHERE a.id = g.agent_id AND a.organization_id = g.organization_id AND a.deleted_ms IS NULL))`

    return CheckoutGrantStore.of({
      insert: (permit, grant) =>
        Effect.gen(function* () {
          const agent =
            grant.agentId === null
              ? sql`1 = 1`
              : sql`EXISTS (SELECT 1 FROM ${tables.agents} WHERE id = ${grant.agentId}
                  AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL)`
          const session =
            grant.sessionJti === null
              ? sql`1 = 1`
              : sql`NOT EXISTS (SELECT 1 FROM ${tables.revoked_tokens}
                  WHERE organization_id = ${permit.organizationId} AND jti = ${grant.sessionJti})`
          const found = yield* sql`SELECT id FROM ${tables.code_connections}
            WHERE id = ${grant.connectionId} AND organization_id = ${permit.organizationId} AND active = 1
              AND ${agent} AND ${session} ${dialect.forUpdate}`
          if (found.length === 0) return false
          yield* sql`INSERT INTO ${tables.checkout_grants} ${sql.insert({
            organization_id: permit.organizationId,
            connection_id: grant.connectionId,
            repository: grant.repository,
            agent_id: grant.agentId,
            session_jti: grant.sessionJti,
            token_hash: grant.tokenHash,
            sealed_handle: grant.sealedHandle,
            attempts: 0,
            next_attempt_ms: 0,
            created_by: permit.userId,
            created_ms: DateTime.toEpochMillis(grant.createdAt),
            expires_ms: DateTime.toEpochMillis(grant.expiresAt),
            lapses_ms: DateTime.toEpochMillis(grant.lapsesAt)
          })}`
          return true
        }).pipe(storing("CheckoutGrantStore.insert")),
      findInForce: (tokenHash, now) =>
        sql`SELECT g.organization_id, c.host, g.repository
            FROM ${tables.checkout_grants} g JOIN ${tables.code_connections} c ON c.id = g.connection_id
            WHERE g.token_hash = ${tokenHash} AND g.expires_ms > ${DateTime.toEpochMillis(now)} AND ${inForce}`.pipe(
          granted.first,
          storing("CheckoutGrantStore.findInForce")
        ),
      due: (now, limit, of) => {
        const millis = DateTime.toEpochMillis(now)
        return sql`SELECT c.organization_id, c.host, c.name, c.settings, c.sealed_secret, c.active, c.created_by,
              c.created_ms, c.tested_ms, c.test_error, c.activated_ms, c.revoked_ms,
              c.id AS connection_id, g.id, g.sealed_handle, g.attempts
            FROM ${tables.checkout_grants} g JOIN ${tables.code_connections} c ON c.id = g.connection_id
            WHERE g.sealed_handle IS NOT NULL AND g.next_attempt_ms <= ${millis} AND g.lapses_ms > ${millis}
              AND (g.expires_ms <= ${millis} OR NOT (${inForce}))
              AND ${of === undefined ? sql`1 = 1` : sql`g.organization_id = ${of}`}
            ORDER BY g.next_attempt_ms, g.id LIMIT ${limit}`.pipe(dueGrants.all, storing("CheckoutGrantStore.due"))
      },
      released: (id) =>
        sql`UPDATE ${tables.checkout_grants} SET sealed_handle = NULL WHERE id = ${id}`.pipe(
          Effect.asVoid,
          storing("CheckoutGrantStore.released")
        ),
      failed: (id, next) =>
        sql`UPDATE ${tables.checkout_grants} SET attempts = attempts + 1, next_attempt_ms = ${DateTime.toEpochMillis(next)}
            WHERE id = ${id}`.pipe(Effect.asVoid, storing("CheckoutGrantStore.failed")),
      tidy: (now, forgottenBefore) =>
        Effect.gen(function* () {
          yield* sql`UPDATE ${tables.checkout_grants} SET sealed_handle = NULL
            WHERE sealed_handle IS NOT NULL AND lapses_ms <= ${DateTime.toEpochMillis(now)}`
          yield* sql`DELETE FROM ${tables.checkout_grants} WHERE lapses_ms <= ${DateTime.toEpochMillis(forgottenBefore)}`
          yield* sql`UPDATE ${tables.code_connections} AS c SET sealed_secret = NULL
            WHERE revoked_ms IS NOT NULL AND sealed_secret IS NOT NULL AND NOT EXISTS (
              SELECT 1 FROM ${tables.checkout_grants} g
              WHERE g.connection_id = c.id AND g.sealed_handle IS NOT NULL)`
        }).pipe(storing("CheckoutGrantStore.tidy"))
    })
  })
)
