import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Permit } from "../../access/Permit.js"
import { AgentId, OrganizationId, ProjectId, RunId } from "../../kernel/Ids.js"
import { JsonObject } from "../../kernel/Json.js"
import type { RunRecording } from "../../results/RunDetail.js"
import { EXECUTE_JOB, SCORE_JOB } from "../../results/RunJobs.js"
import { RunWorkStore } from "../../results/RunWorkStore.js"
import { StoredTranscript } from "../../transcripts/StoredTranscript.js"
import { Dialect } from "./Dialect.js"
import { metricTotals, resultFragments } from "./ResultFragments.js"
import { columnsOf, EvaluationRow, SHOWN_COLUMNS, toEvaluation } from "./EvaluationStoreSql.js"
import { scopePredicate } from "./ScopeSql.js"
import { documentText, jsonColumn, readRows } from "./Rows.js"
import { noOutcome, OutcomeRow, runScopeColumns, RUN_COLUMNS, runTables, RunRow, toOutcome, toRun } from "./RunRows.js"
import { printDetail } from "./StoredDetail.js"
import { flag, storing } from "./Storing.js"

const PlayableRow = Schema.Struct({
  ...RunRow.fields,
  agent_id: AgentId,
  project_id: ProjectId,
  script: jsonColumn(JsonObject),
  transcript: Schema.NullOr(StoredTranscript)
})

const StrandedRow = Schema.Struct({
  id: RunId,
  status: Schema.Literal("queued", "evaluating"),
  reason: Schema.NullOr(Schema.String)
})

