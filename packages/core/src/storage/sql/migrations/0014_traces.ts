import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/** Spans that are gathered until their call is stored, and for a day afterwards, and what identifies their call. */
export const traces = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, keyOnly, nameOf, tables } = yield* Dialect
  const index = (name: string) => sql.literal(nameOf(name))

  yield* sql`CREATE TABLE ${tables.traces} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    scope ${column.text} NOT NULL,
    agent_id ${column.integer} REFERENCES ${tables.agents} (id),
    call_id ${column.integer} REFERENCES ${tables.calls} (id) ON DELETE CASCADE,
    state ${column.text} NOT NULL,
    error ${column.text},
    redact_fields ${column.text} NOT NULL,
    spans ${column.integer} NOT NULL,
    unknown_spans ${column.integer} NOT NULL,
    unknown_names ${column.text} NOT NULL,
    version ${column.integer} NOT NULL,
    ingested_version ${column.integer},
    superseded_calls ${column.text} NOT NULL,
    due_ms ${column.integer},
    job_ms ${column.integer},
    created_ms ${column.integer} NOT NULL,
    last_ms ${column.integer} NOT NULL
  )`
  yield* sql`CREATE INDEX ${index("traces_by_organization")} ON ${tables.traces} (organization_id, id)`
  yield* sql`CREATE INDEX ${index("traces_by_call")} ON ${tables.traces} (call_id)`
  yield* sql`CREATE INDEX ${index("traces_by_agent")} ON ${tables.traces} (agent_id)`
  yield* sql`CREATE INDEX ${index("traces_by_last_span")} ON ${tables.traces} (last_ms)`
  yield* sql`CREATE TABLE ${tables.trace_keys} (
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    scope ${column.text} NOT NULL,
    key ${column.text} NOT NULL,
    trace_id ${column.integer} NOT NULL REFERENCES ${tables.traces} (id) ON DELETE CASCADE,
    PRIMARY KEY (organization_id, key, scope)
  ) ${keyOnly}`
  yield* sql`CREATE INDEX ${index("trace_keys_by_trace")} ON ${tables.trace_keys} (trace_id)`
  yield* sql`CREATE TABLE ${tables.trace_spans} (
    trace_id ${column.integer} NOT NULL REFERENCES ${tables.traces} (id) ON DELETE CASCADE,
    span ${column.text} NOT NULL,
    start_ms ${column.real} NOT NULL,
    part ${column.text} NOT NULL,
    PRIMARY KEY (trace_id, span)
  )`
})
