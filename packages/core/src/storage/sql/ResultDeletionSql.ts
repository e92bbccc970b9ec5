/** Deletion of results and runs: a snapshot of what is to be deleted, and the writes of a plan. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Permit } from "../../access/Permit.js"
import { PhoneNumberId, ResultId } from "../../kernel/Ids.js"
import type { ResultStore } from "../../results/ResultStore.js"
import { RunStatus } from "../../results/RunLifecycle.js"
import type { DialectFragments } from "./Dialect.js"
import { numberIds, type ResultFragments, runIds } from "./ResultFragments.js"
import { readRows } from "./Rows.js"
import { storing } from "./Storing.js"

const resultIds = readRows(Schema.Struct({ id: ResultId }), ({ id }) => id)

const runsToDeleteRows = readRows(
  Schema.Struct({ status: RunStatus, phone_number_id: Schema.NullOr(PhoneNumberId), runs: Schema.Int }),
  (row) => ({ status: row.status, phoneNumberId: row.phone_number_id, runs: row.runs })
)

export const resultDeletion = (
  sql: SqlClient,
  dialect: DialectFragments,
  { capacityNow, deletable, move, recountMetrics }: ResultFragments
): Pick<ResultStore["Type"], "lockResultsForDeletion" | "lockRunsForDeletion" | "apply"> => {
  const { tables } = dialect
  /** The snapshot of a deletion of the runs that meet `which`; `others` are the runs that stay. */
  const snapshotOf = (permit: Permit, which: Fragment, others: Fragment) =>
    Effect.gen(function* () {
      const deleted = yield* runsToDeleteRows.all(
        sql`SELECT u.status, u.phone_number_id, count(*) AS runs FROM ${tables.runs} u
            WHERE ${which} AND u.deleted_ms IS NULL AND u.status IN ('queued', 'running')
            GROUP BY u.status, u.phone_number_id`
      )
      const numbers = [...new Set(deleted.flatMap(({ phoneNumberId }) => phoneNumberId ?? []))]
      const needed =
        numbers.length === 0
          ? []
          : yield* numberIds.all(
              sql`SELECT DISTINCT u.phone_number_id AS id FROM ${tables.runs} u
                  WHERE ${dialect.isOneOf("u.phone_number_id", numbers)} AND u.deleted_ms IS NULL
                    AND u.status IN ('queued', 'running') AND ${others}`
            )
      return { runsToDelete: deleted, stillReferenced: new Set(needed), capacity: yield* capacityNow(permit) }
    })

  return {
    lockResultsForDeletion: (permit, ids) =>
      Effect.gen(function* () {
        const results = yield* resultIds.all(
          sql`SELECT t.id FROM ${tables.results} t WHERE ${dialect.isOneOf("t.id", ids)} AND ${deletable(permit)} ORDER BY t.id`
        )
        const isOneOfThem = (column: string) => dialect.isOneOf(column, results)
        const met = yield* snapshotOf(permit, isOneOfThem("u.result_id"), sql`NOT ${isOneOfThem("u.result_id")}`)
        return { results, runs: [], ...met }
      }).pipe(storing("ResultStore.lockResultsForDeletion")),
    lockRunsForDeletion: (permit, result, ids) =>
      Effect.gen(function* () {
        const runs = yield* runIds.all(
          sql`SELECT id FROM ${tables.runs} WHERE ${dialect.isOneOf("id", ids)} AND result_id = ${result}
                AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL ORDER BY id`
        )
        const isOneOfThem = (column: string) => dialect.isOneOf(column, runs)
        const met = yield* snapshotOf(permit, isOneOfThem("u.id"), sql`NOT ${isOneOfThem("u.id")}`)
        return { results: [], runs, ...met }
      }).pipe(storing("ResultStore.lockRunsForDeletion")),
    apply: (permit, plan, now) =>
      Effect.gen(function* () {
        const at = DateTime.toEpochMillis(now)
        const isOfResults = (column: string) => dialect.isOneOf(column, plan.results)
        const isOfRuns = (column: string) => dialect.isOneOf(column, plan.runs)
        const own = sql`organization_id = ${permit.organizationId}`
        if (plan.results.length > 0) {
          yield* sql`UPDATE ${tables.results} SET deleted_ms = ${at} WHERE ${isOfResults("id")} AND ${own}`
          // The results are the organization's, and so are their runs: repeating the condition would make SQLite scan all
          // runs of the organization, since it takes an equality to be more selective.
          yield* sql`UPDATE ${tables.runs} SET deleted_ms = ${at}, lease = NULL
            WHERE ${isOfResults("result_id")} AND deleted_ms IS NULL`
          yield* sql`DELETE FROM ${tables.run_recordings}
            WHERE run_id IN (SELECT id FROM ${tables.runs} WHERE ${isOfResults("result_id")})`
          if (plan.freedSlots > 0) yield* sql`DELETE FROM ${tables.capacity_slots} WHERE ${isOfResults("result_id")}`
        }
        if (plan.runs.length > 0) {
          yield* sql`UPDATE ${tables.runs} SET deleted_ms = ${at}, lease = NULL
            WHERE ${isOfRuns("id")} AND deleted_ms IS NULL`
          yield* sql`UPDATE ${tables.results} SET updated_ms = ${at}
            WHERE id IN (SELECT result_id FROM ${tables.runs} WHERE ${isOfRuns("id")}) AND ${own}`
          yield* sql`DELETE FROM ${tables.run_recordings} WHERE ${isOfRuns("run_id")}`
          if (plan.freedSlots > 0) yield* sql`DELETE FROM ${tables.capacity_slots} WHERE ${isOfRuns("run_id")}`
          yield* recountMetrics(sql`(SELECT result_id FROM ${tables.runs} WHERE ${isOfRuns("id")})`)
        }
        if (plan.releasedNumbers.length > 0) {
          yield* sql`DELETE FROM ${tables.held_numbers}
            WHERE ${dialect.isOneOf("phone_number_id", plan.releasedNumbers)} AND ${own}`
        }
        yield* move(permit, {
          activeSessions: -plan.decrements.activeSessions,
          pendingDemand: -plan.decrements.pendingDemand
        })
      }).pipe(storing("ResultStore.apply"))
  }
}
