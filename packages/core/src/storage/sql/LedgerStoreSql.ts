import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { CreditEntry } from "../../credits/CreditEntry.js"
import { LedgerStore } from "../../credits/LedgerStore.js"
import * as Credits from "../../kernel/Credits.js"
import { CreditEntryId, OrganizationId } from "../../kernel/Ids.js"
import { keyset } from "./Keyset.js"
import { Instant, readRows } from "./Rows.js"
import { storing } from "./Storing.js"

/** Micro-credits; sums of them stay far below 2^53. A sum comes as text from PostgreSQL, whose sums are numeric. */
const Micros = Schema.transform(
  Schema.Union(Schema.Number, Schema.NumberFromString),
  Schema.typeSchema(Credits.MicroCredits),
  {
    strict: true,
    decode: (micros) => Credits.ofMicros(BigInt(micros)),
    encode: Number
  }
)

const EntryRow = Schema.Struct({
  id: CreditEntryId,
  organization_id: OrganizationId,
  kind: Schema.String,
  key: Schema.String,
  micros: Micros,
  description: Schema.String,
  created_ms: Instant
})

const toEntry = (row: typeof EntryRow.Type): CreditEntry =>
  new CreditEntry({
    id: row.id,
    organizationId: row.organization_id,
    kind: row.kind,
    key: row.key,
    amount: row.micros,
    description: row.description,
    createdAt: row.created_ms
  })

export const layer = Layer.effect(
  LedgerStore,
  Effect.map(SqlClient, (sql) => {
    const entries = readRows(EntryRow, toEntry)
    const totals = readRows(Schema.Struct({ total: Micros }), ({ total }) => total)
    const ofKind = (kind: string | undefined) => (kind === undefined ? sql`1 = 1` : sql`kind = ${kind}`)
    return LedgerStore.of({
      enter: (permit, charges, now) =>
        charges.length === 0
          ? Effect.void
          : sql`INSERT INTO credit_entries ${sql.insert(
              charges.map(({ amount, description, key, kind }) => ({
                organization_id: permit.organizationId,
                kind,
                key,
                micros: Number(amount),
                description,
                created_ms: DateTime.toEpochMillis(now)
              }))
            )} ON CONFLICT DO NOTHING`.pipe(Effect.asVoid, storing("LedgerStore.enter")),
      list: (permit, { kind }, page) =>
        sql`SELECT id, organization_id, kind, key, micros, description, created_ms FROM credit_entries
            WHERE organization_id = ${permit.organizationId} AND ${ofKind(kind)} AND ${keyset(sql, page)}`.pipe(
          entries.all,
          storing("LedgerStore.list")
        ),
      total: (permit, { kind }) =>
        sql`SELECT COALESCE(SUM(micros), 0) AS total FROM credit_entries
            WHERE organization_id = ${permit.organizationId} AND ${ofKind(kind)}`.pipe(
          totals.one,
          storing("LedgerStore.total")
        )
    })
  })
)
