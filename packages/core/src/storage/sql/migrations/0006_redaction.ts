import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/**
 * What was asked to be redacted in a call, which later deliveries of it have to honour, and the ledger of charges. An
 * entry outlives what it was charged for, so it refers to nothing; `charge_key` names the one thing that is charged once.
 */
export const redaction = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column } = yield* Dialect

  yield* sql`ALTER TABLE calls ADD COLUMN redact_fields ${column.text} NOT NULL DEFAULT ''`
  yield* sql`CREATE TABLE credit_entries (
    id ${column.id},
    organization_id ${column.integer} NOT NULL,
    project_id ${column.integer} NOT NULL,
    agent_id ${column.integer},
    call_id ${column.integer},
    reason ${column.text} NOT NULL,
    charge_key ${column.text} NOT NULL UNIQUE,
    seconds ${column.real},
    amount_micros ${column.integer} NOT NULL,
    created_ms ${column.integer} NOT NULL
  )`
  yield* sql`CREATE INDEX credit_entries_by_organization ON credit_entries (organization_id, id)`
})
