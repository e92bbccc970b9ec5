import * as Schema from "effect/Schema"
import { TestProfile } from "../../catalog/TestProfile.js"
import { AgentId, ProjectId, TestProfileId, UserId } from "../../kernel/Ids.js"
import { JsonObject } from "../../kernel/Json.js"
import { Instant, jsonColumn } from "./Rows.js"

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

/** The columns of `TestProfileRow`, of `test_profiles t` joined as `profileJoins` says. */
export const profileColumns =
  "t.id, t.project_id, a.id AS agent_id, a.name AS agent_name, t.name, t.information, t.created_by, t.updated_by, t.created_ms, t.updated_ms"
export const profileJoins = "LEFT JOIN agents a ON a.id = t.agent_id AND a.deleted_ms IS NULL"

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
