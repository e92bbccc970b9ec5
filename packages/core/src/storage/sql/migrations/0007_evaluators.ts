import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/**
 * Evaluators. JSON that SQL does not query is text.
 */
export const evaluators = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, keyOnly, nameOf, tables } = yield* Dialect
  const index = (name: string) => sql.literal(nameOf(name))

  // search_text is what text search matches: name and instructions, case-folded.
  yield* sql`CREATE TABLE ${tables.evaluators} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    project_id ${column.integer} NOT NULL REFERENCES ${tables.projects} (id),
    agent_id ${column.integer} NOT NULL REFERENCES ${tables.agents} (id),
    name ${column.text} NOT NULL,
    scenario_type ${column.text} NOT NULL,
    instructions ${column.text} NOT NULL,
    search_text ${column.text} NOT NULL,
    personality_id ${column.integer} REFERENCES ${tables.personalities} (id),
    test_profile_id ${column.integer} REFERENCES ${tables.test_profiles} (id),
    phone_number_id ${column.integer} REFERENCES ${tables.phone_numbers} (id),
    folder_id ${column.integer} REFERENCES ${tables.folders} (id),
    expected_outcome_prompt ${column.text} NOT NULL,
    scenario_language ${column.text},
    first_message ${column.text} NOT NULL,
    max_duration ${column.integer},
    dynamic_variable_values ${column.text},
    created_by ${column.integer} REFERENCES ${tables.users} (id),
    updated_by ${column.integer} REFERENCES ${tables.users} (id),
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL,
    deleted_ms ${column.integer}
  )`
  yield* sql`CREATE INDEX ${index("evaluators_by_organization")} ON ${tables.evaluators} (organization_id, id)`
  yield* sql`CREATE INDEX ${index("evaluators_by_project")} ON ${tables.evaluators} (project_id, id)`
  yield* sql`CREATE INDEX ${index("evaluators_by_agent")} ON ${tables.evaluators} (agent_id, id)`
  yield* sql`CREATE INDEX ${index("evaluators_by_folder")} ON ${tables.evaluators} (folder_id, id)`
  yield* sql`CREATE TABLE ${tables.evaluator_tags} (
    evaluator_id ${column.integer} NOT NULL REFERENCES ${tables.evaluators} (id),
    tag ${column.text} NOT NULL,
    position ${column.integer} NOT NULL,
    PRIMARY KEY (evaluator_id, tag)
  ) ${keyOnly}`
  yield* sql`CREATE INDEX ${index("evaluator_tags_by_tag")} ON ${tables.evaluator_tags} (tag, evaluator_id)`
  yield* sql`CREATE TABLE ${tables.evaluator_metrics} (
    evaluator_id ${column.integer} NOT NULL REFERENCES ${tables.evaluators} (id),
    metric_id ${column.integer} NOT NULL REFERENCES ${tables.metrics} (id),
    PRIMARY KEY (evaluator_id, metric_id)
  ) ${keyOnly}`
  yield* sql`CREATE TABLE ${tables.evaluator_tools} (
    evaluator_id ${column.integer} NOT NULL REFERENCES ${tables.evaluators} (id),
    tool_id ${column.integer} NOT NULL REFERENCES ${tables.tools} (id),
    PRIMARY KEY (evaluator_id, tool_id)
  ) ${keyOnly}`
})