export const layer = Layer.effect(
  RunWorkStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const columns = sql.literal(RUN_COLUMNS)
    const dialect = yield* Dialect
    const { tables } = dialect
    const { recountMetrics } = resultFragments(sql, dialect)
    const joined = runTables(sql, tables)
    const playable = readRows(PlayableRow, (row) => ({
      run: toRun(row),
      agent: { id: row.agent_id, projectId: row.project_id },
      script: row.script,
      transcript: row.transcript
    }))
    const runIds = readRows(Schema.Struct({ id: RunId }), ({ id }) => id)
    const outcomes = readRows(OutcomeRow, toOutcome)
    const organizations = readRows(Schema.Struct({ organization_id: OrganizationId }), (row) => row.organization_id)
    const strandedRows = readRows(StrandedRow, (row) => row)
    const evaluations = readRows(EvaluationRow, toEvaluation)

    const there = (permit: Permit) =>
      sql`u.organization_id = ${permit.organizationId} AND u.deleted_ms IS NULL AND t.deleted_ms IS NULL
        AND ${scopePredicate(sql, permit, runScopeColumns)}`

    /** From the jobs to the runs, since few are dead and many wait. */
    const strandedRuns = sql`${tables.jobs} j JOIN ${tables.runs} u ON u.id = CAST(j.key AS BIGINT) JOIN ${tables.results} t ON t.id = u.result_id
      WHERE j.state = 'dead' AND j.due_ms IS NULL AND j.key IS NOT NULL
        AND j.kind IN (${EXECUTE_JOB}, ${SCORE_JOB})
        AND ((j.kind = ${EXECUTE_JOB} AND u.status = 'queued') OR (j.kind = ${SCORE_JOB} AND u.status = 'evaluating'))
        AND u.deleted_ms IS NULL AND t.deleted_ms IS NULL`

    const saveRecording = (permit: Permit, run: RunId, recording: RunRecording | null) => {
      const own = sql`SELECT id FROM ${tables.runs} WHERE id = ${run} AND organization_id = ${permit.organizationId}`
      if (recording === null) return Effect.asVoid(sql`DELETE FROM ${tables.run_recordings} WHERE run_id IN (${own})`)
      const { blobKey, channels, contentType, durationSeconds, sha256, sizeBytes } = recording
      return Effect.asVoid(sql`INSERT INTO ${tables.run_recordings}
          (run_id, blob_key, content_type, size_bytes, sha256, duration_s, channels)
        SELECT id, ${blobKey}, ${contentType}, CAST(${sizeBytes} AS BIGINT), ${sha256}, CAST(${durationSeconds} AS DOUBLE PRECISION),
          CAST(${channels} AS BIGINT)
        FROM ${tables.runs} WHERE id = ${run} AND organization_id = ${permit.organizationId}
        ON CONFLICT (run_id) DO UPDATE SET blob_key = excluded.blob_key, content_type = excluded.content_type,
          size_bytes = excluded.size_bytes, sha256 = excluded.sha256, duration_s = excluded.duration_s,
          channels = excluded.channels`)
    }

    return RunWorkStore.of({
      organizationsWithStranded: sql`SELECT DISTINCT u.organization_id FROM ${strandedRuns}
        ORDER BY u.organization_id`.pipe(organizations.all, storing("RunWorkStore.organizationsWithStranded")),
      stranded: (permit) =>
        sql`SELECT u.id, u.status, j.last_error AS reason FROM ${strandedRuns} AND ${there(permit)} ORDER BY u.id`.pipe(
          strandedRows.all,
          storing("RunWorkStore.stranded")
        ),
      runsOf: (permit, result) =>
        sql`SELECT u.id FROM ${tables.runs} u JOIN ${tables.results} t ON t.id = u.result_id
            WHERE u.result_id = ${result} AND ${there(permit)} ORDER BY u.id`.pipe(
          runIds.all,
          storing("RunWorkStore.runsOf")
        ),
      find: (permit, run) =>
        sql`SELECT ${columns}, t.agent_id, t.project_id, s.script, x.transcript
            FROM ${joined} LEFT JOIN ${tables.run_transcripts} x ON x.run_id = u.id
            WHERE u.id = ${run} AND ${there(permit)}`.pipe(playable.first, storing("RunWorkStore.find")),
      outcome: (permit, run) =>
        sql`SELECT o.ended_reason, o.moments, o.criteria, o.voice_behavior FROM ${tables.run_outcomes} o
            JOIN ${tables.runs} u ON u.id = o.run_id JOIN ${tables.results} t ON t.id = u.result_id
            WHERE o.run_id = ${run} AND ${there(permit)}`.pipe(
          outcomes.first,
          Effect.map(Option.getOrElse(() => noOutcome)),
          storing("RunWorkStore.outcome")
        ),
      saveOutcome: (permit, run, { moments, reason, recording, voiceBehavior }) =>
        sql`INSERT INTO ${tables.run_outcomes} (run_id, ended_reason, moments, criteria, voice_behavior)
            SELECT id, ${reason}, ${JSON.stringify(moments)}, '[]', ${documentText(voiceBehavior)} FROM ${tables.runs}
            WHERE id = ${run} AND organization_id = ${permit.organizationId}
            ON CONFLICT (run_id) DO UPDATE SET ended_reason = excluded.ended_reason, moments = excluded.moments,
              voice_behavior = excluded.voice_behavior`.pipe(
          Effect.zipRight(saveRecording(permit, run, recording)),
          storing("RunWorkStore.saveOutcome")
        ),
      saveScores: (permit, run, evaluated, now) =>
        Effect.gen(function* () {
          if (evaluated.length === 0) return
          const [own] = yield* runIds.all(
            sql`SELECT id FROM ${tables.runs} WHERE id = ${run} AND organization_id = ${permit.organizationId}`
          )
          if (own === undefined) return
          const rows = [...new Map(evaluated.map((one) => [one.metric.id, one])).values()].map(
            ({ metric, outcome }) => ({
              run_id: own,
              metric_id: metric.id,
              status: outcome.status,
              ...columnsOf(outcome.value),
              detail: printDetail(outcome.detail),
              created_ms: DateTime.toEpochMillis(now)
            })
          )
          const scored = dialect.isOneOf(
            "x.metric_id",
            rows.map(({ metric_id: id }) => id)
          )
          const replaced = yield* sql`SELECT 1 AS found FROM ${tables.run_evaluations} x
            WHERE x.run_id = ${own} AND ${scored} LIMIT 1`
          yield* sql`INSERT INTO ${tables.run_evaluations} ${sql.insert(rows)}
            ON CONFLICT (run_id, metric_id) DO UPDATE SET
              status = excluded.status,
              value_kind = excluded.value_kind,
              value_number = excluded.value_number,
              value_text = excluded.value_text,
              detail = excluded.detail,
              created_ms = excluded.created_ms`
          if (replaced.length > 0) {
            // A sum of floating-point numbers cannot be taken back: the values that remain are added again.
            yield* recountMetrics(sql`(SELECT result_id FROM ${tables.runs} WHERE id = ${own})`)
            return
          }
          yield* sql`INSERT INTO ${tables.result_metrics} AS known (result_id, metric_id, runs, numbers, total)
            SELECT u.result_id, x.metric_id, ${metricTotals(sql)}
            FROM ${tables.run_evaluations} x JOIN ${tables.runs} u ON u.id = x.run_id
            WHERE x.run_id = ${own} AND ${scored} AND x.value_kind <> 'null' GROUP BY u.result_id, x.metric_id
            ON CONFLICT (result_id, metric_id) DO UPDATE SET runs = known.runs + excluded.runs,
              numbers = known.numbers + excluded.numbers, total = known.total + excluded.total`
        }).pipe(storing("RunWorkStore.saveScores")),
      scores: (permit, run) =>
        sql`SELECT ${sql.literal(SHOWN_COLUMNS)}, e.detail
            FROM ${tables.run_evaluations} e JOIN ${tables.metrics} m ON m.id = e.metric_id
            JOIN ${tables.runs} u ON u.id = e.run_id JOIN ${tables.results} t ON t.id = u.result_id
            WHERE e.run_id = ${run} AND ${there(permit)} AND m.deleted_ms IS NULL
            ORDER BY m.display_order, m.id`.pipe(evaluations.all, storing("RunWorkStore.scores")),
      complete: (permit, run, end, now) =>
        Effect.gen(function* () {
          const at = DateTime.toEpochMillis(now)
          yield* sql`UPDATE ${tables.runs} SET ${sql.update({
            status: end.to,
            success: end.success === null ? null : flag(end.success),
            error: end.error,
            ended_ms: at,
            updated_ms: at
          })} WHERE id = ${run} AND organization_id = ${permit.organizationId}`
          yield* sql`UPDATE ${tables.run_outcomes} SET criteria = ${JSON.stringify(end.criteria)} WHERE run_id = ${run}`
          yield* sql`UPDATE ${tables.results} SET updated_ms = ${at} WHERE id = (SELECT result_id FROM ${tables.runs} WHERE id = ${run})`
        }).pipe(storing("RunWorkStore.complete"))
    })
  })
)
