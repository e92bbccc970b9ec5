/** Reads of results and runs, with the aggregates of runs and metrics. */
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { MetricId, ResultId, RunId } from "../../kernel/Ids.js"
import type * as Pages from "../../kernel/Pages.js"
import { STREAM_PAGE_BYTES } from "../../kernel/StreamPages.js"
import { isBinary } from "../../metrics/MetricTerms.js"
import type { MetricScores, ScenarioScores } from "../../results/Compare.js"
import { evaluateResult } from "../../results/Evaluate.js"
import { Result } from "../../results/Result.js"
import type { ResultStore } from "../../results/ResultStore.js"
import { runDetail } from "../../results/RunDetail.js"
import { RunStatus } from "../../results/RunLifecycle.js"
import * as StoredTranscript from "../../transcripts/StoredTranscript.js"
import type { Permit } from "../../access/Permit.js"
import { hasBudget, reserveBytes } from "../../kernel/ResponseBytes.js"
import { boundedPage, orderOf, sizeOf, sizes } from "./BoundedPage.js"
import type { DialectFragments } from "./Dialect.js"
import { DIRECTION_COLUMNS, DirectionColumns, toDirection } from "./DirectionColumns.js"
import { EvaluationRow, SHOWN_COLUMNS, toEvaluation } from "./EvaluationStoreSql.js"
import { keyset } from "./Keyset.js"
import { growing } from "./Reads.js"
import { averaged, type ResultFragments, ResultRow, runIds } from "./ResultFragments.js"
import { grouped, readRows } from "./Rows.js"
import { DETAIL_GROWTH } from "./StoredDetail.js"
import { noOutcome, OutcomeRow, RunRecordingRow, RunRow, toOutcome, toRun, toRunRecording } from "./RunRows.js"
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
    ...DirectionColumns.fields,
    value_text: Schema.NullOr(Schema.String),
    runs: Schema.Int,
    numbers: Schema.Int,
    total: Schema.Number,
    squares: Schema.Number
  }),
  (row) => row
)

const transcriptRows = readRows(
  Schema.Struct({ run_id: RunId, transcript: StoredTranscript.StoredTranscript }),
  (row) => [row.run_id, row.transcript] as const
)

const outcomeRows = readRows(
  Schema.Struct({ run_id: RunId, ...OutcomeRow.fields }),
  (row) => [row.run_id, toOutcome(row)] as const
)

const recordingRows = readRows(
  Schema.Struct({ run_id: RunId, ...RunRecordingRow.fields }),
  (row) => [row.run_id, toRunRecording(row)] as const
)

const scoreRows = readRows(
  Schema.Struct({ run_id: RunId, ...EvaluationRow.fields }),
  (row) => [row.run_id, toEvaluation(row)] as const
)

const counts = readRows(
  Schema.Struct({ result_id: ResultId, status: RunStatus, success: Schema.Literal(-1, 0, 1), runs: Schema.Int }),
  ({ result_id: id, runs, status, success }) =>
    [id, { status, success: success === -1 ? null : success === 1, runs }] as const
)

const summaries = readRows(
  Schema.Struct({
    result_id: ResultId,
    id: MetricId,
    name: Schema.String,
    ...DirectionColumns.fields,
    runs: Schema.Int,
    average: Schema.NullOr(Schema.Number)
  }),
  ({ average, id, name, result_id: result, runs, ...metric }) =>
    [result, { id, name, better: toDirection(metric), runs, average }] as const
)

const scoreBytes = readRows(Schema.Struct({ bytes: Schema.Number }), (row) => row)

const resultRows = readRows(ResultRow, (row) => row)
const runRows = readRows(RunRow, toRun)

/** @param pageBytes the bytes that pages of lists are bounded by (`PageBytes`) */
export const resultReads = (
  sql: SqlClient,
  dialect: DialectFragments,
  { runColumns, runTables, selectResults, visible, visibleRuns }: ResultFragments,
  pageBytes: number
): Pick<
  ResultStore["Type"],
  "find" | "list" | "findRun" | "listRuns" | "findDetail" | "scores" | "details" | "runsOf"
