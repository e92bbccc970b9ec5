import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/**
 * The protocol of voice endpoints, which was that of Twilio before; and whether the engine executes the runs of a result, null
 * for results of before.
 */
export const voiceProtocols = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, tables } = yield* Dialect
  // The text of an endpoint is always printed alike, so that it can be compared.
  yield* sql`UPDATE ${tables.agents}
    SET voice_endpoint = substr(voice_endpoint, 1, length(voice_endpoint) - 1) || ',"protocol":"twilio"}'
    WHERE voice_endpoint IS NOT NULL`
  yield* sql`ALTER TABLE ${tables.results} ADD COLUMN is_executed ${column.flag}`
})
