import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/**
 * On PostgreSQL, what keeps the new ones of many delivered calls and answers which they were. It is a function because
 * the server plans a function's statement once a connection, and a statement of the driver's every time: planning this
 * one takes as long as running it for a single call. Keys are inserted in their order, or two writers with the same ones
 * could wait for each other.
 */
export const keepCalls = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { name } = yield* Dialect
  if (name !== "postgres") return
  yield* sql`CREATE FUNCTION earshot_keep_calls(deliveries json) RETURNS TABLE(id bigint, agent_id bigint, call_id text)
    LANGUAGE plpgsql AS $keep$
    #variable_conflict use_column
    BEGIN
    RETURN QUERY WITH given AS MATERIALIZED (
      SELECT * FROM json_to_recordset(deliveries) AS g(organization_id bigint, project_id bigint, agent_id bigint,
        timestamp_ms bigint, duration_s double precision, call_id text, trace_id text, customer_number text,
        call_ended_reason text, feedback text, error_message text, created_ms bigint, metadata jsonb,
        dynamic_variables jsonb, transcript_type text, transcript text, recording jsonb)
    ), kept AS (
      INSERT INTO calls (organization_id, project_id, agent_id, timestamp_ms, duration_s, is_reviewed, call_id, trace_id,
        customer_number, call_ended_reason, feedback, feedback_by_person, error_message, created_ms, updated_ms, metadata,
        dynamic_variables)
      SELECT organization_id, project_id, agent_id, timestamp_ms, duration_s, 0, call_id, trace_id, customer_number,
        call_ended_reason, feedback, 0, error_message, created_ms, created_ms, metadata, dynamic_variables
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
    )
    SELECT id, agent_id, call_id FROM kept;
    END
    $keep$`
})
