import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/** How callers behave in calls by voice, as JSON, and how the caller of a run behaved; null where that is not set. */
export const voiceBehavior = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, tables } = yield* Dialect
  yield* sql`ALTER TABLE ${tables.personalities} ADD COLUMN voice_behavior ${column.text}`
  yield* sql`ALTER TABLE ${tables.run_outcomes} ADD COLUMN voice_behavior ${column.text}`
})
