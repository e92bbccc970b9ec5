import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/** Evaluators, and what of the catalogue they refer to. JSON that SQL never looks into is text. */
export const evaluators = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, keyOnly } = yield* Dialect

  yield* sql`CREATE TABLE personalities (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES organizations (id),
    project_id ${column.integer} NOT NULL REFERENCES projects (id),
    name ${column.text} NOT NULL,
    language ${column.text} NOT NULL,
    description ${column.text} NOT NULL,
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL,
    deleted_ms ${column.integer}
  )`
  yield* sql`CREATE INDEX personalities_by_organization ON personalities (organization_id, id)`
  yield* sql`CREATE TABLE project_personalities (
    project_id ${column.integer} NOT NULL REFERENCES projects (id),
    personality_id ${column.integer} NOT NULL REFERENCES personalities (id),
    PRIMARY KEY (project_id, personality_id)
  ) ${keyOnly}`
  yield* sql`CREATE TABLE test_profiles (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES organizations (id),
    project_id ${column.integer} NOT NULL REFERENCES projects (id),
    agent_id ${column.integer} REFERENCES agents (id),
    name ${column.text} NOT NULL,
    information ${column.text} NOT NULL,
    created_by ${column.integer} REFERENCES users (id),
    updated_by ${column.integer} REFERENCES users (id),
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL,
    deleted_ms ${column.integer}
  )`
  yield* sql`CREATE INDEX test_profiles_by_project ON test_profiles (project_id, id)`
  yield* sql`CREATE TABLE phone_numbers (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES organizations (id),
    project_id ${column.integer} NOT NULL REFERENCES projects (id),
    number ${column.text} NOT NULL,
    name ${column.text} NOT NULL,
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL,
    deleted_ms ${column.integer}
  )`
  yield* sql`CREATE INDEX phone_numbers_by_project ON phone_numbers (project_id, id)`
  yield* sql`CREATE UNIQUE INDEX phone_numbers_by_number ON phone_numbers (organization_id, number)
    WHERE deleted_ms IS NULL`
  yield* sql`CREATE TABLE tools (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES organizations (id),
    project_id ${column.integer} NOT NULL REFERENCES projects (id),
    name ${column.text} NOT NULL,
    description ${column.text} NOT NULL,
    parameters ${column.text} NOT NULL,
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL,
    deleted_ms ${column.integer}
  )`
  yield* sql`CREATE INDEX tools_by_project ON tools (project_id, id)`
  yield* sql`CREATE TABLE folders (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES organizations (id),
    project_id ${column.integer} NOT NULL REFERENCES projects (id),
    path ${column.text} NOT NULL,
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL,
    UNIQUE (project_id, path)
  )`
  // search_text is what a search by text looks into: name and instructions in one case.
  yield* sql`CREATE TABLE evaluators (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES organizations (id),
    project_id ${column.integer} NOT NULL REFERENCES projects (id),
    agent_id ${column.integer} NOT NULL REFERENCES agents (id),
    name ${column.text} NOT NULL,
    scenario_type ${column.text} NOT NULL,
    instructions ${column.text} NOT NULL,
    search_text ${column.text} NOT NULL,
    personality_id ${column.integer} REFERENCES personalities (id),
    test_profile_id ${column.integer} REFERENCES test_profiles (id),
    phone_number_id ${column.integer} REFERENCES phone_numbers (id),
    folder_id ${column.integer} REFERENCES folders (id),
    expected_outcome_prompt ${column.text} NOT NULL,
    scenario_language ${column.text},
    first_message ${column.text} NOT NULL,
    max_duration ${column.integer},
    dynamic_variable_values ${column.text},
    created_by ${column.integer} REFERENCES users (id),
    updated_by ${column.integer} REFERENCES users (id),
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL,
    deleted_ms ${column.integer}
  )`
  yield* sql`CREATE INDEX evaluators_by_organization ON evaluators (organization_id, id)`
  yield* sql`CREATE INDEX evaluators_by_project ON evaluators (project_id, id)`
  yield* sql`CREATE INDEX evaluators_by_agent ON evaluators (agent_id, id)`
  yield* sql`CREATE INDEX evaluators_by_folder ON evaluators (folder_id, id)`
  yield* sql`CREATE TABLE evaluator_tags (
    evaluator_id ${column.integer} NOT NULL REFERENCES evaluators (id),
    tag ${column.text} NOT NULL,
    position ${column.integer} NOT NULL,
    PRIMARY KEY (evaluator_id, tag)
  ) ${keyOnly}`
  yield* sql`CREATE INDEX evaluator_tags_by_tag ON evaluator_tags (tag, evaluator_id)`
  yield* sql`CREATE TABLE evaluator_metrics (
    evaluator_id ${column.integer} NOT NULL REFERENCES evaluators (id),
    metric_id ${column.integer} NOT NULL REFERENCES metrics (id),
    PRIMARY KEY (evaluator_id, metric_id)
  ) ${keyOnly}`
  yield* sql`CREATE TABLE evaluator_tools (
    evaluator_id ${column.integer} NOT NULL REFERENCES evaluators (id),
    tool_id ${column.integer} NOT NULL REFERENCES tools (id),
    PRIMARY KEY (evaluator_id, tool_id)
  ) ${keyOnly}`
})
