import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { RevokedTokenStore } from "../../access/RevokedTokenStore.js"
import { Dialect } from "./Dialect.js"
import { storing } from "./Storing.js"

export const layer = Layer.effect(
  RevokedTokenStore,
  Effect.zipWith(SqlClient, Dialect, (sql, { tables }) =>
    RevokedTokenStore.of({
      insert: (permit, jti, until, now) =>
        Effect.zipRight(
          sql`DELETE FROM ${tables.revoked_tokens}
              WHERE organization_id = ${permit.organizationId} AND expires_ms <= ${DateTime.toEpochMillis(now)}`,
          sql`INSERT INTO ${tables.revoked_tokens} ${sql.insert({
            organization_id: permit.organizationId,
            jti,
            expires_ms: DateTime.toEpochMillis(until)
          })} ON CONFLICT (organization_id, jti) DO NOTHING`
        ).pipe(Effect.asVoid, storing("RevokedTokenStore.insert")),
      has: (organizationId, jti) =>
        sql`SELECT 1 AS found FROM ${tables.revoked_tokens} WHERE organization_id = ${organizationId} AND jti = ${jti}`.pipe(
          Effect.map((rows) => rows.length > 0),
          storing("RevokedTokenStore.has")
        )
    })
  )
)
