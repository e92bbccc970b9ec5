/** Reads of results and runs, with the aggregates of runs and metrics. */
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { MetricId, ResultId, RunId } from "../../kernel/Ids.js"
import { Json } from "../../kernel/Json.js"
import * as Pages from "../../kernel/Pages.js"
import { STREAM_PAGE_BYTES } from "../../kernel/StreamPages.js"
import { directionOf } from "../../metrics/Direction.js"
import type { StoredEvaluation } from "../../metrics/Evaluation.js"
import { EvalType, isBinary } from "../../metrics/MetricTerms.js"
import type { MetricScores, ScenarioScores } from "../../results/Compare.js"
import { evaluateResult, type RunCount } from "../../results/Evaluate.js"
import { Result } from "../../results/Result.js"
import type { ResultStore } from "../../results/ResultStore.js"
import { runDetail } from "../../results/RunDetail.js"
import { RunStatus } from "../../results/RunLifecycle.js"
import * as StoredTranscript from "../../transcripts/StoredTranscript.js"
import type { Permit } from "../../access/Permit.js"
import { boundedPage, sizeOf } from "./BoundedPage.js"
import type { DialectFragments } from "./Dialect.js"
import { EvaluationRow, toEvaluation } from "./EvaluationStoreSql.js"
import { keyset } from "./Keyset.js"
import { type ResultFragments, ResultRow } from "./ResultFragments.js"
import { runIds } from "./ResultFragments.js"
import { jsonColumn, readRows } from "./Rows.js"
import { noOutcome, OutcomeRow, RunRow, toOutcome, toRun } from "./RunRows.js"
import { Flag, storing } from "./Storing.js"

const scenarioCounts = readRows(
  Schema.Struct({
    position: Schema.Int,
    key: Schema.String,
    name: Schema.String,
    /** Null for a scenario whose runs are all deleted. */
    status: Schema.NullOr(RunStatus),
    success: Schema.NullOr(Flag),
    runs: Schema.Int
  }),
  (row) => row
)

const scenarioValues = readRows(
  Schema.Struct({
    position: Schema.Int,
    id: MetricId,
    name: Schema.String,
    slug: Schema.NullOr(Schema.String),
    eval_type: EvalType,
    function_name: Schema.String,
    configuration: Schema.NullishOr(jsonColumn(Json)),
    value_text: Schema.NullOr(Schema.String),
    runs: Schema.Int,
    numbers: Schema.Int,
    total: Schema.Number,
    squares: Schema.Number
  }),
  ({ configuration, ...row }) => ({ ...row, configuration: configuration ?? null })
)

const transcriptRows = readRows(
  Schema.Struct({ run_id: RunId, transcript: StoredTranscript.StoredTranscript }),
  (row) => [row.run_id, row.transcript] as const
)

const outcomeRows = readRows(
  Schema.Struct({ run_id: RunId, ...OutcomeRow.fields }),
  (row) => [row.run_id, toOutcome(row)] as const
)

const scoreRows = readRows(Schema.Struct({ run_id: RunId, ...EvaluationRow.fields }), (row) => ({
  runId: row.run_id,
  evaluation: toEvaluation(row)
}))

const counts = readRows(
  Schema.Struct({
    result_id: ResultId,
    status: RunStatus,
    success: Schema.NullOr(Flag),
    runs: Schema.Int
  }),
  (row) => row
)

const summaries = readRows(
  Schema.Struct({
    result_id: ResultId,
    id: MetricId,
    name: Schema.String,
    runs: Schema.Int,
    average: Schema.NullOr(Schema.Number)
  }),
  (row) => row
)

const resultRows = readRows(ResultRow, (row) => row)
const runRows = readRows(RunRow, toRun)

