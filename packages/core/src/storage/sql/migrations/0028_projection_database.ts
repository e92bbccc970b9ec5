import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/** The database that the projection is of, by which one that was restored from a dump is told apart. */
export const projectionDatabase = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, tables } = yield* Dialect
  yield* sql`ALTER TABLE ${tables.analytics_projection} ADD COLUMN source_database ${column.text}`
})
