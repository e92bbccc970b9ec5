import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ApiKeyScope } from "../../access/ApiKey.js"
import { SignInLinkStore } from "../../access/SignInLinkStore.js"
import { OrganizationId, UserId } from "../../kernel/Ids.js"
import { Dialect } from "./Dialect.js"
import { jsonColumn, readRows } from "./Rows.js"
import { storing } from "./Storing.js"

const GrantRow = Schema.Struct({
  organization_id: OrganizationId,
  created_by: Schema.NullOr(UserId),
  scopes: jsonColumn(Schema.Array(ApiKeyScope))
})

export const layer = Layer.effect(
  SignInLinkStore,
  Effect.zipWith(SqlClient, Dialect, (sql, { tables }) => {
    const grants = readRows(GrantRow, (row) => ({
      organizationId: row.organization_id,
      userId: row.created_by,
      scopes: row.scopes
    }))
    return SignInLinkStore.of({
      insert: (permit, { expiresAt, scopes, secretHash }) =>
        sql`INSERT INTO ${tables.sign_in_links} ${sql.insert({
          secret_hash: secretHash,
          organization_id: permit.organizationId,
          scopes: JSON.stringify(scopes),
          created_by: permit.userId,
          expires_ms: DateTime.toEpochMillis(expiresAt)
        })}`.pipe(Effect.asVoid, storing("SignInLinkStore.insert")),
      redeem: (secretHash, now) =>
        grants
          .first(
            sql`DELETE FROM ${tables.sign_in_links}
                WHERE secret_hash = ${secretHash} AND expires_ms > ${DateTime.toEpochMillis(now)}
                RETURNING organization_id, created_by, scopes`
          )
          .pipe(storing("SignInLinkStore.redeem")),
      deleteExpired: (before) =>
        Effect.zipRight(
          sql`DELETE FROM ${tables.sign_in_links} WHERE expires_ms < ${DateTime.toEpochMillis(before)}`,
          sql`DELETE FROM ${tables.browser_sessions} WHERE expires_ms < ${DateTime.toEpochMillis(before)}`
        ).pipe(Effect.asVoid, storing("SignInLinkStore.deleteExpired"))
    })
  })
)
