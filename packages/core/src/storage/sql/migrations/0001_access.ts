import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/**
 * Organizations, users and their credentials.
 */
export const access = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, nameOf, tables } = yield* Dialect
  const index = (name: string) => sql.literal(nameOf(name))

  yield* sql`CREATE TABLE ${tables.organizations} (
    id ${column.id},
    name ${column.text} NOT NULL,
    created_ms ${column.integer} NOT NULL
  )`
  yield* sql`CREATE TABLE ${tables.users} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    email ${column.text} NOT NULL,
    name ${column.text} NOT NULL,
    created_ms ${column.integer} NOT NULL,
    UNIQUE (organization_id, email)
  )`
  yield* sql`CREATE TABLE ${tables.api_keys} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    name ${column.text} NOT NULL,
    hint ${column.text} NOT NULL,
    secret_hash ${column.text} NOT NULL UNIQUE,
    scopes ${column.text} NOT NULL,
    created_by ${column.integer} REFERENCES ${tables.users} (id),
    created_ms ${column.integer} NOT NULL,
    expires_ms ${column.integer},
    revoked_ms ${column.integer}
  )`
  yield* sql`CREATE INDEX ${index("api_keys_by_organization")} ON ${tables.api_keys} (organization_id, id)`
  yield* sql`CREATE TABLE ${tables.shareable_links} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    name ${column.text} NOT NULL,
    hint ${column.text} NOT NULL,
    secret_hash ${column.text} NOT NULL UNIQUE,
    permissions ${column.text} NOT NULL,
    bounds ${column.text} NOT NULL,
    created_by ${column.integer} REFERENCES ${tables.users} (id),
    created_ms ${column.integer} NOT NULL,
    expires_ms ${column.integer},
    revoked_ms ${column.integer}
  )`
  yield* sql`CREATE INDEX ${index("shareable_links_by_organization")} ON ${tables.shareable_links} (organization_id, id)`
  // `key_hash` is the hash of the API key that the session was exchanged for; null if it began with a sign-in link.
  yield* sql`CREATE TABLE ${tables.browser_sessions} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    name ${column.text} NOT NULL,
    hint ${column.text} NOT NULL,
    secret_hash ${column.text} NOT NULL UNIQUE,
    key_hash ${column.text},
    scopes ${column.text} NOT NULL,
    created_by ${column.integer} REFERENCES ${tables.users} (id),
    created_ms ${column.integer} NOT NULL,
    expires_ms ${column.integer},
    revoked_ms ${column.integer}
  )`
  yield* sql`CREATE INDEX ${index("browser_sessions_by_expiry")} ON ${tables.browser_sessions} (expires_ms)`
  yield* sql`CREATE TABLE ${tables.sign_in_links} (
    secret_hash ${column.text} PRIMARY KEY,
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    scopes ${column.text} NOT NULL,
    created_by ${column.integer} REFERENCES ${tables.users} (id),
    expires_ms ${column.integer} NOT NULL
  )`
  yield* sql`CREATE INDEX ${index("sign_in_links_by_expiry")} ON ${tables.sign_in_links} (expires_ms)`
  yield* sql`CREATE TABLE ${tables.signing_keys} (
    kid ${column.text} PRIMARY KEY,
    sealed_secret ${column.text} NOT NULL,
    created_ms ${column.integer} NOT NULL
  )`
  // Stored until the token would have expired.
  yield* sql`CREATE TABLE ${tables.revoked_tokens} (
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    jti ${column.text} NOT NULL,
    expires_ms ${column.integer} NOT NULL,
    PRIMARY KEY (organization_id, jti)
  )`
  // Written by rate-limiter-flexible, which names the columns.
  yield* sql`CREATE TABLE ${tables.rate_limits} (
    key ${column.text} PRIMARY KEY,
    points ${column.integer} NOT NULL DEFAULT 0,
    expire ${column.integer}
  )`
})
