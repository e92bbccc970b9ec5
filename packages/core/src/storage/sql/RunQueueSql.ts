/** The lifecycle of runs: claiming, leases, requeueing, ending. Callers have locked the organization's capacity row. */
import type { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Permit } from "../../access/Permit.js"
import { OrganizationId, type RunId } from "../../kernel/Ids.js"
import { JsonObject } from "../../kernel/Json.js"
import type { ResultStore } from "../../results/ResultStore.js"
import { capacityChange, openStatuses } from "../../results/RunLifecycle.js"
import * as StoredTranscript from "../../transcripts/StoredTranscript.js"
import type { DialectFragments } from "./Dialect.js"
import { runStates, type ResultFragments, runIds } from "./ResultFragments.js"
import { jsonColumn, readRows } from "./Rows.js"
import { RunRow, toRun } from "./RunRows.js"
import { flag, storing } from "./Storing.js"

const organizationIds = readRows(Schema.Struct({ id: OrganizationId }), ({ id }) => id)

const startedRows = readRows(
  Schema.Struct({
    ...RunRow.fields,
    script: jsonColumn(JsonObject),
    provider_data: Schema.NullOr(jsonColumn(JsonObject))
  }),
  (row) => ({ run: toRun(row), script: row.script, providerData: row.provider_data })
)

export const runQueue = (
  sql: SqlClient,
  dialect: DialectFragments,
  { runStateColumns, move, runColumns, runTables, visible, visibleRuns }: ResultFragments
): Pick<
  ResultStore["Type"],
  | "organizationsWithExpiredLeases"
  | "runsWithExpiredLease"
  | "startable"
  | "openRuns"
  | "findRunForUpdate"
  | "start"
  | "extendLease"
  | "requeue"
  | "end"
