import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/** Where agents answer calls by voice, as JSON; null where they do not. */
export const voiceEndpoints = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, tables } = yield* Dialect
  yield* sql`ALTER TABLE ${tables.agents} ADD COLUMN voice_endpoint ${column.text}`
})
