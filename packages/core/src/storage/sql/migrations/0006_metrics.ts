import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/** What metrics are made of, what their evaluations say, what they cost, and the jobs that evaluate. */
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

  yield* sql`CREATE TABLE credit_entries (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES organizations (id),
    kind ${column.text} NOT NULL,
    key ${column.text} NOT NULL,
    micros ${column.integer} NOT NULL,
    description ${column.text} NOT NULL,
    created_ms ${column.integer} NOT NULL,
    UNIQUE (organization_id, kind, key)
  )`
  yield* sql`CREATE INDEX credit_entries_by_organization ON credit_entries (organization_id, id)`

  // JSON that SQL never looks into is kept as text.
  for (const [name, type] of [
    ["description", sql`${column.text} NOT NULL DEFAULT ''`],
    ["enum_values", column.text],
    ["audio_enabled", sql`${column.flag} NOT NULL DEFAULT 0`],
    ["prompt", sql`${column.text} NOT NULL DEFAULT ''`],
    ["evaluation_trigger", sql`${column.text} NOT NULL DEFAULT 'always'`],
    ["evaluation_trigger_prompt", sql`${column.text} NOT NULL DEFAULT ''`],
    ["priority_assignment_prompt", sql`${column.text} NOT NULL DEFAULT ''`],
    ["configuration", column.text],
    ["display_order", sql`${column.integer} NOT NULL DEFAULT 0`],
    ["knowledge_base_files", sql`${column.text} NOT NULL DEFAULT '[]'`],
    ["observability_enabled", sql`${column.flag} NOT NULL DEFAULT 1`],
    ["simulation_enabled", sql`${column.flag} NOT NULL DEFAULT 1`],
    ["function_name", sql`${column.text} NOT NULL DEFAULT ''`],
    ["custom_code", sql`${column.text} NOT NULL DEFAULT ''`],
    ["predefined_code", column.text]
  ] as const) {
    yield* sql`ALTER TABLE metrics ADD COLUMN ${sql(name)} ${type}`
  }
  // Deleted ones count: a predefined metric that was deleted is switched off, and must not come back by itself.
  yield* sql`CREATE UNIQUE INDEX metrics_by_predefined_code ON metrics (agent_id, predefined_code)
    WHERE predefined_code IS NOT NULL`
  yield* sql`CREATE UNIQUE INDEX metrics_by_slug ON metrics (agent_id, slug) WHERE slug IS NOT NULL AND deleted_ms IS NULL`
  yield* sql`CREATE INDEX metrics_by_organization ON metrics (organization_id, id)`

  yield* sql`ALTER TABLE metric_evaluations ADD COLUMN status ${column.text} NOT NULL DEFAULT 'scored'`
  // What explains a value is read for one call at a time, while values are scanned by the million.
  yield* sql`CREATE TABLE metric_evaluation_details (
    call_id ${column.integer} NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
    metric_id ${column.integer} NOT NULL REFERENCES metrics (id),
    detail ${column.text} NOT NULL,
    PRIMARY KEY (call_id, metric_id)
  )`
  // The metrics that a delivery asked for; null is all that the agent has.
  yield* sql`ALTER TABLE calls ADD COLUMN asked_metrics ${column.text}`
})
