import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Permit } from "../../access/Permit.js"
import type { EvaluationValue } from "../../metrics/FormulaResult.js"
import {
  type Evaluation,
  EvaluationStatus,
  type EvaluationSummary,
  type StoredEvaluation
} from "../../metrics/Evaluation.js"
import { EvaluationStore } from "../../metrics/EvaluationStore.js"
import { CallId, JobId, MetricId } from "../../kernel/Ids.js"
import { Dialect } from "./Dialect.js"
import { DIRECTION_COLUMNS, DirectionColumns, toDirection } from "./DirectionColumns.js"
import { jsonRows, type RowOf } from "./JsonRows.js"
import { grouped, readRows } from "./Rows.js"
import { printDetail, StoredDetail } from "./StoredDetail.js"
import { storing } from "./Storing.js"

const EVALUATION_COLUMNS = {
  call_id: "bigint",
  metric_id: "bigint",
  status: "text",
  value_kind: "text",
  value_number: "float8",
  value_text: "text",
  created_ms: "bigint",
  timestamp_ms: "bigint"
} as const

const LATENCIES_COLUMNS = {
  call_id: "bigint",
  metric_id: "bigint",
  timestamp_ms: "bigint",
  latencies: "integer[]"
} as const

const DETAIL_COLUMNS = { call_id: "bigint", metric_id: "bigint", detail: "text" } as const

/** The columns of a value. NaN and infinities are stored as no value. */
export const columnsOf = (value: EvaluationValue) =>
  typeof value === "string"
    ? { value_kind: "text", value_number: null, value_text: value }
    : typeof value === "boolean"
      ? { value_kind: "boolean", value_number: value ? 1 : 0, value_text: null }
      : value !== null && Number.isFinite(value)
        ? { value_kind: "number", value_number: value, value_text: null }
        : { value_kind: "null", value_number: null, value_text: null }

/** The last evaluation of each pair of call and metric: one statement may touch a row once only. */
const lastOfEach = (evaluations: ReadonlyArray<Evaluation>): ReadonlyArray<Evaluation> => {
  const calls = new Map<CallId, Map<MetricId, Evaluation>>()
  for (const one of evaluations) {
    const ofCall = calls.get(one.callId)
    if (ofCall === undefined) calls.set(one.callId, new Map([[one.metricId, one]]))
    else ofCall.set(one.metricId, one)
  }
  return [...calls.values()].flatMap((ofCall) => [...ofCall.values()])
}

/** An evaluation with its metric, of a call or of a run. */
export const EvaluationRow = Schema.Struct({
  metric_id: MetricId,
  name: Schema.String,
  ...DirectionColumns.fields,
  type: Schema.String,
  status: EvaluationStatus,
  value_kind: Schema.Literal("number", "boolean", "text", "null"),
  value_number: Schema.NullOr(Schema.Number),
  value_text: Schema.NullOr(Schema.String),
  detail: Schema.NullOr(StoredDetail)
})

/** `EvaluationRow` without its detail, of evaluations `e` and their metrics `m`. */
export const SHOWN_COLUMNS = `e.metric_id, m.name, ${DIRECTION_COLUMNS}, m.type, e.status, e.value_kind, e.value_number, e.value_text`

const SummaryRow = Schema.Struct({
  call_id: CallId,
  ...EvaluationRow.omit("configuration", "detail", "eval_type", "function_name").fields,
  job: Schema.NullOr(JobId)
})

const valueOf = (
  row: Pick<typeof EvaluationRow.Type, "value_kind" | "value_number" | "value_text">
): EvaluationValue => {
  switch (row.value_kind) {
    case "number":
      return row.value_number
    case "boolean":
      return row.value_number === 1
    case "text":
      return row.value_text
    case "null":
      return null
  }
}

export const toEvaluation = (row: typeof EvaluationRow.Type): StoredEvaluation => ({
  metricId: row.metric_id,
  metricName: row.name,
  slug: row.slug,
  type: row.type,
  better: toDirection(row),
  status: row.status,
  value: valueOf(row),
  detail: row.detail ?? { reason: null, explanation: null, moments: [] }
})

const toSummary = (row: typeof SummaryRow.Type): readonly [CallId, EvaluationSummary] => [
  row.call_id,
  {
    metricId: row.metric_id,
    metricName: row.name,
    slug: row.slug,
    type: row.type,
    status: row.status,
    value: valueOf(row),
    job: row.job
  }
]

