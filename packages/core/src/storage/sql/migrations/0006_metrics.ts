import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/** Jobs that outlive their process. */
export const metrics = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column } = yield* Dialect

  // due_ms is when a queued job may start and when a running one's lease runs out, so that one index finds what can be
  // claimed; finished jobs have none and are not in it.
  yield* sql`CREATE TABLE jobs (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES organizations (id),
    kind ${column.text} NOT NULL,
    key ${column.text},
    lane ${column.text},
    payload ${column.text} NOT NULL,
    state ${column.text} NOT NULL,
    attempts ${column.integer} NOT NULL,
    max_attempts ${column.integer} NOT NULL,
    owner ${column.text},
    due_ms ${column.integer},
    last_error ${column.text},
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL
  )`
  yield* sql`CREATE UNIQUE INDEX jobs_by_key ON jobs (kind, key) WHERE key IS NOT NULL`
  yield* sql`CREATE INDEX jobs_due ON jobs (kind, due_ms) WHERE due_ms IS NOT NULL`
  yield* sql`CREATE INDEX jobs_by_lane ON jobs (kind, lane, id) WHERE lane IS NOT NULL AND due_ms IS NOT NULL`
  yield* sql`CREATE INDEX jobs_by_organization ON jobs (organization_id, id)`
  yield* sql`CREATE INDEX jobs_finished ON jobs (state, updated_ms) WHERE due_ms IS NULL`
})
