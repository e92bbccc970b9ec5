import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/**
 * Connections to code hosts, and the checkouts made through them. Secrets are sealed before they are stored.
 */
export const checkouts = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, nameOf, tables } = yield* Dialect
  const index = (name: string) => sql.literal(nameOf(name))

  yield* sql`CREATE TABLE ${tables.code_connections} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    host ${column.text} NOT NULL,
    name ${column.text} NOT NULL,
    settings ${column.text} NOT NULL,
    sealed_secret ${column.text},
    active ${column.flag} NOT NULL,
    created_by ${column.integer} REFERENCES ${tables.users} (id),
    created_ms ${column.integer} NOT NULL,
    tested_ms ${column.integer},
    test_error ${column.text},
    activated_ms ${column.integer},
    revoked_ms ${column.integer}
  )`
  yield* sql`CREATE INDEX ${index("code_connections_by_organization")} ON ${tables.code_connections} (organization_id, id)`
  // An organization has at most one active connection, whatever two processes do at once.
  yield* sql`CREATE UNIQUE INDEX ${index("code_connections_active")} ON ${tables.code_connections} (organization_id) WHERE active = 1`
  yield* sql`CREATE TABLE ${tables.checkout_grants} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    connection_id ${column.integer} NOT NULL REFERENCES ${tables.code_connections} (id),
    repository ${column.text} NOT NULL,
    agent_id ${column.integer} REFERENCES ${tables.agents} (id),
    session_jti ${column.text},
    token_hash ${column.text} NOT NULL UNIQUE,
    sealed_handle ${column.text},
    attempts ${column.integer} NOT NULL,
    next_attempt_ms ${column.integer} NOT NULL,
    created_by ${column.integer} REFERENCES ${tables.users} (id),
    created_ms ${column.integer} NOT NULL,
    expires_ms ${column.integer} NOT NULL,
    lapses_ms ${column.integer} NOT NULL
  )`
  yield* sql`CREATE INDEX ${index("checkout_grants_by_connection")} ON ${tables.checkout_grants} (connection_id, id)`
  // Tokens that are still to be released: few of all checkouts.
  yield* sql`CREATE INDEX ${index("checkout_grants_held")} ON ${tables.checkout_grants} (next_attempt_ms) WHERE sealed_handle IS NOT NULL`
  yield* sql`CREATE INDEX ${index("checkout_grants_by_lapse")} ON ${tables.checkout_grants} (lapses_ms)`
})
