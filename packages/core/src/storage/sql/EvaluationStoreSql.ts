import { SqlClient } from "@effect/sql/SqlClient"
import * as Chunk from "effect/Chunk"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Permit } from "../../access/Permit.js"
import type { Evaluation, EvaluationValue } from "../../metrics/Evaluation.js"
import { EvaluationStore } from "../../metrics/EvaluationStore.js"
import { Dialect } from "./Dialect.js"
import { readRows } from "./Rows.js"
import { storing } from "./Storing.js"

/** Rows in one statement: each binds six values, and SQLite takes 32,766. */
const BATCH = 1000

/** How a value is kept. Numbers that are none (NaN, infinities) are no value. */
const columnsOf = (value: EvaluationValue) =>
  typeof value === "string"
    ? { value_kind: "text", value_number: null, value_text: value }
    : typeof value === "boolean"
      ? { value_kind: "boolean", value_number: value ? 1 : 0, value_text: null }
      : value !== null && Number.isFinite(value)
        ? { value_kind: "number", value_number: value, value_text: null }
        : { value_kind: "null", value_number: null, value_text: null }

/** The last evaluation of each pair of call and metric: one statement may touch a row once only. */
const lastOfEach = (evaluations: ReadonlyArray<Evaluation>): ReadonlyArray<Evaluation> =>
  Array.from(new Map(evaluations.map((one) => [`${one.callId}:${one.metricId}`, one])).values())

export const layer = Layer.effect(
  EvaluationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const ids = readRows(Schema.Struct({ id: Schema.Number }), ({ id }) => id)

    const owned = (permit: Permit, table: "calls" | "metrics", asked: ReadonlyArray<number>) =>
      Effect.map(
        sql`SELECT id FROM ${sql(table)}
            WHERE id IN ${dialect.integers([...new Set(asked)])} AND organization_id = ${permit.organizationId}`.pipe(
          ids.all
        ),
        (found) => new Set(found)
      )

    return EvaluationStore.of({
      record: (permit, evaluations, now) =>
        Effect.gen(function* () {
          if (evaluations.length === 0) return
          const calls = yield* owned(
            permit,
            "calls",
            evaluations.map(({ callId }) => callId)
          )
          const metrics = yield* owned(
            permit,
            "metrics",
            evaluations.map(({ metricId }) => metricId)
          )
          const rows = lastOfEach(evaluations)
            .filter(({ callId, metricId }) => calls.has(callId) && metrics.has(metricId))
            .map(({ callId, metricId, value }) => ({
              call_id: callId,
              metric_id: metricId,
              ...columnsOf(value),
              created_ms: DateTime.toEpochMillis(now)
            }))
          for (const batch of Chunk.chunksOf(Chunk.fromIterable(rows), BATCH)) {
            yield* sql`INSERT INTO metric_evaluations ${sql.insert(Chunk.toReadonlyArray(batch))}
              ON CONFLICT (call_id, metric_id) DO UPDATE SET
                value_kind = excluded.value_kind,
                value_number = excluded.value_number,
                value_text = excluded.value_text,
                created_ms = excluded.created_ms`
          }
        }).pipe(storing("EvaluationStore.record"))
    })
  })
)