export const resultReads = (
  sql: SqlClient,
  dialect: DialectFragments,
  { runColumns, runTables, selectResults, visible, visibleRuns }: ResultFragments
): Pick<ResultStore["Type"], "find" | "list" | "findRun" | "listRuns" | "scores" | "details" | "runsOf"> => {
  const { tables } = dialect
  /** The results of some rows with the aggregates of their runs, in one query each for all of them. */
  const assembled = (rows: ReadonlyArray<ResultRow>) =>
    Effect.gen(function* () {
      if (rows.length === 0) return []
      const ids = dialect.integers(rows.map(({ id }) => id))
      const countsOf = new Map<ResultId, Array<RunCount>>()
      for (const { result_id: id, ...count } of yield* counts.all(
        sql`SELECT result_id, status, success, count(*) AS runs FROM ${tables.runs}
            WHERE result_id IN ${ids} AND deleted_ms IS NULL GROUP BY result_id, status, success`
      )) {
        const known = countsOf.get(id)
        if (known === undefined) countsOf.set(id, [count])
        else known.push(count)
      }
      const summarized = yield* summaries.all(
        sql`SELECT u.result_id, m.id, m.name, count(*) AS runs, avg(x.value_number) AS average FROM ${tables.run_evaluations} x
            JOIN ${tables.runs} u ON u.id = x.run_id AND u.deleted_ms IS NULL
            JOIN ${tables.metrics} m ON m.id = x.metric_id
            WHERE u.result_id IN ${ids} AND x.value_kind <> 'null' GROUP BY u.result_id, m.id, m.name ORDER BY m.id`
      )
      return rows.map((row) => {
        const evaluation = evaluateResult(countsOf.get(row.id) ?? [])
        return new Result({
          id: row.id,
          name: row.name,
          projectId: row.project_id,
          agentId: row.agent_id,
          agentName: row.agent_name,
          channel: row.channel,
          status: evaluation.status,
          totalRuns: evaluation.totalRuns,
          runsByStatus: evaluation.runsByStatus,
          successRate: evaluation.successRate,
          success: evaluation.success,
          metrics: summarized
            .filter((one) => one.result_id === row.id)
            .map(({ average, id, name, runs }) => ({ id, name, runs, average })),
          concurrencyLimit: row.concurrency_limit,
          createdAt: row.created_ms,
          updatedAt: row.updated_ms
        })
      })
    })

  /** Scenarios of a result in order, each with the aggregates of its runs. */
  const scenarioScores = (result: ResultId) =>
    Effect.gen(function* () {
      const scenarios = yield* scenarioCounts.all(
        sql`SELECT s.position, s.key, s.name, u.status, u.success, count(u.id) AS runs
            FROM ${tables.result_scenarios} s
            LEFT JOIN ${tables.runs} u ON u.result_id = s.result_id AND u.scenario_position = s.position AND u.deleted_ms IS NULL
            WHERE s.result_id = ${result} GROUP BY s.position, s.key, s.name, u.status, u.success ORDER BY s.position`
      )
      const summarized = yield* scenarioValues.all(
        sql`SELECT u.scenario_position AS position, m.id, m.name, m.slug, m.eval_type, m.function_name, m.configuration,
              x.value_text, count(*) AS runs, count(x.value_number) AS numbers, COALESCE(sum(x.value_number), 0.0) AS total,
              COALESCE(sum(x.value_number * x.value_number), 0.0) AS squares
            FROM ${tables.runs} u JOIN ${tables.run_evaluations} x ON x.run_id = u.id JOIN ${tables.metrics} m ON m.id = x.metric_id
            WHERE u.result_id = ${result} AND u.deleted_ms IS NULL AND x.value_kind <> 'null'
            GROUP BY u.scenario_position, m.id, m.name, m.slug, m.eval_type, m.function_name, m.configuration, x.value_text
            ORDER BY m.id`
      )
      const metricsOf = new Map<number, Map<MetricId, MetricScores>>()
      for (const row of summarized) {
        const metrics = metricsOf.get(row.position) ?? new Map<MetricId, MetricScores>()
        metricsOf.set(row.position, metrics)
        const known = metrics.get(row.id)
        const words = new Map(known?.words)
        if (row.value_text !== null) words.set(row.value_text, row.runs)
        metrics.set(row.id, {
          id: row.id,
          name: row.name,
          better: directionOf({
            slug: row.slug,
            evalType: row.eval_type,
            functionName: row.function_name,
            configuration: row.configuration
          }),
          isBinary: isBinary(row.eval_type),
          numbers: row.numbers + (known?.numbers ?? 0),
          sum: row.total + (known?.sum ?? 0),
          squares: row.squares + (known?.squares ?? 0),
          words
        })
      }
      const all = new Map<number, ScenarioScores>()
      for (const { key, name, position, runs, status, success } of scenarios) {
        const counts = all.get(position)?.counts ?? []
        all.set(position, {
          key,
          name,
          counts: status === null ? counts : [...counts, { status, success, runs }],
          metrics: [...(metricsOf.get(position)?.values() ?? [])]
        })
      }
      return [...all.values()]
    })

  /** What the details of a run `u` are read from, and their bytes in a response: a transcript is in it twice. */
  const detailTables = sql`LEFT JOIN ${tables.run_transcripts} x ON x.run_id = u.id LEFT JOIN ${tables.run_outcomes} o ON o.run_id = u.id`
  const detailBytes = sizeOf(
    sql,
    dialect,
    [sql`x.transcript`, sql`x.transcript`, sql`o.moments`, sql`o.criteria`, sql`u.error`],
    [
      sql`(SELECT CAST(COALESCE(SUM(${dialect.bytes(sql`e.detail`)} + 500), 0) AS ${dialect.column.integer})
        FROM ${tables.run_evaluations} e WHERE e.run_id = u.id)`
    ]
  )

  const detailsOf = (permit: Permit, listed: ReadonlyArray<number>) =>
    Effect.gen(function* () {
      const ids = dialect.integers(listed)
      const runs = yield* runRows.all(
        sql`SELECT ${runColumns} FROM ${runTables} WHERE u.id IN ${ids} AND ${visibleRuns(permit)} ORDER BY u.id`
      )
      const transcripts = new Map(
        yield* transcriptRows.all(sql`SELECT run_id, transcript FROM ${tables.run_transcripts} WHERE run_id IN ${ids}`)
      )
      const outcomes = new Map(
        yield* outcomeRows.all(
          sql`SELECT run_id, ended_reason, moments, criteria FROM ${tables.run_outcomes} WHERE run_id IN ${ids}`
        )
      )
      const scores = new Map<RunId, Array<StoredEvaluation>>()
      for (const { evaluation, runId } of yield* scoreRows.all(
        sql`SELECT e.run_id, e.metric_id, m.name, m.slug, m.type, e.status, e.value_kind, e.value_number, e.value_text,
                e.detail
              FROM ${tables.run_evaluations} e JOIN ${tables.metrics} m ON m.id = e.metric_id
              WHERE e.run_id IN ${ids} AND m.deleted_ms IS NULL ORDER BY m.display_order, m.id`
      )) {
        const known = scores.get(runId)
        if (known === undefined) scores.set(runId, [evaluation])
        else known.push(evaluation)
      }
      return runs.map((run) =>
        runDetail(run, {
          outcome: outcomes.get(run.id) ?? noOutcome,
          transcript: transcripts.get(run.id) ?? null,
          scores: scores.get(run.id) ?? []
        })
      )
    })

  const page = (request: Pages.PageRequest, id: string) => keyset(sql, request, id)

  return {
    find: (permit, id) =>
      sql`${selectResults} WHERE t.id = ${id} AND ${visible(permit)}`.pipe(
        resultRows.all,
        Effect.flatMap(assembled),
        Effect.map(([result]) => Option.fromNullable(result)),
        storing("ResultStore.find")
      ),
    list: (permit, { agentId, projectId }, request) =>
      sql`${selectResults} WHERE ${sql.and([
        visible(permit),
        ...(projectId === null ? [] : [sql`t.project_id = ${projectId}`]),
        ...(agentId === null ? [] : [sql`t.agent_id = ${agentId}`])
      ])} AND ${page(request, "t.id")}`.pipe(
        resultRows.all,
        Effect.flatMap(assembled),
        Effect.map((rows) => Pages.found(request, rows)),
        storing("ResultStore.list")
      ),
    findRun: (permit, id) =>
      sql`SELECT ${runColumns} FROM ${runTables} WHERE u.id = ${id} AND ${visibleRuns(permit)}`.pipe(
        runRows.first,
        storing("ResultStore.findRun")
      ),
    listRuns: (permit, { resultId, status }, request) =>
      sql`SELECT ${runColumns} FROM ${runTables} WHERE ${sql.and([
        visibleRuns(permit),
        // A result's runs are its organization's: that condition would make SQLite scan all runs of the status.
        resultId === null ? sql`u.organization_id = ${permit.organizationId}` : sql`u.result_id = ${resultId}`,
        ...(status === null ? [] : [sql`u.status = ${status}`])
      ])} AND ${page(request, "u.id")}`.pipe(
        runRows.all,
        Effect.map((rows) => Pages.found(request, rows)),
        storing("ResultStore.listRuns")
      ),
    scores: (permit, id) =>
      Effect.gen(function* () {
        const found = yield* resultRows.first(sql`${selectResults} WHERE t.id = ${id} AND ${visible(permit)}`)
        if (Option.isNone(found)) return Option.none()
        const { agent_id: agentId, channel, name } = found.value
        return Option.some({ id, name, agentId, channel, scenarios: yield* scenarioScores(id) })
      }).pipe(storing("ResultStore.scores")),
    details: (permit, result, request) =>
      boundedPage(STREAM_PAGE_BYTES, request, {
        sizes: sql`SELECT u.id, ${detailBytes} AS bytes FROM ${runTables} ${detailTables}
            WHERE u.result_id = ${result} AND ${visibleRuns(permit)} AND ${page(request, "u.id")}`,
        rows: (listed) => detailsOf(permit, listed)
      }).pipe(storing("ResultStore.details")),
    runsOf: (permit, result, ids) =>
      sql`SELECT id FROM ${tables.runs} WHERE id IN ${dialect.integers(ids)} AND result_id = ${result}
            AND organization_id = ${permit.organizationId}`.pipe(
        runIds.all,
        Effect.map((found) => new Set(found)),
        storing("ResultStore.runsOf")
      )
  }
}
