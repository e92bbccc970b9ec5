import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Permit } from "../../access/Permit.js"
import { CallEvaluationStore } from "../../calls/CallEvaluationStore.js"
import { CallId } from "../../kernel/Ids.js"
import { fieldsOf, makeReader } from "./CallRows.js"
import { Dialect } from "./Dialect.js"
import { jsonRows } from "./JsonRows.js"
import { readRows } from "./Rows.js"
import { scopePredicate } from "./ScopeSql.js"
import { flag, Flag, storing } from "./Storing.js"

const LockedRow = Schema.Struct({
  id: CallId,
  redact_fields: Schema.String,
  is_reviewed: Flag,
  success: Schema.NullOr(Flag),
  topic: Schema.NullOr(Schema.String),
  dropoff_point: Schema.NullOr(Schema.String),
  evaluation: Schema.NullOr(Schema.String)
})

const locked = readRows(LockedRow, (row) => ({
  id: row.id,
  redactFields: fieldsOf(row.redact_fields),
  isReviewed: row.is_reviewed,
  success: row.success,
  topic: row.topic,
  dropoffPoint: row.dropoff_point,
  evaluation: row.evaluation
}))

export const layer = Layer.effect(
  CallEvaluationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const { tables } = dialect
    const reader = makeReader(sql, dialect)
    const among = (permit: Permit, ids: ReadonlyArray<CallId>) =>
      sql`${dialect.isOneOf("c.id", ids)} AND c.organization_id = ${permit.organizationId}
          AND ${scopePredicate(sql, permit, { project: "c.project_id", agent: "c.agent_id" })}`
    return CallEvaluationStore.of({
      findAll: (permit, ids) =>
        reader.where(sql`WHERE ${among(permit, ids)}`).pipe(storing("CallEvaluationStore.findAll")),
      lockAll: (permit, ids) =>
        sql`SELECT c.id, c.redact_fields, c.is_reviewed, c.success, c.topic, c.dropoff_point, c.evaluation
            FROM ${tables.calls} c WHERE ${among(permit, ids)} ORDER BY c.id ${dialect.forUpdate}`.pipe(
          locked.all,
          storing("CallEvaluationStore.lockAll")
        ),
      saveAll: (permit, outcomes, now) =>
        outcomes.length === 0
          ? Effect.void
          : // The sign keeps SQLite from reading all calls of the organization by the index of that column.
            sql`UPDATE ${tables.calls} AS c SET success = g.success, topic = g.topic, dropoff_point = g.dropoff_point,
                  evaluation = g.evaluation, updated_ms = ${DateTime.toEpochMillis(now)}
                FROM ${jsonRows(
                  sql,
                  dialect,
                  { id: "bigint", success: "bigint", topic: "text", dropoff_point: "text", evaluation: "text" },
                  outcomes.map((one) => ({
                    id: one.id,
                    success: one.success === null ? null : flag(one.success),
                    topic: one.topic,
                    dropoff_point: one.dropoffPoint,
                    evaluation: one.evaluation
                  }))
                )} AS g WHERE c.id = g.id AND +c.organization_id = ${permit.organizationId}`.pipe(
              Effect.asVoid,
              storing("CallEvaluationStore.saveAll")
            )
    })
  })
)
