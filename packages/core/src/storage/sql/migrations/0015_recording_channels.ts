import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/** How many channels recordings have; null where it is unknown, as of recordings that were stored before. */
export const recordingChannels = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, tables } = yield* Dialect
  yield* sql`ALTER TABLE ${tables.call_recordings} ADD COLUMN channels ${column.integer}`
})
