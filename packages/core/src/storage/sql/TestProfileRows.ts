import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Schema from "effect/Schema"
import { TestProfile } from "../../catalog/TestProfile.js"
import { AgentId, ProjectId, TestProfileId, UserId } from "../../kernel/Ids.js"
import { JsonObject } from "../../kernel/Json.js"
import { Instant, jsonColumn } from "./Rows.js"
import type { Tables } from "./Tables.js"

/** A test profile's columns, with its agent's where that is there. */
export const TestProfileRow = Schema.Struct({
  id: TestProfileId,
  project_id: ProjectId,
  agent_id: Schema.NullOr(AgentId),
  agent_name: Schema.NullOr(Schema.String),
  name: Schema.String,
  information: jsonColumn(JsonObject),
  created_by: Schema.NullOr(UserId),
  updated_by: Schema.NullOr(UserId),
  created_ms: Instant,
  updated_ms: Instant
})

/** What the columns are read from that are not `test_profiles t`'s own. */
export const profileExpressions = { agent_id: "a.id", agent_name: "a.name" }

export const profileJoins = (sql: SqlClient, tables: Tables): Fragment =>
  sql`LEFT JOIN ${tables.agents} a ON a.id = t.agent_id AND a.deleted_ms IS NULL`

export const toTestProfile = (row: typeof TestProfileRow.Type): TestProfile =>
  new TestProfile({
    id: row.id,
    projectId: row.project_id,
    agentId: row.agent_id,
    agentName: row.agent_name,
    name: row.name,
    information: row.information,
    createdBy: row.created_by,
    lastUpdatedBy: row.updated_by,
    createdAt: row.created_ms,
    updatedAt: row.updated_ms
  })