> => {
  const { tables } = dialect
  const directionColumns = sql.literal(DIRECTION_COLUMNS)
  const evaluationColumns = sql.literal(SHOWN_COLUMNS)
  /** The results of some rows with the aggregates of their runs, in one query each for all of them. */
  const assembled = (rows: ReadonlyArray<ResultRow>) =>
    Effect.gen(function* () {
      if (rows.length === 0) return []
      const isOfThem = dialect.isOneOf(
        "x.result_id",
        rows.map(({ id }) => id)
      )
      const countsOf = grouped(
        yield* counts.all(
          sql`SELECT x.result_id, x.status, x.success, x.runs FROM ${tables.result_counts} x WHERE ${isOfThem} AND x.runs > 0`
        )
      )
      const metricsOf = grouped(
        yield* summaries.all(
          sql`SELECT x.result_id, m.id, m.name, ${directionColumns}, x.runs, CASE WHEN x.numbers > 0 THEN x.total / x.numbers END AS average
              FROM ${tables.result_metrics} x JOIN ${tables.metrics} m ON m.id = x.metric_id
              WHERE ${isOfThem} AND x.runs > 0 ORDER BY m.id`
        )
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
          metrics: metricsOf.get(row.id) ?? [],
          concurrencyLimit: row.concurrency_limit,
          createdAt: row.created_ms,
          updatedAt: row.updated_ms
        })
      })
    })

  /** The bytes of a result in a list: each of its metrics has a name. */
  const resultBytes = sizeOf(
    sql,
    dialect,
    [sql`t.name`, sql`a.name`],
    [sql`(SELECT 200 * count(*) FROM ${tables.result_metrics} x WHERE x.result_id = t.id)`]
  )
  const runBytes = sizeOf(sql, dialect, [sql`s.key`, sql`s.name`, sql`u.error`])

  /** The bytes of what `scenarioScores` reads. */
  const sizeOfScores = (result: ResultId) =>
    sql`SELECT CAST(COALESCE(sum(bytes + 200), 0) AS ${dialect.column.integer}) AS bytes
        FROM (SELECT u.scenario_position, x.metric_id, ${dialect.bytes(sql`x.value_text`)} AS bytes
          FROM ${tables.runs} u JOIN ${tables.run_evaluations} x ON x.run_id = u.id
          WHERE u.result_id = ${result} AND u.deleted_ms IS NULL AND x.value_kind <> 'null'
          GROUP BY u.scenario_position, x.metric_id, x.value_text) AS listed`

  /** Scenarios of a result in order, each with the aggregates of its runs. */
  const scenarioScores = (result: ResultId) =>
    Effect.gen(function* () {
      const scenarios = yield* scenarioCounts.all(
        sql`SELECT s.position, s.key, s.name, u.status, u.success, count(u.id) AS runs
            FROM ${tables.result_scenarios} s
            LEFT JOIN ${tables.runs} u ON u.result_id = s.result_id AND u.scenario_position = s.position AND u.deleted_ms IS NULL
            WHERE s.result_id = ${result} GROUP BY s.position, s.key, s.name, u.status, u.success ORDER BY s.position`
      )
      const value = averaged(sql)
      const summarized = yield* scenarioValues.all(
        sql`SELECT u.scenario_position AS position, m.id, m.name, ${directionColumns},
              x.value_text, count(*) AS runs, count(${value}) AS numbers,
              COALESCE(sum(${value}), 0.0) AS total, COALESCE(sum(${value} * ${value}), 0.0) AS squares
            FROM ${tables.runs} u JOIN ${tables.run_evaluations} x ON x.run_id = u.id JOIN ${tables.metrics} m ON m.id = x.metric_id
            WHERE u.result_id = ${result} AND u.deleted_ms IS NULL AND x.value_kind <> 'null'
            GROUP BY u.scenario_position, m.id, m.name, ${directionColumns}, x.value_text
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
          better: toDirection(row),
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
    [sql`x.transcript`, sql`x.transcript`, sql`o.moments`, sql`o.criteria`, sql`o.voice_behavior`, sql`u.error`],
    [
      sql`(SELECT CAST(COALESCE(SUM(${sql.literal(String(DETAIL_GROWTH))} * ${dialect.bytes(sql`e.detail`)} + 500), 0) AS ${dialect.column.integer})
        FROM ${tables.run_evaluations} e WHERE e.run_id = u.id)`
    ]
  )

  const detailsOf = (permit: Permit, listed: ReadonlyArray<number>) =>
    Effect.gen(function* () {
      const isListed = (column: string) => dialect.isOneOf(column, listed)
      const runs = yield* runRows.all(
        sql`SELECT ${runColumns} FROM ${runTables} WHERE ${isListed("u.id")} AND ${visibleRuns(permit)} ORDER BY u.id`
      )
      const transcripts = new Map(
        yield* transcriptRows.all(
          sql`SELECT run_id, transcript FROM ${tables.run_transcripts} WHERE ${isListed("run_id")}`
        )
      )
      const outcomes = new Map(
        yield* outcomeRows.all(
          sql`SELECT run_id, ended_reason, moments, criteria, voice_behavior FROM ${tables.run_outcomes} WHERE ${isListed("run_id")}`
        )
      )
      const recordings = new Map(
        yield* recordingRows.all(sql`SELECT * FROM ${tables.run_recordings} WHERE ${isListed("run_id")}`)
      )
      const scores = grouped(
        yield* scoreRows.all(
          sql`SELECT e.run_id, ${evaluationColumns}, e.detail
              FROM ${tables.run_evaluations} e JOIN ${tables.metrics} m ON m.id = e.metric_id
              WHERE ${isListed("e.run_id")} AND m.deleted_ms IS NULL ORDER BY m.display_order, m.id`
        )
      )
      return runs.map((run) =>
        runDetail(run, {
          outcome: outcomes.get(run.id) ?? noOutcome,
          transcript: transcripts.get(run.id) ?? null,
          recording: recordings.get(run.id) ?? null,
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
      boundedPage(pageBytes, request, {
        sizes: sql`SELECT t.id, ${resultBytes} AS bytes FROM ${tables.results} t JOIN ${tables.agents} a ON a.id = t.agent_id
            WHERE ${sql.and([
              visible(permit),
              ...(projectId === null ? [] : [sql`t.project_id = ${projectId}`]),
              ...(agentId === null ? [] : [sql`t.agent_id = ${agentId}`])
            ])} AND ${page(request, "t.id")}`,
        rows: (listed) =>
          sql`${selectResults} WHERE ${dialect.isOneOf("t.id", listed)} AND ${visible(permit)}
              ${orderOf(sql, request, "t.id")}`.pipe(resultRows.all, Effect.flatMap(assembled))
      }).pipe(growing("list", permit), storing("ResultStore.list")),
    findRun: (permit, id) =>
      sql`SELECT ${runColumns} FROM ${runTables} WHERE u.id = ${id} AND ${visibleRuns(permit)}`.pipe(
        runRows.first,
        storing("ResultStore.findRun")
      ),
    listRuns: (permit, { resultId, status }, request) =>
      boundedPage(pageBytes, request, {
        sizes: sql`SELECT u.id, ${runBytes} AS bytes FROM ${runTables}
            WHERE ${sql.and([
              visibleRuns(permit),
              // A result's runs are its organization's: that condition would make SQLite scan all runs of the status.
              resultId === null ? sql`u.organization_id = ${permit.organizationId}` : sql`u.result_id = ${resultId}`,
              ...(status === null ? [] : [sql`u.status = ${status}`])
            ])} AND ${page(request, "u.id")}`,
        rows: (listed) =>
          runRows.all(
            sql`SELECT ${runColumns} FROM ${runTables} WHERE ${dialect.isOneOf("u.id", listed)} AND ${visibleRuns(permit)}
                ${orderOf(sql, request, "u.id")}`
          )
      }).pipe(growing("list", permit), storing("ResultStore.listRuns")),
    findDetail: (permit, id) =>
      Effect.gen(function* () {
        if (yield* hasBudget) {
          const [measured] = yield* sizes.all(
            sql`SELECT u.id, ${detailBytes} AS bytes FROM ${runTables} ${detailTables}
                WHERE u.id = ${id} AND ${visibleRuns(permit)}`
          )
          if (measured !== undefined) yield* reserveBytes(measured.bytes)
        }
        return Option.fromNullable((yield* detailsOf(permit, [id]))[0])
      }).pipe(storing("ResultStore.findDetail")),
    scores: (permit, id) =>
      Effect.gen(function* () {
        const found = yield* resultRows.first(sql`${selectResults} WHERE t.id = ${id} AND ${visible(permit)}`)
        if (Option.isNone(found)) return Option.none()
        const { agent_id: agentId, channel, name } = found.value
        if (yield* hasBudget) yield* reserveBytes((yield* scoreBytes.one(sizeOfScores(id))).bytes)
        return Option.some({ id, name, agentId, channel, scenarios: yield* scenarioScores(id) })
      }).pipe(growing("chart", permit), storing("ResultStore.scores")),
    details: (permit, result, request) =>
      boundedPage(STREAM_PAGE_BYTES, request, {
        sizes: sql`SELECT u.id, ${detailBytes} AS bytes FROM ${runTables} ${detailTables}
            WHERE u.result_id = ${result} AND ${visibleRuns(permit)} AND ${page(request, "u.id")}`,
        rows: (listed) => detailsOf(permit, listed)
      }).pipe(growing("export", permit), storing("ResultStore.details")),
    runsOf: (permit, result, ids) =>
      sql`SELECT id FROM ${tables.runs} WHERE ${dialect.isOneOf("id", ids)} AND result_id = ${result}
            AND organization_id = ${permit.organizationId}`.pipe(
        runIds.all,
        Effect.map((found) => new Set(found)),
        storing("ResultStore.runsOf")
      )
  }
}