> => {
  const { tables } = dialect
  /** Releases the numbers of these runs that no other queued or running run uses. */
  const releaseNumbers = (permit: Permit, runs: ReadonlyArray<RunId>) =>
    sql`DELETE FROM ${tables.held_numbers} AS h WHERE organization_id = ${permit.organizationId}
          AND phone_number_id IN (SELECT phone_number_id FROM ${tables.runs} WHERE ${dialect.isOneOf("id", runs)})
          AND NOT EXISTS (SELECT 1 FROM ${tables.runs} u WHERE u.phone_number_id = h.phone_number_id
            AND u.deleted_ms IS NULL AND u.status IN ('queued', 'running'))`

  return {
    organizationsWithExpiredLeases: (now) =>
      sql`SELECT DISTINCT organization_id AS id FROM ${tables.runs}
          WHERE status = 'running' AND deleted_ms IS NULL AND lease_until_ms <= ${DateTime.toEpochMillis(now)}
          ORDER BY organization_id`.pipe(organizationIds.all, storing("ResultStore.organizationsWithExpiredLeases")),
    runsWithExpiredLease: (permit, now) =>
      sql`SELECT id, result_id, status, attempts, lease, lease_until_ms FROM ${tables.runs}
          WHERE organization_id = ${permit.organizationId} AND status = 'running' AND deleted_ms IS NULL
            AND lease_until_ms <= ${DateTime.toEpochMillis(now)} ORDER BY id`.pipe(
        runStates.all,
        storing("ResultStore.runsWithExpiredLease")
      ),
    startable: (permit, channel, limit) => {
      const waits = (run: string) => sql`${sql.literal(run)}.organization_id = ${permit.organizationId}
        AND ${sql.literal(run)}.channel = ${channel} AND ${sql.literal(run)}.status = 'queued'
        AND ${sql.literal(run)}.deleted_ms IS NULL`
      // How many more runs a result may start; none if it is out of scope, or the engine executes them itself.
      const room = sql`CASE WHEN ${visible(permit)} AND COALESCE(t.is_executed, 0) = 0 THEN COALESCE(t.concurrency_limit
        - (SELECT count(*) FROM ${tables.capacity_slots} c WHERE c.result_id = t.id), ${limit}) ELSE 0 END`
      // Steps along an index, a run at a time: from a run to the next of its result while there is room, or else to the
      // first of the next result. A result's runs are made at once, so this order is that of their ids. It counts what it
      // takes by itself, since SQLite does not stop the recursion at an outer LIMIT.
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
      sql`SELECT ${runStateColumns} FROM ${tables.runs} u JOIN ${tables.results} t ON t.id = u.result_id
          WHERE u.result_id = ${result} AND ${sql.in("u.status", openStatuses)} AND ${visibleRuns(permit)}
          ORDER BY u.id`.pipe(runStates.all, storing("ResultStore.openRuns")),
    findRunForUpdate: (permit, id) =>
      sql`SELECT ${runStateColumns} FROM ${tables.runs} u JOIN ${tables.results} t ON t.id = u.result_id
          WHERE u.id = ${id} AND ${visibleRuns(permit)}`.pipe(runStates.first, storing("ResultStore.findRunForUpdate")),
    start: (permit, runs, { token, until }, now) =>
      Effect.gen(function* () {
        const at = DateTime.toEpochMillis(now)
        const isOneOfThem = (column: string) => dialect.isOneOf(column, runs)
        yield* sql`UPDATE ${tables.runs} SET status = 'running', attempts = attempts + 1, lease = ${token},
            lease_until_ms = ${until}, started_ms = ${at}, updated_ms = ${at}
          WHERE ${isOneOfThem("id")} AND organization_id = ${permit.organizationId}`
        yield* sql`INSERT INTO ${tables.capacity_slots} (run_id, result_id, organization_id)
          SELECT id, result_id, organization_id FROM ${tables.runs} WHERE ${isOneOfThem("id")}`
        yield* move(permit, capacityChange("queued", "running", runs.length))
        const started = yield* startedRows.all(
          sql`SELECT ${runColumns}, s.script, t.provider_data FROM ${runTables} WHERE ${isOneOfThem("u.id")} ORDER BY u.id`
        )
        return started.map((one) => ({ ...one, lease: token, leaseExpiresAt: until }))
      }).pipe(storing("ResultStore.start")),
    extendLease: (permit, run, until) =>
      sql`UPDATE ${tables.runs} SET lease_until_ms = ${until}
          WHERE id = ${run} AND organization_id = ${permit.organizationId}`.pipe(
        Effect.asVoid,
        storing("ResultStore.extendLease")
      ),
    requeue: (permit, runs, now) =>
      Effect.gen(function* () {
        const isOneOfThem = (column: string) => dialect.isOneOf(column, runs)
        yield* sql`UPDATE ${tables.runs} SET status = 'queued', lease = NULL, lease_until_ms = NULL, started_ms = NULL,
            updated_ms = ${DateTime.toEpochMillis(now)}
          WHERE ${isOneOfThem("id")} AND organization_id = ${permit.organizationId}`
        yield* sql`DELETE FROM ${tables.capacity_slots} WHERE ${isOneOfThem("run_id")}`
        yield* move(permit, capacityChange("running", "queued", runs.length))
      }).pipe(storing("ResultStore.requeue")),
    end: (permit, runs, from, end, now) =>
      Effect.gen(function* () {
        const at = DateTime.toEpochMillis(now)
        const isOneOfThem = (column: string) => dialect.isOneOf(column, runs)
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
        })} WHERE ${isOneOfThem("id")} AND organization_id = ${permit.organizationId}`
        yield* sql`UPDATE ${tables.results} SET updated_ms = ${at}
          WHERE id IN (SELECT result_id FROM ${tables.runs} WHERE ${isOneOfThem("id")})`
        if (end.transcript !== null) {
          yield* sql`INSERT INTO ${tables.run_transcripts} ${sql.insert(
            runs.map((run_id) => ({
              run_id,
              transcript_type: end.transcript?.type ?? "",
              transcript: end.transcript === null ? "" : StoredTranscript.print(end.transcript.turns)
            }))
          )}`
        }
        yield* sql`DELETE FROM ${tables.capacity_slots} WHERE ${isOneOfThem("run_id")}`
        yield* move(permit, capacityChange(from, end.to, runs.length))
        yield* releaseNumbers(permit, runs)
      }).pipe(storing("ResultStore.end"))
  }
}
