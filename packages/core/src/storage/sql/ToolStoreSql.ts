import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Tool } from "../../catalog/Tool.js"
import { ToolStore } from "../../catalog/ToolStore.js"
import { OrganizationId, ProjectId, ToolId } from "../../kernel/Ids.js"
import { JsonObject } from "../../kernel/Json.js"
import { catalogTable } from "./CatalogTable.js"
import { Dialect } from "./Dialect.js"
import { within } from "./Reach.js"
import { Instant, jsonColumn, readRows } from "./Rows.js"
import { storing } from "./Storing.js"

const ToolRow = Schema.Struct({
  id: ToolId,
  organization_id: OrganizationId,
  project_id: ProjectId,
  name: Schema.String,
  description: Schema.String,
  parameters: jsonColumn(JsonObject),
  created_ms: Instant,
  updated_ms: Instant
})

export const layer = Layer.effect(
  ToolStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const table = yield* catalogTable({
      store: "ToolStore",
      table: "tools",
      row: ToolRow,
      columns: "t.id, t.organization_id, t.project_id, t.name, t.description, t.parameters, t.created_ms, t.updated_ms",
      make: (row) =>
        new Tool({
          id: row.id,
          organizationId: row.organization_id,
          projectId: row.project_id,
          name: row.name,
          description: row.description,
          parameters: row.parameters,
          createdAt: row.created_ms,
          updatedAt: row.updated_ms
        })
    })

    const names = readRows(Schema.Struct({ id: ToolId, name: Schema.String }), (row) => row)

    return ToolStore.of({
      insert: (permit, tool, now) =>
        table
          .insert(
            permit,
            {
              project_id: tool.projectId,
              name: tool.name,
              description: tool.description,
              parameters: JSON.stringify(tool.parameters)
            },
            now
          )
          .pipe(storing("ToolStore.insert")),
      find: table.find,
      hold: table.hold,
      list: (permit, { projectId }, page) =>
        table.list(permit, projectId === null ? [] : [sql`t.project_id = ${projectId}`], page),
      findAll: (permit, ids) =>
        table.all(
          permit,
          sql`t.id IN ${dialect.integers(ids)} AND ${within(sql, permit, { project: "t.project_id" })}`
        ),
      namesIn: (permit, project) =>
        sql`SELECT id, name FROM tools
            WHERE project_id = ${project} AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL
            ORDER BY id`.pipe(names.all, storing("ToolStore.namesIn")),
      save: (permit, tool) =>
        table
          .save(permit, tool.id, {
            name: tool.name,
            description: tool.description,
            parameters: JSON.stringify(tool.parameters),
            updated_ms: DateTime.toEpochMillis(tool.updatedAt)
          })
          .pipe(storing("ToolStore.save")),
      remove: (permit, id, now) =>
        table.remove(permit, id, now, [sql`DELETE FROM evaluator_tools WHERE tool_id = ${id}`])
    })
  })
)
