import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/**
 * Organisations, people and their credentials; projects and the agents in them. Lists and objects that SQL never looks
 * into are JSON in a text column.
 */
export const catalog = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column } = yield* Dialect

  yield* sql`CREATE TABLE organizations (
    id ${column.id},
    name ${column.text} NOT NULL,
    created_ms ${column.integer} NOT NULL
  )`
  yield* sql`CREATE TABLE users (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES organizations (id),
    email ${column.text} NOT NULL,
    name ${column.text} NOT NULL,
    created_ms ${column.integer} NOT NULL,
    UNIQUE (organization_id, email)
  )`
  yield* sql`CREATE TABLE api_keys (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES organizations (id),
    name ${column.text} NOT NULL,
    hint ${column.text} NOT NULL,
    secret_hash ${column.text} NOT NULL UNIQUE,
    scopes ${column.text} NOT NULL,
    created_by ${column.integer} REFERENCES users (id),
    created_ms ${column.integer} NOT NULL,
    expires_ms ${column.integer},
    revoked_ms ${column.integer}
  )`
  yield* sql`CREATE INDEX api_keys_by_organization ON api_keys (organization_id, id)`
  yield* sql`CREATE TABLE shareable_links (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES organizations (id),
    name ${column.text} NOT NULL,
    hint ${column.text} NOT NULL,
    secret_hash ${column.text} NOT NULL UNIQUE,
    permissions ${column.text} NOT NULL,
    bounds ${column.text} NOT NULL,
    created_by ${column.integer} REFERENCES users (id),
    created_ms ${column.integer} NOT NULL,
    expires_ms ${column.integer},
    revoked_ms ${column.integer}
  )`
  yield* sql`CREATE INDEX shareable_links_by_organization ON shareable_links (organization_id, id)`
  yield* sql`CREATE TABLE signing_keys (
    kid ${column.text} PRIMARY KEY,
    secret ${column.text} NOT NULL,
    created_ms ${column.integer} NOT NULL
  )`
  // Kept until the token would have expired by itself.
  yield* sql`CREATE TABLE revoked_tokens (
    organization_id ${column.integer} NOT NULL REFERENCES organizations (id),
    jti ${column.text} NOT NULL,
    expires_ms ${column.integer} NOT NULL,
    PRIMARY KEY (organization_id, jti)
  )`
  // Written by rate-limiter-flexible, whose names these are.
  yield* sql`CREATE TABLE rate_limits (
    key ${column.text} PRIMARY KEY,
    points ${column.integer} NOT NULL DEFAULT 0,
    expire ${column.integer}
  )`
  yield* sql`CREATE TABLE projects (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES organizations (id),
    name ${column.text} NOT NULL,
    description ${column.text} NOT NULL,
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL,
    deleted_ms ${column.integer}
  )`
  yield* sql`CREATE INDEX projects_by_organization ON projects (organization_id, id)`
  yield* sql`CREATE TABLE agents (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES organizations (id),
    project_id ${column.integer} NOT NULL REFERENCES projects (id),
    name ${column.text} NOT NULL,
    description ${column.text} NOT NULL,
    assistant_id ${column.text},
    provider ${column.text},
    channels ${column.text} NOT NULL,
    chat_endpoint ${column.text},
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL,
    deleted_ms ${column.integer}
  )`
  yield* sql`CREATE INDEX agents_by_organization ON agents (organization_id, id)`
  yield* sql`CREATE INDEX agents_by_project ON agents (project_id, id)`
  // A provider's assistant is one agent of an organisation: a webhook that names it must have one answer.
  yield* sql`CREATE UNIQUE INDEX agents_by_assistant ON agents (organization_id, assistant_id)
    WHERE assistant_id IS NOT NULL AND deleted_ms IS NULL`
})
