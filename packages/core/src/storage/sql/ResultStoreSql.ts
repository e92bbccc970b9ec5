import { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Permit } from "../../access/Permit.js"
import { Channel } from "../../catalog/Agent.js"
import type { StoredEvaluation } from "../../metrics/Evaluation.js"
import { EvalType } from "../../metrics/MetricTerms.js"
import { directionOf } from "../../metrics/Direction.js"
import { AgentId, MetricId, OrganizationId, PhoneNumberId, ProjectId, ResultId, RunId } from "../../kernel/Ids.js"
import { Json, JsonObject } from "../../kernel/Json.js"
import type { PageRequest } from "../../kernel/Pages.js"
import type { MetricScores, ScenarioScores } from "../../results/Compare.js"
import { evaluateResult, type RunCount } from "../../results/Evaluate.js"
import { Result } from "../../results/Result.js"
import { ResultStore } from "../../results/ResultStore.js"
import { runDetail } from "../../results/RunDetail.js"
import { type CapacityChange, capacityChange, openStatuses, RunStatus } from "../../results/RunLifecycle.js"
import * as StoredTranscript from "../../transcripts/StoredTranscript.js"
import { Dialect } from "./Dialect.js"
import { EvaluationRow, toEvaluation } from "./EvaluationStoreSql.js"
import { keyset } from "./Keyset.js"
import { scopePredicate } from "./ScopeSql.js"
import { Instant, jsonColumn, readRows } from "./Rows.js"
import {
  noOutcome,
  OutcomeRow,
  runScopeColumns,
  RUN_COLUMNS,
  runTables as runTablesOf,
  RunRow,
  toOutcome,
  toRun
} from "./RunRows.js"
import { Flag, flag, storing } from "./Storing.js"

