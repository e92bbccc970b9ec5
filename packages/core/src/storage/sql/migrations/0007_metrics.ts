import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/** What metrics are made of, what their evaluations say, and the jobs that evaluate. */
export const metrics = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, name } = yield* Dialect

  // due_ms is when a queued job may start and when a running one's lease runs out, so that one index finds what can be
  // claimed; finished jobs have none and are not in it.
  yield* sql`CREATE TABLE jobs (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES organizations (id),
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
  yield* sql`CREATE UNIQUE INDEX jobs_by_key ON jobs (kind, key) WHERE key IS NOT NULL`
  yield* sql`CREATE INDEX jobs_due ON jobs (kind, due_ms) WHERE due_ms IS NOT NULL`
  yield* sql`CREATE INDEX jobs_by_ordering_key ON jobs (kind, ordering_key, id) WHERE ordering_key IS NOT NULL AND due_ms IS NOT NULL`
  yield* sql`CREATE INDEX jobs_by_organization ON jobs (organization_id, id)`
  yield* sql`CREATE INDEX jobs_finished ON jobs (state, updated_ms) WHERE due_ms IS NULL`

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

  // As 0006 made it, with the metrics that are asked for and the job that evaluates (calls/EvaluationJob.ts).
  if (name !== "postgres") return
  yield* sql`CREATE OR REPLACE FUNCTION earshot_keep_calls(deliveries json) RETURNS TABLE(id bigint, agent_id bigint, call_id text)
    LANGUAGE plpgsql AS $keep$
    #variable_conflict use_column
    BEGIN
    RETURN QUERY WITH given AS MATERIALIZED (
      SELECT * FROM json_to_recordset(deliveries) AS g(organization_id bigint, project_id bigint, agent_id bigint,
        timestamp_ms bigint, duration_s double precision, call_id text, trace_id text, customer_number text,
        call_ended_reason text, feedback text, error_message text, created_ms bigint, metadata jsonb,
        dynamic_variables jsonb, redact_fields text, charge_micros bigint, asked_metrics text,
        evaluates boolean, transcript_type text, transcript text,
        recording jsonb)
    ), kept AS (
      INSERT INTO calls (organization_id, project_id, agent_id, timestamp_ms, duration_s, is_reviewed, call_id, trace_id,
        customer_number, call_ended_reason, feedback, feedback_by_person, error_message, created_ms, updated_ms, metadata,
        dynamic_variables, redact_fields, asked_metrics)
      SELECT organization_id, project_id, agent_id, timestamp_ms, duration_s, 0, call_id, trace_id, customer_number,
        call_ended_reason, feedback, 0, error_message, created_ms, created_ms, metadata, dynamic_variables, redact_fields,
        asked_metrics
      FROM given ORDER BY agent_id, call_id
      ON CONFLICT (agent_id, call_id) DO NOTHING RETURNING id, agent_id, call_id
    ), transcripts AS (
      INSERT INTO call_transcripts (call_id, transcript_type, transcript)
      SELECT kept.id, g.transcript_type, g.transcript FROM kept JOIN given g USING (agent_id, call_id)
      WHERE g.transcript IS NOT NULL
    ), evaluations AS (
      INSERT INTO jobs (organization_id, ordering_key, payload, due_ms, created_ms, updated_ms, kind, state, attempts,
        max_attempts)
      SELECT g.organization_id, kept.id::text,
        '{"call":' || kept.id || ',"metrics":' || COALESCE(g.asked_metrics, 'null') || '}',
        g.created_ms, g.created_ms, g.created_ms, 'evaluate_call', 'queued', 0, 8
      FROM kept JOIN given g USING (agent_id, call_id) WHERE g.evaluates
    ), recordings AS (
      INSERT INTO call_recordings (call_id, blob_key, content_type, size_bytes, sha256, duration_s,
        main_agent_channel_index, created_ms)
      SELECT kept.id, r.blob_key, r.content_type, r.size_bytes, r.sha256, r.duration_s, r.main_agent_channel_index,
        r.created_ms
      FROM kept JOIN given g USING (agent_id, call_id)
        CROSS JOIN LATERAL jsonb_to_record(g.recording) AS r(blob_key text, content_type text, size_bytes bigint,
          sha256 text, duration_s double precision, main_agent_channel_index bigint, created_ms bigint)
      WHERE g.recording IS NOT NULL
    ), charges AS (
      INSERT INTO credit_entries (organization_id, project_id, agent_id, call_id, reason, charge_key, seconds,
        amount_micros, created_ms)
      SELECT g.organization_id, g.project_id, g.agent_id, kept.id, 'redaction', 'redaction:call:' || kept.id,
        g.duration_s, g.charge_micros, g.created_ms
      FROM kept JOIN given g USING (agent_id, call_id) WHERE g.charge_micros IS NOT NULL
      ON CONFLICT (charge_key) DO NOTHING
    )
    SELECT id, agent_id, call_id FROM kept;
    END
    $keep$`
})
