import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/**
 * What a column store still has to be given: calls that changed since it was, and one row that says where its projection
 * stands. The triggers that record changes are there only while a column store is used (see `ProjectionTriggers.ts`).
 */
export const analytics = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, name, tables } = yield* Dialect
  // A row lives for less than a second. On PostgreSQL its space is reused soon, or searches for the oldest row would read it.
  const vacuumed = sql.literal(
    name === "postgres" ? "WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)" : ""
  )
  yield* sql`CREATE TABLE ${tables.analytics_changes} (
    id ${column.id},
    call_id ${column.integer} NOT NULL,
    organization_id ${column.integer} NOT NULL,
    erases ${column.flag} NOT NULL
  ) ${vacuumed}`
  // triggers: a hash of those that record changes, NULL if there are none. loaded: the last change of which the call
  // was read. A lease is that of the process that projects. erase_*_ms: when calls were deleted whose values are in files.
  yield* sql`CREATE TABLE ${tables.analytics_projection} (
    id ${column.integer} PRIMARY KEY,
    installation ${column.text},
    triggers ${column.text},
    generation ${column.text},
    rebuilt_to ${column.integer} NOT NULL DEFAULT 0,
    rebuild_to ${column.integer},
    version ${column.integer} NOT NULL DEFAULT 0,
    loaded ${column.integer} NOT NULL DEFAULT 0,
    lease ${column.text},
    lease_until_ms ${column.integer} NOT NULL DEFAULT 0,
    active_ms ${column.integer} NOT NULL DEFAULT 0,
    erase_first_ms ${column.integer},
    erase_last_ms ${column.integer}
  )`
  yield* sql`INSERT INTO ${tables.analytics_projection} (id) VALUES (1)`
})