const ResultRow = Schema.Struct({
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
type ResultRow = typeof ResultRow.Type

const HeldRow = Schema.Struct({
  id: RunId,
  result_id: ResultId,
  status: RunStatus,
  attempts: Schema.Int,
  lease: Schema.NullOr(Schema.String),
  lease_until_ms: Schema.NullOr(Schema.Int)
})

const noChange: CapacityChange = { activeSessions: 0, pendingDemand: 0 }

export const layer = Layer.effect(
  ResultStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const { tables } = dialect
    const resultRows = readRows(ResultRow, (row) => row)
    const runRows = readRows(RunRow, toRun)
    const heldRows = readRows(HeldRow, (row) => ({
      id: row.id,
      resultId: row.result_id,
      status: row.status,
      attempts: row.attempts,
      lease: row.lease,
      leaseUntil: row.lease_until_ms
    }))
    const resultIds = readRows(Schema.Struct({ id: ResultId }), ({ id }) => id)
    const runIds = readRows(Schema.Struct({ id: RunId }), ({ id }) => id)
    const organizationIds = readRows(Schema.Struct({ id: OrganizationId }), ({ id }) => id)
    const numberIds = readRows(Schema.Struct({ id: PhoneNumberId }), ({ id }) => id)
    const counters = readRows(
      Schema.Struct({ active_sessions: Schema.Int, pending_demand: Schema.Int }),
      (row): CapacityChange => ({ activeSessions: row.active_sessions, pendingDemand: row.pending_demand })
    )
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
    const doomedRows = readRows(
      Schema.Struct({ status: RunStatus, phone_number_id: Schema.NullOr(PhoneNumberId), runs: Schema.Int }),
      (row) => ({ status: row.status, phoneNumberId: row.phone_number_id, runs: row.runs })
    )

    const there = (permit: Permit) =>
      sql`t.organization_id = ${permit.organizationId} AND t.deleted_ms IS NULL AND ${scopePredicate(sql, permit, runScopeColumns)}`

    const selectResults = sql`SELECT t.id, t.name, t.project_id, t.agent_id, a.name AS agent_name, t.channel, t.concurrency_limit, t.created_ms,
         t.updated_ms
       FROM ${tables.results} t JOIN ${tables.agents} a ON a.id = t.agent_id`
    const runColumns = sql.literal(RUN_COLUMNS)
    const heldColumns = sql.literal("u.id, u.result_id, u.status, u.attempts, u.lease, u.lease_until_ms")
    const runTables = runTablesOf(sql, tables)
    const thereRun = (permit: Permit) => sql`u.deleted_ms IS NULL AND ${there(permit)}`

    /** The results of some rows, with what their runs come to; asked for all of them at once. */
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
        const said = yield* summaries.all(
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
            metrics: said
              .filter((one) => one.result_id === row.id)
              .map(({ average, id, name, runs }) => ({ id, name, runs, average })),
            concurrencyLimit: row.concurrency_limit,
            createdAt: row.created_ms,
            updatedAt: row.updated_ms
          })
        })
      })

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

    /** What a deletion meets, of the runs that a condition names. */
    const doomed = (permit: Permit, which: Fragment, others: Fragment) =>
      Effect.gen(function* () {
        const going = yield* doomedRows.all(
          sql`SELECT u.status, u.phone_number_id, count(*) AS runs FROM ${tables.runs} u
              WHERE ${which} AND u.deleted_ms IS NULL AND u.status IN ('queued', 'running')
              GROUP BY u.status, u.phone_number_id`
        )
        const numbers = [...new Set(going.flatMap(({ phoneNumberId }) => phoneNumberId ?? []))]
        const needed =
          numbers.length === 0
            ? []
            : yield* numberIds.all(
                sql`SELECT DISTINCT u.phone_number_id AS id FROM ${tables.runs} u
                    WHERE u.phone_number_id IN ${dialect.integers(numbers)} AND u.deleted_ms IS NULL
                      AND u.status IN ('queued', 'running') AND ${others}`
              )
        return { runsToDelete: going, stillReferenced: new Set(needed), capacity: yield* capacityNow(permit) }
      })

    /** Gives back the numbers of these runs that no run needs any more. */
    const releaseNumbers = (permit: Permit, runs: Fragment) =>
      sql`DELETE FROM ${tables.held_numbers} AS h WHERE organization_id = ${permit.organizationId}
            AND phone_number_id IN (SELECT phone_number_id FROM ${tables.runs} WHERE id IN ${runs})
            AND NOT EXISTS (SELECT 1 FROM ${tables.runs} u WHERE u.phone_number_id = h.phone_number_id
              AND u.deleted_ms IS NULL AND u.status IN ('queued', 'running'))`

    /** Scenarios of a result by their place, each with what its runs came to. */
    const scenarioScores = (result: ResultId) =>
      Effect.gen(function* () {
        const scenarios = yield* scenarioCounts.all(
          sql`SELECT s.position, s.key, s.name, u.status, u.success, count(u.id) AS runs
              FROM ${tables.result_scenarios} s
              LEFT JOIN ${tables.runs} u ON u.result_id = s.result_id AND u.scenario_position = s.position AND u.deleted_ms IS NULL
              WHERE s.result_id = ${result} GROUP BY s.position, s.key, s.name, u.status, u.success ORDER BY s.position`
        )
        const said = yield* scenarioValues.all(
          sql`SELECT u.scenario_position AS position, m.id, m.name, m.slug, m.eval_type, m.function_name, m.configuration,
                x.value_text, count(*) AS runs, count(x.value_number) AS numbers, COALESCE(sum(x.value_number), 0.0) AS total
              FROM ${tables.runs} u JOIN ${tables.run_evaluations} x ON x.run_id = u.id JOIN ${tables.metrics} m ON m.id = x.metric_id
              WHERE u.result_id = ${result} AND u.deleted_ms IS NULL AND x.value_kind <> 'null'
              GROUP BY u.scenario_position, m.id, m.name, m.slug, m.eval_type, m.function_name, m.configuration, x.value_text
              ORDER BY m.id`
        )
        const metricsOf = new Map<number, Map<MetricId, MetricScores>>()
        for (const row of said) {
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
            numbers: row.numbers + (known?.numbers ?? 0),
            sum: row.total + (known?.sum ?? 0),
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

    const page = (request: PageRequest, id: string) => keyset(sql, request, id)

    return ResultStore.of({
      lockCapacity: (permit) =>
        sql`INSERT INTO ${tables.capacity} (organization_id, active_sessions, pending_demand)
            VALUES (${permit.organizationId}, 0, 0) ON CONFLICT DO NOTHING`.pipe(
          Effect.zipRight(
            sql`SELECT organization_id FROM ${tables.capacity} WHERE organization_id = ${permit.organizationId}
                ${dialect.forUpdate}`
          ),
          Effect.asVoid,
          storing("ResultStore.holdCapacity")
        ),
      capacity: (permit) =>
        Effect.gen(function* () {
          const now = yield* capacityNow(permit)
          const [slots] = yield* sql<{ n: number }>`SELECT count(*) AS n FROM ${tables.capacity_slots}
            WHERE organization_id = ${permit.organizationId}`
          const numbers = yield* numberIds.all(
            sql`SELECT phone_number_id AS id FROM ${tables.held_numbers} WHERE organization_id = ${permit.organizationId}
                ORDER BY phone_number_id`
          )
          return { ...now, slotsInUse: slots?.n ?? 0, phoneNumbersHeld: numbers }
        }).pipe(storing("ResultStore.capacity")),
      insert: (permit, result, now) =>
        Effect.gen(function* () {
          const at = DateTime.toEpochMillis(now)
          const id = yield* sql`INSERT INTO ${tables.results} ${sql
            .insert({
              organization_id: permit.organizationId,
              project_id: result.projectId,
              agent_id: result.agentId,
              name: result.name,
              channel: result.channel,
              concurrency_limit: result.concurrencyLimit,
              provider_data: result.providerData === null ? null : JSON.stringify(result.providerData),
              created_by: permit.userId,
              created_ms: at,
              updated_ms: at
            })
            .returning("id")}`.pipe(resultIds.one)
          yield* sql`INSERT INTO ${tables.result_scenarios} ${sql.insert(
            result.scenarios.map(({ key, name, script }, position) => ({
              result_id: id,
              position,
              key,
              name,
              script: JSON.stringify(script)
            }))
          )}`
          const positions = result.scenarios.flatMap(({ frequency }, position) =>
            Array.from({ length: frequency }, () => position)
          )
          yield* sql`INSERT INTO ${tables.runs} (organization_id, result_id, scenario_position, channel, status, phone_number_id,
              attempts, created_ms, updated_ms)
            SELECT ${permit.organizationId}, ${id}, x.value, ${result.channel}, 'queued', ${result.phoneNumberId}, 0,
              ${at}, ${at}
            FROM ${dialect.integers(positions)} x`
          if (result.phoneNumberId !== null) {
            yield* sql`INSERT INTO ${tables.held_numbers} (organization_id, phone_number_id)
              VALUES (${permit.organizationId}, ${result.phoneNumberId}) ON CONFLICT DO NOTHING`
          }
          yield* move(permit, { activeSessions: 0, pendingDemand: positions.length })
          return id
        }).pipe(storing("ResultStore.insert")),
      find: (permit, id) =>
        sql`${selectResults} WHERE t.id = ${id} AND ${there(permit)}`.pipe(
          resultRows.all,
          Effect.flatMap(assembled),
          Effect.map(([result]) => Option.fromNullable(result)),
          storing("ResultStore.find")
        ),
      list: (permit, { agentId, projectId }, request) =>
        sql`${selectResults} WHERE ${sql.and([
          there(permit),
          ...(projectId === null ? [] : [sql`t.project_id = ${projectId}`]),
          ...(agentId === null ? [] : [sql`t.agent_id = ${agentId}`])
        ])} AND ${page(request, "t.id")}`.pipe(resultRows.all, Effect.flatMap(assembled), storing("ResultStore.list")),
      findRun: (permit, id) =>
        sql`SELECT ${runColumns} FROM ${runTables} WHERE u.id = ${id} AND ${thereRun(permit)}`.pipe(
          runRows.first,
          storing("ResultStore.findRun")
        ),
      listRuns: (permit, { resultId, status }, request) =>
        sql`SELECT ${runColumns} FROM ${runTables} WHERE ${sql.and([
          thereRun(permit),
          // A result's runs are its organisation's: to say so would have SQLite go through all of them that are of the status.
          resultId === null ? sql`u.organization_id = ${permit.organizationId}` : sql`u.result_id = ${resultId}`,
          ...(status === null ? [] : [sql`u.status = ${status}`])
        ])} AND ${page(request, "u.id")}`.pipe(runRows.all, storing("ResultStore.listRuns")),
      scores: (permit, id) =>
        Effect.gen(function* () {
          const found = yield* resultRows.first(sql`${selectResults} WHERE t.id = ${id} AND ${there(permit)}`)
          if (Option.isNone(found)) return Option.none()
          const { agent_id: agentId, channel, name } = found.value
          return Option.some({ id, name, agentId, channel, scenarios: yield* scenarioScores(id) })
        }).pipe(storing("ResultStore.scores")),
      details: (permit, result, after, limit) =>
        Effect.gen(function* () {
          const runs = yield* runRows.all(
            sql`SELECT ${runColumns} FROM ${runTables}
                WHERE u.result_id = ${result} AND u.id > ${after ?? 0} AND ${thereRun(permit)} ORDER BY u.id LIMIT ${limit}`
          )
          const ids = dialect.integers(runs.map(({ id }) => id))
          const transcripts = new Map(
            yield* transcriptRows.all(
              sql`SELECT run_id, transcript FROM ${tables.run_transcripts} WHERE run_id IN ${ids}`
            )
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
        }).pipe(storing("ResultStore.details")),
      runsOf: (permit, result, ids) =>
        sql`SELECT id FROM ${tables.runs} WHERE id IN ${dialect.integers(ids)} AND result_id = ${result}
              AND organization_id = ${permit.organizationId}`.pipe(
          runIds.all,
          Effect.map((found) => new Set(found)),
          storing("ResultStore.runsOf")
        ),
      lockResultsForDeletion: (permit, ids) =>
        Effect.gen(function* () {
          const results = yield* resultIds.all(
            sql`SELECT t.id FROM ${tables.results} t WHERE t.id IN ${dialect.integers(ids)} AND ${there(permit)} ORDER BY t.id`
          )
          const those = dialect.integers(results)
          const met = yield* doomed(permit, sql`u.result_id IN ${those}`, sql`u.result_id NOT IN ${those}`)
          return { results, runs: [], ...met }
        }).pipe(storing("ResultStore.doomedResults")),
      lockRunsForDeletion: (permit, result, ids) =>
        Effect.gen(function* () {
          const runs = yield* runIds.all(
            sql`SELECT id FROM ${tables.runs} WHERE id IN ${dialect.integers(ids)} AND result_id = ${result}
                  AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL ORDER BY id`
          )
          const those = dialect.integers(runs)
          const met = yield* doomed(permit, sql`u.id IN ${those}`, sql`u.id NOT IN ${those}`)
          return { results: [], runs, ...met }
        }).pipe(storing("ResultStore.doomedRuns")),
      apply: (permit, plan, now) =>
        Effect.gen(function* () {
          const at = DateTime.toEpochMillis(now)
          const results = dialect.integers(plan.results)
          const runs = dialect.integers(plan.runs)
          const own = sql`organization_id = ${permit.organizationId}`
          if (plan.results.length > 0) {
            yield* sql`UPDATE ${tables.results} SET deleted_ms = ${at} WHERE id IN ${results} AND ${own}`
            // The results are the organisation's, and so are their runs: to say so again would have SQLite go through all of
            // its runs, since it takes an equality to be the narrower condition.
            yield* sql`UPDATE ${tables.runs} SET deleted_ms = ${at}, lease = NULL
              WHERE result_id IN ${results} AND deleted_ms IS NULL`
            if (plan.freedSlots > 0) yield* sql`DELETE FROM ${tables.capacity_slots} WHERE result_id IN ${results}`
          }
          if (plan.runs.length > 0) {
            yield* sql`UPDATE ${tables.runs} SET deleted_ms = ${at}, lease = NULL
              WHERE id IN ${runs} AND deleted_ms IS NULL`
            yield* sql`UPDATE ${tables.results} SET updated_ms = ${at}
              WHERE id IN (SELECT result_id FROM ${tables.runs} WHERE id IN ${runs}) AND ${own}`
            if (plan.freedSlots > 0) yield* sql`DELETE FROM ${tables.capacity_slots} WHERE run_id IN ${runs}`
          }
          if (plan.releasedNumbers.length > 0) {
            yield* sql`DELETE FROM ${tables.held_numbers}
              WHERE phone_number_id IN ${dialect.integers(plan.releasedNumbers)} AND ${own}`
          }
          yield* move(permit, {
            activeSessions: -plan.decrements.activeSessions,
            pendingDemand: -plan.decrements.pendingDemand
          })
        }).pipe(storing("ResultStore.apply")),
      organizationsWithExpiredLeases: (now) =>
        sql`SELECT DISTINCT organization_id AS id FROM ${tables.runs}
            WHERE status = 'running' AND deleted_ms IS NULL AND lease_until_ms <= ${DateTime.toEpochMillis(now)}
            ORDER BY organization_id`.pipe(organizationIds.all, storing("ResultStore.organizationsWithLost")),
      runsWithExpiredLease: (permit, now) =>
        sql`SELECT id, result_id, status, attempts, lease, lease_until_ms FROM ${tables.runs}
            WHERE organization_id = ${permit.organizationId} AND status = 'running' AND deleted_ms IS NULL
              AND lease_until_ms <= ${DateTime.toEpochMillis(now)} ORDER BY id`.pipe(
          heldRows.all,
          storing("ResultStore.lost")
        ),
      startable: (permit, channel, limit) => {
        const waits = (run: string) => sql`${sql.literal(run)}.organization_id = ${permit.organizationId}
          AND ${sql.literal(run)}.channel = ${channel} AND ${sql.literal(run)}.status = 'queued'
          AND ${sql.literal(run)}.deleted_ms IS NULL`
        // What a result may start beside what it has under way; nothing where it is out of reach.
        const room = sql`CASE WHEN ${there(permit)} THEN COALESCE(t.concurrency_limit
          - (SELECT count(*) FROM ${tables.capacity_slots} c WHERE c.result_id = t.id), ${limit}) ELSE 0 END`
        // A walk along an index, a run a step: from a run to the next of its result while there is room, or else to the
        // first of the next result. A result's runs are made at once, so this order is that of their ids. It counts what it
        // takes by itself, since a LIMIT outside is no reason for SQLite to stop walking.
        const taken = sql.literal("w.taken + CASE WHEN w.place <= w.room THEN 1 ELSE 0 END")
        return sql`WITH RECURSIVE walk (id, result_id, place, room, taken) AS (
            SELECT u.id, u.result_id, 1, ${room}, 0 FROM ${tables.runs} u JOIN ${tables.results} t ON t.id = u.result_id
            WHERE u.id = (SELECT f.id FROM ${tables.runs} f WHERE ${waits("f")} ORDER BY f.result_id, f.id LIMIT 1)
            UNION ALL
            SELECT u.id, u.result_id, CASE WHEN u.result_id = w.result_id THEN w.place + 1 ELSE 1 END, ${room}, ${taken}
            FROM walk w
            JOIN ${tables.runs} u ON u.id = COALESCE(
              CASE WHEN w.place < w.room THEN (SELECT n.id FROM ${tables.runs} n
                WHERE ${waits("n")} AND n.result_id = w.result_id AND n.id > w.id ORDER BY n.id LIMIT 1) END,
              (SELECT n.id FROM ${tables.runs} n
                WHERE ${waits("n")} AND n.result_id > w.result_id ORDER BY n.result_id, n.id LIMIT 1))
            JOIN ${tables.results} t ON t.id = u.result_id
            WHERE ${taken} < ${limit}
          )
          SELECT id FROM walk WHERE place <= room ORDER BY id`.pipe(runIds.all, storing("ResultStore.startable"))
      },
      openRuns: (permit, result) =>
        sql`SELECT ${heldColumns} FROM ${tables.runs} u JOIN ${tables.results} t ON t.id = u.result_id
            WHERE u.result_id = ${result} AND ${sql.in("u.status", openStatuses)} AND ${thereRun(permit)}
            ORDER BY u.id`.pipe(heldRows.all, storing("ResultStore.openRuns")),
      findRunForUpdate: (permit, id) =>
        sql`SELECT ${heldColumns} FROM ${tables.runs} u JOIN ${tables.results} t ON t.id = u.result_id
            WHERE u.id = ${id} AND ${thereRun(permit)}`.pipe(heldRows.first, storing("ResultStore.holdRun")),
      start: (permit, runs, { token, until }, now) =>
        Effect.gen(function* () {
          const at = DateTime.toEpochMillis(now)
          const those = dialect.integers(runs)
          yield* sql`UPDATE ${tables.runs} SET status = 'running', attempts = attempts + 1, lease = ${token},
              lease_until_ms = ${until}, started_ms = ${at}, updated_ms = ${at}
            WHERE id IN ${those} AND organization_id = ${permit.organizationId}`
          yield* sql`INSERT INTO ${tables.capacity_slots} (run_id, result_id, organization_id)
            SELECT id, result_id, organization_id FROM ${tables.runs} WHERE id IN ${those}`
          yield* move(permit, capacityChange("queued", "running", runs.length))
          const started = yield* runRows.all(
            sql`SELECT ${runColumns} FROM ${runTables} WHERE u.id IN ${those} ORDER BY u.id`
          )
          const scripts = new Map(
            yield* scriptRows.all(sql`SELECT u.id, s.script, t.provider_data FROM ${runTables} WHERE u.id IN ${those}`)
          )
          return started.map((run) => ({
            run,
            lease: token,
            leaseExpiresAt: until,
            script: scripts.get(run.id)?.script ?? {},
            providerData: scripts.get(run.id)?.providerData ?? null
          }))
        }).pipe(storing("ResultStore.start")),
      extendLease: (permit, run, until) =>
        sql`UPDATE ${tables.runs} SET lease_until_ms = ${until}
            WHERE id = ${run} AND organization_id = ${permit.organizationId}`.pipe(
          Effect.asVoid,
          storing("ResultStore.prolong")
        ),
      requeue: (permit, runs, now) =>
        Effect.gen(function* () {
          const those = dialect.integers(runs)
          yield* sql`UPDATE ${tables.runs} SET status = 'queued', lease = NULL, lease_until_ms = NULL, started_ms = NULL,
              updated_ms = ${DateTime.toEpochMillis(now)}
            WHERE id IN ${those} AND organization_id = ${permit.organizationId}`
          yield* sql`DELETE FROM ${tables.capacity_slots} WHERE run_id IN ${those}`
          yield* move(permit, capacityChange("running", "queued", runs.length))
        }).pipe(storing("ResultStore.requeue")),
      end: (permit, runs, from, end, now) =>
        Effect.gen(function* () {
          const at = DateTime.toEpochMillis(now)
          const those = dialect.integers(runs)
          const isOver = end.to !== "evaluating"
          yield* sql`UPDATE ${tables.runs} SET ${sql.update({
            status: end.to,
            lease: null,
            lease_until_ms: null,
            success: end.success === null ? null : flag(end.success),
            ...(end.durationSeconds === null ? {} : { duration_s: end.durationSeconds }),
            error: end.error,
            updated_ms: at,
            ...(isOver ? { ended_ms: at } : {})
          })} WHERE id IN ${those} AND organization_id = ${permit.organizationId}`
          yield* sql`UPDATE ${tables.results} SET updated_ms = ${at}
            WHERE id IN (SELECT result_id FROM ${tables.runs} WHERE id IN ${those})`
          if (end.transcript !== null) {
            yield* sql`INSERT INTO ${tables.run_transcripts} ${sql.insert(
              runs.map((run_id) => ({
                run_id,
                transcript_type: end.transcript?.type ?? "",
                transcript: end.transcript === null ? "" : StoredTranscript.print(end.transcript.turns)
              }))
            )}`
          }
          yield* sql`DELETE FROM ${tables.capacity_slots} WHERE run_id IN ${those}`
          yield* move(permit, capacityChange(from, end.to, runs.length))
          yield* releaseNumbers(permit, those)
        }).pipe(storing("ResultStore.end"))
    })
  })
)

const scenarioCounts = readRows(
  Schema.Struct({
    position: Schema.Int,
    key: Schema.String,
    name: Schema.String,
    /** Null for a scenario whose runs are all gone. */
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
    total: Schema.Number
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

const scriptRows = readRows(
  Schema.Struct({
    id: RunId,
    script: jsonColumn(JsonObject),
    provider_data: Schema.NullOr(jsonColumn(JsonObject))
  }),
  (row) => [row.id, { script: row.script, providerData: row.provider_data }] as const
)
