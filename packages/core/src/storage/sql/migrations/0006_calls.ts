import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/**
 * Production calls and their evaluations. What filters and widgets read often is a typed column of `calls`;
 * transcripts and the metadata of recordings have tables of their own, since scans over calls with transcripts in the
 * row take twice as long.
 */
export const calls = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, keyOnly, nameOf, tables } = yield* Dialect
  const index = (name: string) => sql.literal(nameOf(name))

  yield* sql`CREATE TABLE ${tables.calls} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL,
    project_id ${column.integer} NOT NULL,
    agent_id ${column.integer} NOT NULL REFERENCES ${tables.agents} (id),
    timestamp_ms ${column.integer} NOT NULL,
    duration_s ${column.real},
    stated_duration_s ${column.real},
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
    redact_fields ${column.text} NOT NULL DEFAULT '',
    redactions ${column.text} NOT NULL DEFAULT '[]',
    asked_metrics ${column.text},
    metadata ${column.json},
    dynamic_variables ${column.json},
    UNIQUE (agent_id, call_id)
  )`
  yield* sql`CREATE INDEX ${index("calls_by_organization")} ON ${tables.calls} (organization_id, id)`
  // Finds the fields to redact in spans of a call, of which the agent may be unknown.
  yield* sql`CREATE INDEX ${index("calls_redacted_by_call_id")}
    ON ${tables.calls} (organization_id, call_id) WHERE redact_fields <> ''`
  // A covering index: it contains what most widgets plot.
  yield* sql`CREATE INDEX ${index("calls_by_project_time")}
    ON ${tables.calls} (project_id, timestamp_ms, success, duration_s, call_ended_reason)`
  // Of indexes with equal estimates, SQLite uses the one created last: so the narrowest of these are last.
  yield* sql`CREATE INDEX ${index("calls_by_project")} ON ${tables.calls} (project_id, id)`
  yield* sql`CREATE INDEX ${index("calls_by_agent")} ON ${tables.calls} (agent_id, id)`
  yield* sql`CREATE TABLE ${tables.call_transcripts} (
    call_id ${column.integer} PRIMARY KEY REFERENCES ${tables.calls} (id) ON DELETE CASCADE,
    transcript_type ${column.text} NOT NULL,
    transcript ${column.text} NOT NULL
  )`
  yield* sql`CREATE TABLE ${tables.call_recordings} (
    call_id ${column.integer} PRIMARY KEY REFERENCES ${tables.calls} (id) ON DELETE CASCADE,
    blob_key ${column.text} NOT NULL,
    content_type ${column.text} NOT NULL,
    size_bytes ${column.integer} NOT NULL,
    sha256 ${column.text} NOT NULL,
    duration_s ${column.real},
    main_agent_channel_index ${column.integer},
    created_ms ${column.integer} NOT NULL
  )`
  // Waveforms are computed when they are first requested. A row without peaks has the reason.
  yield* sql`CREATE TABLE ${tables.recording_peaks} (
    call_id ${column.integer} PRIMARY KEY REFERENCES ${tables.call_recordings} (call_id) ON DELETE CASCADE,
    blob_key ${column.text} NOT NULL,
    reason ${column.text},
    duration_s ${column.real},
    channels ${column.integer},
    points_per_second ${column.real},
    peaks ${column.text}
  )`
  // value_number holds numbers, and booleans as 0 and 1; value_text holds words; value_kind says which: number,
  // boolean, text, or null for an evaluation without a value.
  yield* sql`CREATE TABLE ${tables.metric_evaluations} (
    call_id ${column.integer} NOT NULL REFERENCES ${tables.calls} (id) ON DELETE CASCADE,
    metric_id ${column.integer} NOT NULL REFERENCES ${tables.metrics} (id),
    status ${column.text} NOT NULL DEFAULT 'scored',
    value_kind ${column.text} NOT NULL,
    value_number ${column.real},
    value_text ${column.text},
    created_ms ${column.integer} NOT NULL,
    PRIMARY KEY (call_id, metric_id)
  ) ${keyOnly}`
  yield* sql`CREATE INDEX ${index("metric_evaluations_by_metric")} ON ${tables.metric_evaluations} (metric_id, call_id, value_number)`
  // What explains a value is read for one call at a time, while values are scanned by the million.
  yield* sql`CREATE TABLE ${tables.metric_evaluation_details} (
    call_id ${column.integer} NOT NULL REFERENCES ${tables.calls} (id) ON DELETE CASCADE,
    metric_id ${column.integer} NOT NULL REFERENCES ${tables.metrics} (id),
    detail ${column.text} NOT NULL,
    PRIMARY KEY (call_id, metric_id)
  )`
})
