import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/**
 * The ledger of charges. An entry outlives what it was charged for, so it has no foreign keys; `charge_key` names
 * what is charged once.
 */
export const credits = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, nameOf, tables } = yield* Dialect
  const index = (name: string) => sql.literal(nameOf(name))

  yield* sql`CREATE TABLE ${tables.credit_entries} (
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
  yield* sql`CREATE INDEX ${index("credit_entries_by_organization")} ON ${tables.credit_entries} (organization_id, id)`
})
