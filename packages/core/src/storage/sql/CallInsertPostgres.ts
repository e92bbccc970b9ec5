/**
 * Inserts new calls on PostgreSQL: one statement for a group's new calls with all that belongs to them, so it costs one
 * round trip. Calls that are there already need a transaction of their own, which not every group pays for.
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { firstEvaluationDue, firstRecord } from "../../calls/RedeliveryRules.js"
import type { UnitOfWork } from "../../kernel/Storage.js"
import { chargeRow, columnsOf, INSERTED, recordingRow } from "./CallColumns.js"
import {
  created,
  decodeInserted,
  execute,
  type GroupedDelivery,
  inOrder,
  keyOf,
  NO_ID,
  type Outcome,
  type PendingDelivery,
  type Redeliver,
  splitGroup,
  type WriteGroup
} from "./CallDelivery.js"
import type { DialectFragments } from "./Dialect.js"
import { insertCallsFunction } from "./InsertCallsFunction.js"
import { storing } from "./Storing.js"

/** A new call as `earshot_insert_calls` takes it. */
const argumentOf = (pending: PendingDelivery) => {
  const record = firstRecord(pending.delivery, NO_ID)
  return {
    ...columnsOf(record, INSERTED),
    transcript_type: record.transcriptType,
    transcript: pending.transcript,
    recording: record.recording === null ? null : recordingRow(NO_ID, record.recording, record.createdAt),
    charge_micros: chargeRow(record)?.amount_micros ?? null,
    evaluates: firstEvaluationDue(pending.delivery)
  }
}

export const writeOnPostgres = (
  sql: SqlClient,
  dialect: DialectFragments,
  redeliver: Redeliver,
  work: UnitOfWork["Type"]
): WriteGroup => {
  const insertCalls = `SELECT id, agent_id, call_id FROM ${insertCallsFunction(dialect)}($1)`

  /** The group's new calls are committed by now, so a failure here is that of the redeliveries alone. */
  const settle = (redeliveries: ReadonlyArray<GroupedDelivery>, outcomes: Array<Outcome>): Effect.Effect<void> =>
    work.atomically(redeliver(redeliveries, outcomes)).pipe(
      storing("CallStore.deliver"),
      Effect.catchAll((error) =>
        redeliveries.length > 1 && error._tag === "StorageFailed"
          ? Effect.forEach(redeliveries, (one) => settle([one], outcomes), { discard: true })
          : Effect.sync(() => {
              for (const one of redeliveries) outcomes[one.position] = Exit.fail(error)
            })
      )
    )

  return (items) =>
    Effect.gen(function* () {
      const outcomes = new Array<Outcome>(items.length)
      const [firsts, redeliveries] = splitGroup(items)
      const deliveries = JSON.stringify([...firsts.values()].map((one) => argumentOf(one.pending)))
      const answered = yield* Effect.scoped(
        Effect.flatMap(sql.reserve, (connection) => execute(connection, insertCalls, [deliveries]))
      )
      const rows = yield* decodeInserted(answered)
      const inserted = new Map(rows.map((row) => [keyOf(row.agent_id, row.call_id), row.id]))
      for (const [key, one] of firsts) {
        const id = inserted.get(key)
        if (id === undefined) redeliveries.push(one)
        else outcomes[one.position] = created(one, id)
      }
      if (redeliveries.length > 0) yield* settle(inOrder(redeliveries), outcomes)
      return outcomes
    }).pipe(storing("CallStore.deliver"))
}
