import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { TestProfileStore } from "../../catalog/TestProfileStore.js"
import { TestProfileId } from "../../kernel/Ids.js"
import { Dialect } from "./Dialect.js"
import { readRows } from "./Rows.js"
import { storing } from "./Storing.js"
import { createdAt, tenantTable } from "./TenantTable.js"
import { profileExpressions, profileJoins, TestProfileRow, toTestProfile } from "./TestProfileRows.js"

export const layer = Layer.effect(
  TestProfileStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const { tables } = yield* Dialect
    const table = yield* tenantTable({
      store: "TestProfileStore",
      table: "test_profiles",
      row: TestProfileRow,
      joins: profileJoins(sql, tables),
      expressions: profileExpressions,
      make: toTestProfile,
      scope: { project: "t.project_id", agent: "t.agent_id" }
    })

    const names = readRows(Schema.Struct({ id: TestProfileId, name: Schema.String }), (row) => row)

    return TestProfileStore.of({
      insert: (permit, profile, now) =>
        table.insert(permit, {
          project_id: profile.projectId,
          agent_id: profile.agentId,
          name: profile.name,
          information: JSON.stringify(profile.information),
          created_by: permit.userId,
          updated_by: permit.userId,
          ...createdAt(now)
        }),
      find: table.find,
      findForUpdate: table.findForUpdate,
      list: (permit, { agentId, projectId }, page) =>
        table.list(permit, page, { project_id: projectId, agent_id: agentId }),
      namesIn: (permit, project) =>
        sql`SELECT id, name FROM ${tables.test_profiles}
            WHERE project_id = ${project} AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL
            ORDER BY id`.pipe(names.all, storing("TestProfileStore.namesIn")),
      save: (permit, profile) =>
        table.save(permit, profile.id, {
          agent_id: profile.agentId,
          name: profile.name,
          information: JSON.stringify(profile.information),
          updated_by: profile.lastUpdatedBy,
          updated_ms: DateTime.toEpochMillis(profile.updatedAt)
        }),
      remove: (permit, id, now) =>
        table.softDelete(permit, id, now, [
          sql`UPDATE ${tables.evaluators} SET test_profile_id = NULL
              WHERE test_profile_id = ${id} AND organization_id = ${permit.organizationId}`
        ])
    })
  })
)
