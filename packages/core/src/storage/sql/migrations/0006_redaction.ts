import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/**
 * What was asked to be redacted in a call, which later deliveries of it have to honour, and the ledger of charges. An
 * entry outlives what it was charged for, so it refers to nothing; `charge_key` names the one thing that is charged once.
 */
export const redaction = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, name } = yield* Dialect

  yield* sql`ALTER TABLE calls ADD COLUMN redact_fields ${column.text} NOT NULL DEFAULT ''`
  yield* sql`CREATE TABLE credit_entries (
    id ${column.id},
    organization_id ${column.integer} NOT NULL,
    project_id ${column.integer} NOT NULL,
    agent_id ${column.integer},
    call_id ${column.integer},
    reason ${column.text} NOT NULL,
    charge_key ${column.text} NOT NULL UNIQUE,
    seconds ${column.real},
    amount_micros ${column.integer} NOT NULL,
    created_ms ${column.integer} NOT NULL
  )`
  yield* sql`CREATE INDEX credit_entries_by_organization ON credit_entries (organization_id, id)`

  if (name !== "postgres") return
  // As 0004 made it, with what redaction adds.
  yield* sql`CREATE OR REPLACE FUNCTION earshot_keep_calls(deliveries json) RETURNS TABLE(id bigint, agent_id bigint, call_id text)
    LANGUAGE plpgsql AS $keep$
    #variable_conflict use_column
    BEGIN
    RETURN QUERY WITH given AS MATERIALIZED (
      SELECT * FROM json_to_recordset(deliveries) AS g(organization_id bigint, project_id bigint, agent_id bigint,
        timestamp_ms bigint, duration_s double precision, call_id text, trace_id text, customer_number text,
        call_ended_reason text, feedback text, error_message text, created_ms bigint, metadata jsonb,
        dynamic_variables jsonb, redact_fields text, charge_micros bigint, transcript_type text, transcript text,
        recording jsonb)
    ), kept AS (
      INSERT INTO calls (organization_id, project_id, agent_id, timestamp_ms, duration_s, is_reviewed, call_id, trace_id,
        customer_number, call_ended_reason, feedback, feedback_by_person, error_message, created_ms, updated_ms, metadata,
        dynamic_variables, redact_fields)
      SELECT organization_id, project_id, agent_id, timestamp_ms, duration_s, 0, call_id, trace_id, customer_number,
        call_ended_reason, feedback, 0, error_message, created_ms, created_ms, metadata, dynamic_variables, redact_fields
      FROM given ORDER BY agent_id, call_id
      ON CONFLICT (agent_id, call_id) DO NOTHING RETURNING id, agent_id, call_id
    ), transcripts AS (
      INSERT INTO call_transcripts (call_id, transcript_type, transcript)
      SELECT kept.id, g.transcript_type, g.transcript FROM kept JOIN given g USING (agent_id, call_id)
      WHERE g.transcript IS NOT NULL
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
