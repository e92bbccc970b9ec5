import { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Permit } from "../../access/Permit.js"
import { Channel } from "../../catalog/Agent.js"
import { AgentId, MetricId, PhoneNumberId, ProjectId, ResultId, RunId } from "../../kernel/Ids.js"
import { JsonObject } from "../../kernel/Json.js"
import type { PageRequest } from "../../kernel/Pages.js"
import { evaluateResult, type RunCount } from "../../results/Evaluate.js"
import { Result, Run } from "../../results/Result.js"
import { ResultStore } from "../../results/ResultStore.js"
import { type CapacityChange, capacityChange, RunStatus } from "../../results/RunLifecycle.js"
import * as StoredTranscript from "../../transcripts/StoredTranscript.js"
import { Dialect } from "./Dialect.js"
import { keyset } from "./Keyset.js"
import { within } from "./Reach.js"
import { Instant, jsonColumn, readRows } from "./Rows.js"
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

const RunRow = Schema.Struct({
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

const toRun = (row: typeof RunRow.Type): Run =>
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

const HeldRow = Schema.Struct({
  id: RunId,
  result_id: ResultId,
  status: RunStatus,
  attempts: Schema.Int,
  lease: Schema.NullOr(Schema.String)
})

/** A result, a project or an agent that a permit is bound to. */
const reach = { project: "t.project_id", agent: "t.agent_id", result: "t.id" }

const noChange: CapacityChange = { activeSessions: 0, pendingDemand: 0 }

export const layer = Layer.effect(
  ResultStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const resultRows = readRows(ResultRow, (row) => row)
    const runRows = readRows(RunRow, toRun)
    const heldRows = readRows(HeldRow, (row) => ({
      id: row.id,
      resultId: row.result_id,
      status: row.status,
      attempts: row.attempts,
      lease: row.lease
    }))
    const resultIds = readRows(Schema.Struct({ id: ResultId }), ({ id }) => id)
    const runIds = readRows(Schema.Struct({ id: RunId }), ({ id }) => id)
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
      sql`t.organization_id = ${permit.organizationId} AND t.deleted_ms IS NULL AND ${within(sql, permit, reach)}`

    const selectResults = sql.literal(
      `SELECT t.id, t.name, t.project_id, t.agent_id, a.name AS agent_name, t.channel, t.concurrency_limit, t.created_ms,
         t.updated_ms
       FROM results t JOIN agents a ON a.id = t.agent_id`
    )
    const runColumns = sql.literal(
      `u.id, u.result_id, s.key AS scenario_key, s.name AS scenario_name, u.channel, u.status, p.number AS phone_number,
       u.attempts, u.success, u.duration_s, u.error, u.started_ms, u.ended_ms, u.created_ms, u.updated_ms`
    )
    const runTables = sql.literal(
      `runs u JOIN results t ON t.id = u.result_id
       JOIN result_scenarios s ON s.result_id = u.result_id AND s.position = u.scenario_position
       LEFT JOIN phone_numbers p ON p.id = u.phone_number_id`
    )
    const thereRun = (permit: Permit) => sql`u.deleted_ms IS NULL AND ${there(permit)}`

    /** The results of some rows, with what their runs come to; asked for all of them at once. */
    const assembled = (rows: ReadonlyArray<ResultRow>) =>
      Effect.gen(function* () {
        if (rows.length === 0) return []
        const ids = dialect.integers(rows.map(({ id }) => id))
        const countsOf = new Map<ResultId, Array<RunCount>>()
        for (const { result_id: id, ...count } of yield* counts.all(
          sql`SELECT result_id, status, success, count(*) AS runs FROM runs
              WHERE result_id IN ${ids} AND deleted_ms IS NULL GROUP BY result_id, status, success`
        )) {
          const known = countsOf.get(id)
          if (known === undefined) countsOf.set(id, [count])
          else known.push(count)
        }
        const said = yield* summaries.all(
          sql`SELECT u.result_id, m.id, m.name, count(*) AS runs, avg(x.value_number) AS average FROM run_evaluations x
              JOIN runs u ON u.id = x.run_id AND u.deleted_ms IS NULL
              JOIN metrics m ON m.id = x.metric_id
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
        : sql`UPDATE capacity SET
                active_sessions = active_sessions + ${change.activeSessions},
                pending_demand = pending_demand + ${change.pendingDemand}
              WHERE organization_id = ${permit.organizationId}`

    const capacityNow = (permit: Permit) =>
      Effect.map(
        sql`SELECT active_sessions, pending_demand FROM capacity WHERE organization_id = ${permit.organizationId}`.pipe(
          counters.first
        ),
        Option.getOrElse(() => noChange)
      )

    /** What a deletion meets, of the runs that a condition names. */
    const doomed = (permit: Permit, which: Fragment, others: Fragment) =>
      Effect.gen(function* () {
        const going = yield* doomedRows.all(
          sql`SELECT u.status, u.phone_number_id, count(*) AS runs FROM runs u
              WHERE ${which} AND u.deleted_ms IS NULL AND u.status IN ('queued', 'running')
              GROUP BY u.status, u.phone_number_id`
        )
        const numbers = [...new Set(going.flatMap(({ phoneNumberId }) => phoneNumberId ?? []))]
        const needed =
          numbers.length === 0
            ? []
            : yield* numberIds.all(
                sql`SELECT DISTINCT u.phone_number_id AS id FROM runs u
                    WHERE u.phone_number_id IN ${dialect.integers(numbers)} AND u.deleted_ms IS NULL
                      AND u.status IN ('queued', 'running') AND ${others}`
              )
        return { doomed: going, neededElsewhere: new Set(needed), capacity: yield* capacityNow(permit) }
      })

    /** Gives back the numbers of these runs that no run needs any more. */
    const releaseNumbers = (permit: Permit, runs: Fragment) =>
      sql`DELETE FROM held_numbers WHERE organization_id = ${permit.organizationId}
            AND phone_number_id IN (SELECT phone_number_id FROM runs WHERE id IN ${runs})
            AND NOT EXISTS (SELECT 1 FROM runs u WHERE u.phone_number_id = held_numbers.phone_number_id
              AND u.deleted_ms IS NULL AND u.status IN ('queued', 'running'))`

    const page = (request: PageRequest, id: string) => keyset(sql, request, id)

    return ResultStore.of({
      holdCapacity: (permit) =>
        sql`INSERT INTO capacity (organization_id, active_sessions, pending_demand)
            VALUES (${permit.organizationId}, 0, 0) ON CONFLICT DO NOTHING`.pipe(
          Effect.zipRight(
            sql`SELECT organization_id FROM capacity WHERE organization_id = ${permit.organizationId}
                ${dialect.forUpdate}`
          ),
          Effect.asVoid,
          storing("ResultStore.holdCapacity")
        ),
      capacity: (permit) =>
        Effect.gen(function* () {
          const now = yield* capacityNow(permit)
          const [slots] = yield* sql<{ n: number }>`SELECT count(*) AS n FROM capacity_slots
            WHERE organization_id = ${permit.organizationId}`
          const numbers = yield* numberIds.all(
            sql`SELECT phone_number_id AS id FROM held_numbers WHERE organization_id = ${permit.organizationId}
                ORDER BY phone_number_id`
          )
          return { ...now, slotsInUse: slots?.n ?? 0, phoneNumbersHeld: numbers }
        }).pipe(storing("ResultStore.capacity")),
      insert: (permit, result, now) =>
        Effect.gen(function* () {
          const at = DateTime.toEpochMillis(now)
          const id = yield* sql`INSERT INTO results ${sql
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
          yield* sql`INSERT INTO result_scenarios ${sql.insert(
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
          yield* sql`INSERT INTO runs (organization_id, result_id, scenario_position, channel, status, phone_number_id,
              attempts, created_ms, updated_ms)
            SELECT ${permit.organizationId}, ${id}, x.value, ${result.channel}, 'queued', ${result.phoneNumberId}, 0,
              ${at}, ${at}
            FROM ${dialect.integers(positions)} x`
          if (result.phoneNumberId !== null) {
            yield* sql`INSERT INTO held_numbers (organization_id, phone_number_id)
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
          sql`u.organization_id = ${permit.organizationId}`,
          thereRun(permit),
          ...(resultId === null ? [] : [sql`u.result_id = ${resultId}`]),
          ...(status === null ? [] : [sql`u.status = ${status}`])
        ])} AND ${page(request, "u.id")}`.pipe(runRows.all, storing("ResultStore.listRuns")),
      runsOf: (permit, result, ids) =>
        sql`SELECT id FROM runs WHERE id IN ${dialect.integers(ids)} AND result_id = ${result}
              AND organization_id = ${permit.organizationId}`.pipe(
          runIds.all,
          Effect.map((found) => new Set(found)),
          storing("ResultStore.runsOf")
        ),
      doomedResults: (permit, ids) =>
        Effect.gen(function* () {
          const results = yield* resultIds.all(
            sql`SELECT t.id FROM results t WHERE t.id IN ${dialect.integers(ids)} AND ${there(permit)} ORDER BY t.id`
          )
          const those = dialect.integers(results)
          const met = yield* doomed(permit, sql`u.result_id IN ${those}`, sql`u.result_id NOT IN ${those}`)
          return { results, runs: [], ...met }
        }).pipe(storing("ResultStore.doomedResults")),
      doomedRuns: (permit, result, ids) =>
        Effect.gen(function* () {
          const runs = yield* runIds.all(
            sql`SELECT id FROM runs WHERE id IN ${dialect.integers(ids)} AND result_id = ${result}
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
            yield* sql`UPDATE results SET deleted_ms = ${at} WHERE id IN ${results} AND ${own}`
            // The results are the organisation's, and so are their runs: to say so again would have SQLite go through all of
            // its runs, since it takes an equality to be the narrower condition.
            yield* sql`UPDATE runs SET deleted_ms = ${at}, lease = NULL
              WHERE result_id IN ${results} AND deleted_ms IS NULL`
            if (plan.freedSlots > 0) yield* sql`DELETE FROM capacity_slots WHERE result_id IN ${results}`
          }
          if (plan.runs.length > 0) {
            yield* sql`UPDATE runs SET deleted_ms = ${at}, lease = NULL
              WHERE id IN ${runs} AND deleted_ms IS NULL`
            yield* sql`UPDATE results SET updated_ms = ${at}
              WHERE id IN (SELECT result_id FROM runs WHERE id IN ${runs}) AND ${own}`
            if (plan.freedSlots > 0) yield* sql`DELETE FROM capacity_slots WHERE run_id IN ${runs}`
          }
          if (plan.releasedNumbers.length > 0) {
            yield* sql`DELETE FROM held_numbers
              WHERE phone_number_id IN ${dialect.integers(plan.releasedNumbers)} AND ${own}`
          }
          yield* move(permit, {
            activeSessions: -plan.decrements.activeSessions,
            pendingDemand: -plan.decrements.pendingDemand
          })
        }).pipe(storing("ResultStore.apply")),
      lost: (permit, now) =>
        sql`SELECT id, result_id, status, attempts, lease FROM runs
            WHERE organization_id = ${permit.organizationId} AND status = 'running' AND deleted_ms IS NULL
              AND lease_until_ms <= ${DateTime.toEpochMillis(now)} ORDER BY id`.pipe(
          heldRows.all,
          storing("ResultStore.lost")
        ),
      startable: (permit, channel, limit) =>
        sql`SELECT q.id FROM (
              SELECT u.id, t.concurrency_limit, COALESCE(c.busy, 0) AS busy,
                row_number() OVER (PARTITION BY u.result_id ORDER BY u.id) AS place
              FROM runs u JOIN results t ON t.id = u.result_id
              LEFT JOIN (
                SELECT result_id, count(*) AS busy FROM capacity_slots
                WHERE organization_id = ${permit.organizationId} GROUP BY result_id
              ) c ON c.result_id = u.result_id
              WHERE u.organization_id = ${permit.organizationId} AND u.status = 'queued' AND u.channel = ${channel}
                AND u.deleted_ms IS NULL AND ${there(permit)}
            ) q
            WHERE q.concurrency_limit IS NULL OR q.place + q.busy <= q.concurrency_limit
            ORDER BY q.id LIMIT ${limit}`.pipe(runIds.all, storing("ResultStore.startable")),
      holdRun: (permit, id) =>
        sql`SELECT u.id, u.result_id, u.status, u.attempts, u.lease FROM runs u JOIN results t ON t.id = u.result_id
            WHERE u.id = ${id} AND ${thereRun(permit)}`.pipe(heldRows.first, storing("ResultStore.holdRun")),
      start: (permit, runs, { token, until }, now) =>
        Effect.gen(function* () {
          const at = DateTime.toEpochMillis(now)
          const those = dialect.integers(runs)
          yield* sql`UPDATE runs SET status = 'running', attempts = attempts + 1, lease = ${token},
              lease_until_ms = ${until}, started_ms = ${at}, updated_ms = ${at}
            WHERE id IN ${those} AND organization_id = ${permit.organizationId}`
          yield* sql`INSERT INTO capacity_slots (run_id, result_id, organization_id)
            SELECT id, result_id, organization_id FROM runs WHERE id IN ${those}`
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
      prolong: (permit, run, until) =>
        sql`UPDATE runs SET lease_until_ms = ${until}
            WHERE id = ${run} AND organization_id = ${permit.organizationId}`.pipe(
          Effect.asVoid,
          storing("ResultStore.prolong")
        ),
      requeue: (permit, runs, now) =>
        Effect.gen(function* () {
          const those = dialect.integers(runs)
          yield* sql`UPDATE runs SET status = 'queued', lease = NULL, lease_until_ms = NULL, started_ms = NULL,
              updated_ms = ${DateTime.toEpochMillis(now)}
            WHERE id IN ${those} AND organization_id = ${permit.organizationId}`
          yield* sql`DELETE FROM capacity_slots WHERE run_id IN ${those}`
          yield* move(permit, capacityChange("running", "queued", runs.length))
        }).pipe(storing("ResultStore.requeue")),
      end: (permit, runs, from, end, now) =>
        Effect.gen(function* () {
          const at = DateTime.toEpochMillis(now)
          const those = dialect.integers(runs)
          const isOver = end.to !== "evaluating"
          yield* sql`UPDATE runs SET ${sql.update({
            status: end.to,
            lease: null,
            lease_until_ms: null,
            success: end.success === null ? null : flag(end.success),
            duration_s: end.durationSeconds,
            error: end.error,
            updated_ms: at,
            ...(isOver ? { ended_ms: at } : {})
          })} WHERE id IN ${those} AND organization_id = ${permit.organizationId}`
          yield* sql`UPDATE results SET updated_ms = ${at}
            WHERE id IN (SELECT result_id FROM runs WHERE id IN ${those})`
          if (end.transcript !== null) {
            yield* sql`INSERT INTO run_transcripts ${sql.insert(
              runs.map((run_id) => ({
                run_id,
                transcript_type: end.transcript?.type ?? "",
                transcript: end.transcript === null ? "" : StoredTranscript.print(end.transcript.turns)
              }))
            )}`
          }
          yield* sql`DELETE FROM capacity_slots WHERE run_id IN ${those}`
          yield* move(permit, capacityChange(from, end.to, runs.length))
          yield* releaseNumbers(permit, those)
        }).pipe(storing("ResultStore.end"))
    })
  })
)

const scriptRows = readRows(
  Schema.Struct({
    id: RunId,
    script: jsonColumn(JsonObject),
    provider_data: Schema.NullOr(jsonColumn(JsonObject))
  }),
  (row) => [row.id, { script: row.script, providerData: row.provider_data }] as const
)