export const layer = Layer.effect(
  EvaluationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const { tables } = dialect
    const evaluationsOf = readRows(EvaluationRow, toEvaluation)
    const names = (columns: object) => sql.literal(Object.keys(columns).join(", "))
    const jobOf = sql.literal(dialect.name === "sqlite" ? "d.detail ->> 'job'" : "(d.detail::json ->> 'job')::bigint")
    const summariesOf = readRows(SummaryRow, toSummary)
    const ownedCalls = readRows(
      Schema.Struct({ id: CallId, project_id: Schema.Number, timestamp_ms: Schema.Number }),
      ({ id, project_id, timestamp_ms }) => [id, { project: project_id, timestamp: timestamp_ms }] as const
    )
    const ownedMetrics = readRows(
      Schema.Struct({ id: MetricId, project_id: Schema.Number }),
      ({ id, project_id }) => [id, project_id] as const
    )

    /** Those of these that are the organization's; deleted calls have no row, deleted metrics have. */
    const owned = (permit: Permit, asked: ReadonlyArray<number>) =>
      sql`${dialect.isOneOf("id", [...new Set(asked)])} AND organization_id = ${permit.organizationId}`

    return EvaluationStore.of({
      record: (permit, evaluations, now) =>
        Effect.gen(function* () {
          if (evaluations.length === 0) return []
          const ofCalls = owned(
            permit,
            evaluations.map(({ callId }) => callId)
          )
          const ofMetrics = owned(
            permit,
            evaluations.map(({ metricId }) => metricId)
          )
          // A redelivery that changes the time of a call waits, and changes it in these evaluations too.
          const calls = new Map(
            yield* sql`SELECT id, project_id, timestamp_ms FROM ${tables.calls} WHERE ${ofCalls}
              ORDER BY id ${dialect.forShare}`.pipe(ownedCalls.all)
          )
          const metrics = new Map(
            yield* sql`SELECT id, project_id FROM ${tables.metrics} WHERE ${ofMetrics} AND deleted_ms IS NULL`.pipe(
              ownedMetrics.all
            )
          )
          // Charts of a metric rely on its evaluations being of calls of its project.
          const kept: Array<Evaluation> = []
          const rows: Array<RowOf<typeof EVALUATION_COLUMNS>> = []
          const latencies: Array<RowOf<typeof LATENCIES_COLUMNS>> = []
          const details: Array<RowOf<typeof DETAIL_COLUMNS>> = []
          const created = DateTime.toEpochMillis(now)
          for (const one of lastOfEach(evaluations)) {
            const { answerLatencies, callId, detail, metricId, status = "scored", value } = one
            const call = calls.get(callId)
            if (call === undefined || call.project !== metrics.get(metricId)) continue
            kept.push(one)
            const { value_kind, value_number, value_text } = columnsOf(value)
            rows.push({
              call_id: callId,
              metric_id: metricId,
              status,
              value_kind,
              value_number,
              value_text,
              created_ms: created,
              timestamp_ms: call.timestamp
            })
            if (answerLatencies !== undefined) {
              latencies.push({
                call_id: callId,
                metric_id: metricId,
                timestamp_ms: call.timestamp,
                latencies: answerLatencies
              })
            }
            if (detail !== undefined) {
              details.push({ call_id: callId, metric_id: metricId, detail: printDetail(detail) })
            }
          }
          if (rows.length > 0) {
            yield* sql`INSERT INTO ${tables.metric_evaluations} (${names(EVALUATION_COLUMNS)})
              SELECT ${names(EVALUATION_COLUMNS)} FROM ${jsonRows(sql, dialect, EVALUATION_COLUMNS, rows)} AS given
              WHERE TRUE
              ON CONFLICT (call_id, metric_id) DO UPDATE SET
                status = excluded.status,
                value_kind = excluded.value_kind,
                value_number = excluded.value_number,
                value_text = excluded.value_text,
                created_ms = excluded.created_ms`
          }
          if (latencies.length > 0) {
            yield* sql`INSERT INTO ${tables.answer_latencies} (${names(LATENCIES_COLUMNS)})
              SELECT ${names(LATENCIES_COLUMNS)} FROM ${jsonRows(sql, dialect, LATENCIES_COLUMNS, latencies)} AS given
              WHERE TRUE
              ON CONFLICT (call_id, metric_id) DO UPDATE SET latencies = excluded.latencies`
          }
          if (details.length > 0) {
            yield* sql`INSERT INTO ${tables.metric_evaluation_details} (${names(DETAIL_COLUMNS)})
              SELECT ${names(DETAIL_COLUMNS)} FROM ${jsonRows(sql, dialect, DETAIL_COLUMNS, details)} AS given
              WHERE TRUE
              ON CONFLICT (call_id, metric_id) DO UPDATE SET detail = excluded.detail`
          }
          return kept
        }).pipe(storing("EvaluationStore.record")),
      summaries: (permit, calls) =>
        calls.length === 0
          ? Effect.succeed(new Map())
          : sql`SELECT e.call_id, e.metric_id, m.name, m.slug, m.type, e.status, e.value_kind, e.value_number, e.value_text,
                  ${jobOf} AS job
                FROM ${tables.metric_evaluations} e
                JOIN ${tables.metrics} m ON m.id = e.metric_id
                LEFT JOIN ${tables.metric_evaluation_details} d ON d.call_id = e.call_id AND d.metric_id = e.metric_id
                WHERE ${dialect.isOneOf("e.call_id", calls)} AND m.organization_id = ${permit.organizationId}
                  AND m.deleted_ms IS NULL
                ORDER BY e.call_id, m.display_order, m.id`.pipe(
              summariesOf.all,
              Effect.map(grouped),
              storing("EvaluationStore.summaries")
            ),
      ofCall: (permit, call) =>
        sql`SELECT ${sql.literal(SHOWN_COLUMNS)}, d.detail
            FROM ${tables.metric_evaluations} e
            JOIN ${tables.metrics} m ON m.id = e.metric_id
            LEFT JOIN ${tables.metric_evaluation_details} d ON d.call_id = e.call_id AND d.metric_id = e.metric_id
            WHERE e.call_id = ${call} AND m.organization_id = ${permit.organizationId} AND m.deleted_ms IS NULL
            ORDER BY m.display_order, m.id`.pipe(evaluationsOf.all, storing("EvaluationStore.ofCall"))
    })
  })
)
