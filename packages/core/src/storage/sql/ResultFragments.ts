/** What the statements about results and runs have in common: their conditions, columns and counters. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Permit } from "../../access/Permit.js"
import { MAX_MEASURE } from "../../analytics/AnalyticsQuery.js"
import { Channel } from "../../catalog/Agent.js"
import { AgentId, PhoneNumberId, ProjectId, ResultId, RunId } from "../../kernel/Ids.js"
import { type CapacityChange, RunStatus } from "../../results/RunLifecycle.js"
import type { DialectFragments } from "./Dialect.js"
import { Instant, readRows } from "./Rows.js"
import { runScopeColumns, RUN_COLUMNS, runTables as runTablesOf } from "./RunRows.js"
import { scopePredicate } from "./ScopeSql.js"

export const ResultRow = Schema.Struct({
  id: ResultId,
  name: Schema.String,
  project_id: ProjectId,
  agent_id: AgentId,
  agent_name: Schema.String,
  channel: Channel,
  concurrency_limit: Schema.NullOr(Schema.Int),
  created_ms: Instant,
  updated_ms: Instant
})
export type ResultRow = typeof ResultRow.Type

const RunStateRow = Schema.Struct({
  id: RunId,
  result_id: ResultId,
  status: RunStatus,
  attempts: Schema.Int,
  lease: Schema.NullOr(Schema.String),
  lease_until_ms: Schema.NullOr(Schema.Int)
})

const noChange: CapacityChange = { activeSessions: 0, pendingDemand: 0 }

export const runStates = readRows(RunStateRow, (row) => ({
  id: row.id,
  resultId: row.result_id,
  status: row.status,
  attempts: row.attempts,
  lease: row.lease,
  leaseUntil: row.lease_until_ms
}))

export const numberIds = readRows(Schema.Struct({ id: PhoneNumberId }), ({ id }) => id)

const counters = readRows(
  Schema.Struct({ active_sessions: Schema.Int, pending_demand: Schema.Int }),
  (row): CapacityChange => ({ activeSessions: row.active_sessions, pendingDemand: row.pending_demand })
)

export const runIds = readRows(Schema.Struct({ id: RunId }), ({ id }) => id)

/** The value of an evaluation `x` where it is averaged: sums of very large values overflow. The same limit as in charts. */
export const averaged = (sql: SqlClient): Fragment =>
  sql`CASE WHEN x.value_number BETWEEN ${-MAX_MEASURE} AND ${MAX_MEASURE} THEN x.value_number END`

/** The columns of `result_metrics` except its keys, of evaluations `x` that are put together. */
export const metricTotals = (sql: SqlClient): Fragment =>
  sql`count(*), count(${averaged(sql)}), COALESCE(sum(${averaged(sql)}), 0.0)`

export const resultFragments = (sql: SqlClient, { tables }: DialectFragments) => {
  /** Also results of a project that is being deleted: their runs still hold capacity. */
  const deletable = (permit: Permit) =>
    sql`t.organization_id = ${permit.organizationId} AND t.deleted_ms IS NULL AND ${scopePredicate(sql, permit, runScopeColumns)}`
  const visible = (permit: Permit) =>
    sql`${deletable(permit)} AND t.project_id NOT IN (SELECT id FROM ${tables.projects} WHERE deleted_ms IS NOT NULL)`

  const selectResults = sql`SELECT t.id, t.name, t.project_id, t.agent_id, a.name AS agent_name, t.channel, t.concurrency_limit, t.created_ms,
       t.updated_ms
     FROM ${tables.results} t JOIN ${tables.agents} a ON a.id = t.agent_id`
  const runColumns = sql.literal(RUN_COLUMNS)
  const runStateColumns = sql.literal("u.id, u.result_id, u.status, u.attempts, u.lease, u.lease_until_ms")
  const runTables = runTablesOf(sql, tables)
  const visibleRuns = (permit: Permit) => sql`u.deleted_ms IS NULL AND ${visible(permit)}`

  const move = (permit: Permit, change: CapacityChange) =>
    change.activeSessions === 0 && change.pendingDemand === 0
      ? Effect.void
      : sql`UPDATE ${tables.capacity} SET
              active_sessions = active_sessions + ${change.activeSessions},
              pending_demand = pending_demand + ${change.pendingDemand}
            WHERE organization_id = ${permit.organizationId}`

  const capacityNow = (permit: Permit) =>
    Effect.map(
      sql`SELECT active_sessions, pending_demand FROM ${tables.capacity} WHERE organization_id = ${permit.organizationId}`.pipe(
        counters.first
      ),
      Option.getOrElse(() => noChange)
    )

  /** Writes the aggregates of metrics of these results anew, from the runs that are not deleted. */
  const recountMetrics = (results: Fragment) =>
    Effect.zipRight(
      sql`DELETE FROM ${tables.result_metrics} WHERE result_id IN ${results}`,
      sql`INSERT INTO ${tables.result_metrics} (result_id, metric_id, runs, numbers, total)
          SELECT u.result_id, x.metric_id, ${metricTotals(sql)}
          FROM ${tables.runs} u JOIN ${tables.run_evaluations} x ON x.run_id = u.id
          WHERE u.result_id IN ${results} AND u.deleted_ms IS NULL AND x.value_kind <> 'null'
          GROUP BY u.result_id, x.metric_id`
    )

  return {
    recountMetrics,
    deletable,
    visible,
    visibleRuns,
    selectResults,
    runColumns,
    runStateColumns,
    runTables,
    move,
    capacityNow
  }
}
export type ResultFragments = ReturnType<typeof resultFragments>
