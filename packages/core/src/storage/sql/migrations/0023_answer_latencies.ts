import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/**
 * The latency of each answer in a call, in whole milliseconds, for percentiles over answers: `latencies` is an integer[] in
 * PostgreSQL and a JSON list without spaces in SQLite. A row has the time of its call and belongs to the evaluation by the same
 * metric, with which it is written. SQLite keeps the rows in the order in which charts read them.
 */
export const answerLatencies = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, keyOnly, name, nameOf, tables } = yield* Dialect
  const isSqlite = name === "sqlite"
  const byTime = sql.literal("(metric_id, timestamp_ms, call_id)")
  const byCall = sql.literal("(call_id, metric_id)")
  yield* sql`CREATE TABLE ${tables.answer_latencies} (
    call_id ${column.integer} NOT NULL REFERENCES ${tables.calls} (id) ON DELETE CASCADE,
    metric_id ${column.integer} NOT NULL REFERENCES ${tables.metrics} (id),
    timestamp_ms ${column.integer} NOT NULL,
    latencies ${sql.literal(isSqlite ? "TEXT" : "INTEGER[]")} NOT NULL,
    PRIMARY KEY ${isSqlite ? byTime : byCall}
  ) ${keyOnly}`
  yield* sql`CREATE ${sql.literal(isSqlite ? "UNIQUE" : "")} INDEX
    ${sql.literal(nameOf(isSqlite ? "answer_latencies_by_call" : "answer_latencies_by_metric_time"))}
    ON ${tables.answer_latencies} ${isSqlite ? byCall : byTime}`
})
