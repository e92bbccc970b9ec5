import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/** Integrations of voice platforms, and the signatures of their requests that were accepted and may come again. */
export const platforms = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, nameOf, tables } = yield* Dialect
  const index = (name: string) => sql.literal(nameOf(name))

  yield* sql`CREATE TABLE ${tables.integrations} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    project_id ${column.integer} NOT NULL REFERENCES ${tables.projects} (id),
    agent_id ${column.integer} REFERENCES ${tables.agents} (id),
    platform ${column.text} NOT NULL,
    name ${column.text} NOT NULL,
    public_id ${column.text} NOT NULL UNIQUE,
    sealed_secret ${column.text} NOT NULL,
    sealed_previous ${column.text},
    previous_until_ms ${column.integer},
    redact_fields ${column.text} NOT NULL,
    metric_ids ${column.text} NOT NULL,
    created_by ${column.integer} REFERENCES ${tables.users} (id),
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL
  )`
  yield* sql`CREATE INDEX ${index("integrations_by_organization")} ON ${tables.integrations} (organization_id, id)`
  yield* sql`CREATE TABLE ${tables.received_webhooks} (
    integration_id ${column.integer} NOT NULL REFERENCES ${tables.integrations} (id) ON DELETE CASCADE,
    signature ${column.text} NOT NULL,
    expires_ms ${column.integer} NOT NULL,
    PRIMARY KEY (integration_id, signature)
  )`
  yield* sql`CREATE INDEX ${index("received_webhooks_by_expiry")} ON ${tables.received_webhooks} (expires_ms)`
})
