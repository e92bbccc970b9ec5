import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/**
 * Durable jobs.
 */
export const jobs = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, name, nameOf, tables } = yield* Dialect
  const index = (name: string) => sql.literal(nameOf(name))

  // due_ms is when a queued job may start and when the lease of a running one expires, so that one index finds what can be
  // claimed, organization by organization; finished jobs have none and are not in that index.
  yield* sql`CREATE TABLE ${tables.jobs} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    kind ${column.text} NOT NULL,
    key ${column.text},
    ordering_key ${column.text},
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
  yield* sql`CREATE UNIQUE INDEX ${index("jobs_by_key")} ON ${tables.jobs} (kind, key) WHERE key IS NOT NULL`
  yield* sql`CREATE INDEX ${index("jobs_due")} ON ${tables.jobs} (kind, organization_id, due_ms, id) WHERE due_ms IS NOT NULL`
  yield* sql`CREATE INDEX ${index("jobs_by_state")} ON ${tables.jobs} (kind, state, due_ms) WHERE state <> 'succeeded'`
  yield* sql`CREATE INDEX ${index("jobs_by_ordering_key")} ON ${tables.jobs} (kind, ordering_key, id) WHERE ordering_key IS NOT NULL AND due_ms IS NOT NULL`
  yield* sql`CREATE INDEX ${index("jobs_by_organization")} ON ${tables.jobs} (organization_id, id)`
  yield* sql`CREATE INDEX ${index("jobs_finished")} ON ${tables.jobs} (state, updated_ms) WHERE due_ms IS NULL`
  // Every job changes its index entries three times; without frequent vacuuming claims would read the dead ones.
  if (name === "postgres") {
    yield* sql`ALTER TABLE ${tables.jobs} SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)`
  }
})
