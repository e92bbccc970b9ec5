/** The rows of runs, for the stores that read them. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Schema from "effect/Schema"
import { VoiceBehavior } from "../../catalog/VoiceBehavior.js"
import { Channel } from "../../catalog/Agent.js"
import { ResultId, RunId } from "../../kernel/Ids.js"
import { Run } from "../../results/Result.js"
import { Criterion, RunMoment, type RunOutcome, type RunRecording } from "../../results/RunDetail.js"
import { RunStatus } from "../../results/RunLifecycle.js"
import { Instant, jsonColumn } from "./Rows.js"
import { Flag } from "./Storing.js"
import type { Tables } from "./Tables.js"

export const RunRow = Schema.Struct({
  id: RunId,
  result_id: ResultId,
  scenario_key: Schema.String,
  scenario_name: Schema.String,
  channel: Channel,
  status: RunStatus,
  phone_number: Schema.NullOr(Schema.String),
  attempts: Schema.Int,
  success: Schema.NullOr(Flag),
  duration_s: Schema.NullOr(Schema.Number),
  error: Schema.NullOr(Schema.String),
  started_ms: Schema.NullOr(Instant),
  ended_ms: Schema.NullOr(Instant),
  created_ms: Instant,
  updated_ms: Instant
})

export const toRun = (row: typeof RunRow.Type): Run =>
  new Run({
    id: row.id,
    resultId: row.result_id,
    scenarioKey: row.scenario_key,
    scenarioName: row.scenario_name,
    channel: row.channel,
    status: row.status,
    phoneNumber: row.phone_number,
    attempts: row.attempts,
    success: row.success,
    duration: row.duration_s,
    error: row.error,
    startedAt: row.started_ms,
    endedAt: row.ended_ms,
    createdAt: row.created_ms,
    updatedAt: row.updated_ms
  })

export const OutcomeRow = Schema.Struct({
  ended_reason: Schema.NullOr(Schema.String),
  moments: jsonColumn(Schema.Array(RunMoment)),
  criteria: jsonColumn(Schema.Array(Criterion)),
  voice_behavior: Schema.NullOr(jsonColumn(VoiceBehavior))
})

export const toOutcome = (row: typeof OutcomeRow.Type): RunOutcome => ({
  endedReason: row.ended_reason,
  moments: row.moments,
  criteria: row.criteria,
  voiceBehavior: row.voice_behavior
})

/** Of a run that nothing was noted of. */
export const noOutcome: RunOutcome = { endedReason: null, moments: [], criteria: [], voiceBehavior: null }

/** A run's columns, of `runTables`. */
export const RUN_COLUMNS = `u.id, u.result_id, s.key AS scenario_key, s.name AS scenario_name, u.channel, u.status,
  p.number AS phone_number, u.attempts, u.success, u.duration_s, u.error, u.started_ms, u.ended_ms, u.created_ms, u.updated_ms`

export const runTables = (sql: SqlClient, tables: Tables): Fragment =>
  sql`${tables.runs} u JOIN ${tables.results} t ON t.id = u.result_id
    JOIN ${tables.result_scenarios} s ON s.result_id = u.result_id AND s.position = u.scenario_position
    LEFT JOIN ${tables.phone_numbers} p ON p.id = u.phone_number_id`

/** A result, a project or an agent that a permit is bound to, in `runTables`. */
export const runScopeColumns = { project: "t.project_id", agent: "t.agent_id", result: "t.id" }

/** The columns of `run_recordings`, beside the run's id. */
export const RunRecordingRow = Schema.Struct({
  blob_key: Schema.String,
  content_type: Schema.String,
  size_bytes: Schema.Number,
  sha256: Schema.String,
  duration_s: Schema.NullOr(Schema.Number),
  channels: Schema.NullOr(Schema.Number)
})

export const toRunRecording = (row: typeof RunRecordingRow.Type): RunRecording => ({
  blobKey: row.blob_key,
  contentType: row.content_type,
  sizeBytes: row.size_bytes,
  sha256: row.sha256,
  durationSeconds: row.duration_s,
  channels: row.channels
})
