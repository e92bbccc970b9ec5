import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/**
 * The time of its call with each evaluation, so that charts of a metric over time read one index and no calls. It replaces
 * the index by metric and call: what it was used for begins with the metric, too.
 */
export const evaluationTimes = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, nameOf, tables } = yield* Dialect
  const named = (name: string) => sql.literal(nameOf(name))
  yield* sql`ALTER TABLE ${tables.metric_evaluations} ADD COLUMN timestamp_ms ${column.integer} NOT NULL DEFAULT 0`
  yield* sql`UPDATE ${tables.metric_evaluations} SET timestamp_ms = c.timestamp_ms
    FROM ${tables.calls} c WHERE c.id = ${tables.metric_evaluations}.call_id`
  yield* sql`DROP INDEX ${named("metric_evaluations_by_metric")}`
  yield* sql`CREATE INDEX ${named("metric_evaluations_by_metric_time")}
    ON ${tables.metric_evaluations} (metric_id, timestamp_ms, value_kind, value_number)`
})
