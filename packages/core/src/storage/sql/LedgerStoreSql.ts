import { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Permit } from "../../access/Permit.js"
import { ChargeReason, LedgerEntry, type LedgerFilter } from "../../credits/LedgerEntry.js"
import { LedgerStore } from "../../credits/LedgerStore.js"
import { fromMicros } from "../../kernel/Credits.js"
import { AgentId, CallId, LedgerEntryId, OrganizationId, ProjectId } from "../../kernel/Ids.js"
import * as Pages from "../../kernel/Pages.js"
import { Dialect } from "./Dialect.js"
import { keyset } from "./Keyset.js"
import { growing } from "./Reads.js"
import { scopePredicate } from "./ScopeSql.js"
import { Instant, readRows } from "./Rows.js"
import { storing } from "./Storing.js"

const LedgerRow = Schema.Struct({
  id: LedgerEntryId,
  organization_id: OrganizationId,
  project_id: ProjectId,
  agent_id: Schema.NullOr(AgentId),
  call_id: Schema.NullOr(CallId),
  reason: ChargeReason,
  seconds: Schema.NullOr(Schema.Number),
  amount_micros: Schema.Int,
  created_ms: Instant
})

const entries = readRows(
  LedgerRow,
  (row) =>
    new LedgerEntry({
      id: row.id,
      organizationId: row.organization_id,
      projectId: row.project_id,
      agentId: row.agent_id,
      callId: row.call_id,
      reason: row.reason,
      seconds: row.seconds,
      amount: fromMicros(BigInt(row.amount_micros)),
      createdAt: row.created_ms
    })
)

const TotalRow = Schema.Struct({ reason: ChargeReason, entries: Schema.Int, amount_micros: Schema.Int })

const totals = readRows(TotalRow, ({ amount_micros, entries, reason }) => ({
  reason,
  entries,
  amount: fromMicros(BigInt(amount_micros))
}))

/** The rows of a permit that match a filter. */
const matching = (
  sql: SqlClient,
  permit: Permit<"credits:read">,
  { agent, call, project, reason, since, until }: LedgerFilter
): Fragment =>
  sql.and([
    sql`organization_id = ${permit.organizationId}`,
    scopePredicate(sql, permit, { project: "project_id", agent: "agent_id" }),
    ...(reason === undefined ? [] : [sql`reason = ${reason}`]),
    ...(project === undefined ? [] : [sql`project_id = ${project}`]),
    ...(agent === undefined ? [] : [sql`agent_id = ${agent}`]),
    ...(call === undefined ? [] : [sql`call_id = ${call}`]),
    ...(since === undefined ? [] : [sql`created_ms >= ${DateTime.toEpochMillis(since)}`]),
    ...(until === undefined ? [] : [sql`created_ms < ${DateTime.toEpochMillis(until)}`])
  ])

export const layer = Layer.effect(
  LedgerStore,
  Effect.zipWith(SqlClient, Dialect, (sql, { column, tables }) =>
    LedgerStore.of({
      insert: (permit, charges, now) =>
        charges.length === 0
          ? Effect.void
          : sql`INSERT INTO ${tables.credit_entries} ${sql.insert(
              charges.map((charge) => ({
                organization_id: permit.organizationId,
                project_id: charge.projectId,
                agent_id: charge.agentId,
                call_id: charge.callId,
                reason: charge.reason,
                charge_key: charge.key,
                amount_micros: Number(charge.amount),
                created_ms: DateTime.toEpochMillis(now)
              }))
            )} ON CONFLICT (charge_key) DO NOTHING`.pipe(Effect.asVoid, storing("LedgerStore.insert")),
      list: (permit, filter, page) =>
        sql`SELECT id, organization_id, project_id, agent_id, call_id, reason, seconds, amount_micros, created_ms
            FROM ${tables.credit_entries}
            WHERE ${matching(sql, permit, filter)} AND ${keyset(sql, page)}`.pipe(
          entries.all,
          Effect.map((rows) => Pages.found(page, rows)),
          growing("list", permit),
          storing("LedgerStore.list")
        ),
      totals: (permit, filter) =>
        sql`SELECT reason, COUNT(*) AS entries, CAST(SUM(amount_micros) AS ${column.integer}) AS amount_micros
            FROM ${tables.credit_entries}
            WHERE ${matching(sql, permit, filter)} GROUP BY reason ORDER BY reason`.pipe(
          totals.all,
          growing("list", permit),
          storing("LedgerStore.totals")
        )
    })
  )
)
