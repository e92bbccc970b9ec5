import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { TestProfileStore } from "../../catalog/TestProfileStore.js"
import { TestProfileId } from "../../kernel/Ids.js"
import { catalogTable } from "./CatalogTable.js"
import { readRows } from "./Rows.js"
import { storing } from "./Storing.js"
import { profileColumns, profileJoins, TestProfileRow, toTestProfile } from "./TestProfileRows.js"

export const layer = Layer.effect(
  TestProfileStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const table = yield* catalogTable({
      store: "TestProfileStore",
      table: "test_profiles",
      row: TestProfileRow,
      columns: profileColumns,
      joins: profileJoins,
      make: toTestProfile,
      reach: { project: "t.project_id", agent: "t.agent_id" }
    })

    const names = readRows(Schema.Struct({ id: TestProfileId, name: Schema.String }), (row) => row)

    return TestProfileStore.of({
      insert: (permit, profile, now) =>
        table
          .insert(
            permit,
            {
              project_id: profile.projectId,
              agent_id: profile.agentId,
              name: profile.name,
              information: JSON.stringify(profile.information),
              created_by: permit.userId,
              updated_by: permit.userId
            },
            now
          )
          .pipe(storing("TestProfileStore.insert")),
      find: table.find,
      hold: table.hold,
      list: (permit, { agentId, projectId }, page) =>
        table.list(
          permit,
          [
            ...(projectId === null ? [] : [sql`t.project_id = ${projectId}`]),
            ...(agentId === null ? [] : [sql`t.agent_id = ${agentId}`])
          ],
          page
        ),
      namesIn: (permit, project) =>
        sql`SELECT id, name FROM test_profiles
            WHERE project_id = ${project} AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL
            ORDER BY id`.pipe(names.all, storing("TestProfileStore.namesIn")),
      save: (permit, profile) =>
        table
          .save(permit, profile.id, {
            agent_id: profile.agentId,
            name: profile.name,
            information: JSON.stringify(profile.information),
            updated_by: profile.lastUpdatedBy,
            updated_ms: DateTime.toEpochMillis(profile.updatedAt)
          })
          .pipe(storing("TestProfileStore.save")),
      remove: (permit, id, now) =>
        table.remove(permit, id, now, [
          sql`UPDATE evaluators SET test_profile_id = NULL
              WHERE test_profile_id = ${id} AND organization_id = ${permit.organizationId}`
        ])
    })
  })
)
