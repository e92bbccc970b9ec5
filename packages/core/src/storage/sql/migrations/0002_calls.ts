import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/**
 * Production calls. What filters and widgets read often is a typed column of `calls`; transcripts, the payloads they were
 * decoded from and the recordings' whereabouts have tables of their own, since scans over calls with transcripts in the
 * row take twice as long.
 */
export const calls = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column } = yield* Dialect

  yield* sql`CREATE TABLE calls (
    id ${column.id},
    organization_id ${column.integer} NOT NULL,
    project_id ${column.integer} NOT NULL,
    agent_id ${column.integer} NOT NULL REFERENCES agents (id),
    timestamp_ms ${column.integer} NOT NULL,
    duration_s ${column.real},
    success ${column.flag},
    is_reviewed ${column.flag} NOT NULL,
    call_id ${column.text} NOT NULL,
    trace_id ${column.text} NOT NULL,
    customer_number ${column.text},
    call_ended_reason ${column.text},
    dropoff_point ${column.text},
    topic ${column.text},
    feedback ${column.text},
    feedback_by_person ${column.flag} NOT NULL,
    error_message ${column.text},
    evaluation ${column.text},
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL,
    metadata ${column.json},
    dynamic_variables ${column.json},
    UNIQUE (agent_id, call_id)
  )`
  yield* sql`CREATE INDEX calls_by_organization ON calls (organization_id, id)`
  // What most widgets plot stands behind the key, so that they are answered out of the index.
  yield* sql`CREATE INDEX calls_by_project_time
    ON calls (project_id, timestamp_ms, success, duration_s, call_ended_reason)`
  // Among indexes that look alike to it, SQLite takes the one made last: so the narrowest of these come last.
  yield* sql`CREATE INDEX calls_by_project ON calls (project_id, id)`
  yield* sql`CREATE INDEX calls_by_agent ON calls (agent_id, id)`
  yield* sql`CREATE TABLE call_transcripts (
    call_id ${column.integer} PRIMARY KEY REFERENCES calls (id) ON DELETE CASCADE,
    transcript_type ${column.text} NOT NULL,
    transcript ${column.text} NOT NULL
  )`
  yield* sql`CREATE TABLE call_recordings (
    call_id ${column.integer} PRIMARY KEY REFERENCES calls (id) ON DELETE CASCADE,
    blob_key ${column.text} NOT NULL,
    content_type ${column.text} NOT NULL,
    size_bytes ${column.integer} NOT NULL,
    sha256 ${column.text} NOT NULL,
    duration_s ${column.real},
    main_agent_channel_index ${column.integer},
    created_ms ${column.integer} NOT NULL
  )`
})
