import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/**
 * Metrics. JSON that SQL does not query is text.
 */
export const metrics = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, nameOf, tables } = yield* Dialect
  const index = (name: string) => sql.literal(nameOf(name))

  yield* sql`CREATE TABLE ${tables.metrics} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    project_id ${column.integer} NOT NULL REFERENCES ${tables.projects} (id),
    agent_id ${column.integer} NOT NULL REFERENCES ${tables.agents} (id),
    name ${column.text} NOT NULL,
    slug ${column.text},
    type ${column.text} NOT NULL,
    eval_type ${column.text} NOT NULL,
    description ${column.text} NOT NULL DEFAULT '',
    enum_values ${column.text},
    audio_enabled ${column.flag} NOT NULL DEFAULT 0,
    prompt ${column.text} NOT NULL DEFAULT '',
    evaluation_trigger ${column.text} NOT NULL DEFAULT 'always',
    evaluation_trigger_prompt ${column.text} NOT NULL DEFAULT '',
    priority_assignment_prompt ${column.text} NOT NULL DEFAULT '',
    configuration ${column.text},
    display_order ${column.integer} NOT NULL DEFAULT 0,
    knowledge_base_files ${column.text} NOT NULL DEFAULT '[]',
    observability_enabled ${column.flag} NOT NULL DEFAULT 1,
    simulation_enabled ${column.flag} NOT NULL DEFAULT 1,
    function_name ${column.text} NOT NULL DEFAULT '',
    custom_code ${column.text} NOT NULL DEFAULT '',
    predefined_code ${column.text},
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL,
    deleted_ms ${column.integer}
  )`
  yield* sql`CREATE INDEX ${index("metrics_by_agent")} ON ${tables.metrics} (agent_id, id)`
  yield* sql`CREATE INDEX ${index("metrics_by_project")} ON ${tables.metrics} (project_id, slug)`
  // Includes deleted rows: a predefined metric that was deleted is disabled, and must not be created again.
  yield* sql`CREATE UNIQUE INDEX ${index("metrics_by_predefined_code")} ON ${tables.metrics} (agent_id, predefined_code)
    WHERE predefined_code IS NOT NULL`
  yield* sql`CREATE UNIQUE INDEX ${index("metrics_by_slug")} ON ${tables.metrics} (agent_id, slug) WHERE slug IS NOT NULL AND deleted_ms IS NULL`
  yield* sql`CREATE INDEX ${index("metrics_by_organization")} ON ${tables.metrics} (organization_id, id)`
})
