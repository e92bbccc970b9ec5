import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { StoredSigningKey } from "../../access/SigningKey.js"
import { SigningKeyStore } from "../../access/SigningKeyStore.js"
import { Dialect } from "./Dialect.js"
import { Instant, readRows } from "./Rows.js"
import { storing } from "./Storing.js"

const SigningKeyRow = Schema.Struct({
  kid: Schema.String,
  sealed_secret: Schema.String,
  created_ms: Instant
})

const toSigningKey = (row: typeof SigningKeyRow.Type): StoredSigningKey => ({
  kid: row.kid,
  sealed: row.sealed_secret,
  createdAt: row.created_ms
})

export const layer = Layer.effect(
  SigningKeyStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const { tables } = dialect
    const keys = readRows(SigningKeyRow, toSigningKey)

    return SigningKeyStore.of({
      insert: (key) =>
        sql`INSERT INTO ${tables.signing_keys} ${sql.insert({
          kid: key.kid,
          sealed_secret: key.sealed,
          created_ms: DateTime.toEpochMillis(key.createdAt)
        })}`.pipe(Effect.asVoid, storing("SigningKeyStore.insert")),
      list: sql`SELECT kid, sealed_secret, created_ms FROM ${tables.signing_keys} ORDER BY created_ms DESC, kid DESC`.pipe(
        keys.all,
        storing("SigningKeyStore.list")
      ),
      reseal: (key, sealed) =>
        sql`UPDATE ${tables.signing_keys} SET sealed_secret = ${sealed}
          WHERE kid = ${key.kid} AND sealed_secret = ${key.sealed}`.pipe(
          Effect.asVoid,
          storing("SigningKeyStore.reseal")
        ),
      remove: (kids) =>
        sql`DELETE FROM ${tables.signing_keys} WHERE kid IN ${dialect.texts(kids)}`.pipe(
          Effect.asVoid,
          storing("SigningKeyStore.remove")
        )
    })
  })
)
