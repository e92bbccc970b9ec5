import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { SigningKey } from "../../access/SigningKey.js"
import { SigningKeyStore } from "../../access/SigningKeyStore.js"
import { Dialect } from "./Dialect.js"
import { Instant, readRows } from "./Rows.js"
import { storing } from "./Storing.js"

const SigningKeyRow = Schema.Struct({
  kid: Schema.String,
  secret: Schema.Redacted(Schema.String),
  created_ms: Instant
})

const toSigningKey = (row: typeof SigningKeyRow.Type): SigningKey => ({
  kid: row.kid,
  secret: row.secret,
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
          secret: Redacted.value(key.secret),
          created_ms: DateTime.toEpochMillis(key.createdAt)
        })}`.pipe(Effect.asVoid, storing("SigningKeyStore.insert")),
      list: sql`SELECT kid, secret, created_ms FROM ${tables.signing_keys} ORDER BY created_ms DESC, kid DESC`.pipe(
        keys.all,
        storing("SigningKeyStore.list")
      ),
      remove: (kids) =>
        sql`DELETE FROM ${tables.signing_keys} WHERE kid IN ${dialect.texts(kids)}`.pipe(
          Effect.asVoid,
          storing("SigningKeyStore.remove")
        )
    })
  })
)
