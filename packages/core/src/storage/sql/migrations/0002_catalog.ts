import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/**
 * Projects, and what tests in them refer to. Lists and objects that SQL does not query are JSON in a text column.
 */
export const catalog = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, keyOnly, nameOf, tables } = yield* Dialect
  const index = (name: string) => sql.literal(nameOf(name))

  yield* sql`CREATE TABLE ${tables.projects} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    name ${column.text} NOT NULL,
    description ${column.text} NOT NULL,
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL,
    deleted_ms ${column.integer}
  )`
  yield* sql`CREATE INDEX ${index("projects_by_organization")} ON ${tables.projects} (organization_id, id)`
  // The few that are being deleted.
  yield* sql`CREATE INDEX ${index("projects_deleted")} ON ${tables.projects} (id) WHERE deleted_ms IS NOT NULL`
  yield* sql`CREATE TABLE ${tables.agents} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    project_id ${column.integer} NOT NULL REFERENCES ${tables.projects} (id),
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
  yield* sql`CREATE INDEX ${index("agents_by_organization")} ON ${tables.agents} (organization_id, id)`
  yield* sql`CREATE INDEX ${index("agents_by_project")} ON ${tables.agents} (project_id, id)`
  // An assistant id identifies one agent of an organization, so that a webhook with it is unambiguous.
  yield* sql`CREATE UNIQUE INDEX ${index("agents_by_assistant")} ON ${tables.agents} (organization_id, assistant_id)
    WHERE assistant_id IS NOT NULL AND deleted_ms IS NULL`
  yield* sql`CREATE TABLE ${tables.personalities} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    project_id ${column.integer} NOT NULL REFERENCES ${tables.projects} (id),
    name ${column.text} NOT NULL,
    language ${column.text} NOT NULL,
    description ${column.text} NOT NULL,
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL,
    deleted_ms ${column.integer}
  )`
  yield* sql`CREATE INDEX ${index("personalities_by_organization")} ON ${tables.personalities} (organization_id, id)`
  yield* sql`CREATE TABLE ${tables.project_personalities} (
    project_id ${column.integer} NOT NULL REFERENCES ${tables.projects} (id),
    personality_id ${column.integer} NOT NULL REFERENCES ${tables.personalities} (id),
    PRIMARY KEY (project_id, personality_id)
  ) ${keyOnly}`
  yield* sql`CREATE TABLE ${tables.test_profiles} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    project_id ${column.integer} NOT NULL REFERENCES ${tables.projects} (id),
    agent_id ${column.integer} REFERENCES ${tables.agents} (id),
    name ${column.text} NOT NULL,
    information ${column.text} NOT NULL,
    created_by ${column.integer} REFERENCES ${tables.users} (id),
    updated_by ${column.integer} REFERENCES ${tables.users} (id),
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL,
    deleted_ms ${column.integer}
  )`
  yield* sql`CREATE INDEX ${index("test_profiles_by_project")} ON ${tables.test_profiles} (project_id, id)`
  yield* sql`CREATE TABLE ${tables.phone_numbers} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    project_id ${column.integer} NOT NULL REFERENCES ${tables.projects} (id),
    number ${column.text} NOT NULL,
    name ${column.text} NOT NULL,
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL,
    deleted_ms ${column.integer}
  )`
  yield* sql`CREATE INDEX ${index("phone_numbers_by_project")} ON ${tables.phone_numbers} (project_id, id)`
  yield* sql`CREATE UNIQUE INDEX ${index("phone_numbers_by_number")} ON ${tables.phone_numbers} (organization_id, number)
    WHERE deleted_ms IS NULL`
  yield* sql`CREATE TABLE ${tables.tools} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    project_id ${column.integer} NOT NULL REFERENCES ${tables.projects} (id),
    name ${column.text} NOT NULL,
    description ${column.text} NOT NULL,
    parameters ${column.text} NOT NULL,
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL,
    deleted_ms ${column.integer}
  )`
  yield* sql`CREATE INDEX ${index("tools_by_project")} ON ${tables.tools} (project_id, id)`
  yield* sql`CREATE TABLE ${tables.folders} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    project_id ${column.integer} NOT NULL REFERENCES ${tables.projects} (id),
    path ${column.text} NOT NULL,
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL,
    UNIQUE (project_id, path)
  )`
})
