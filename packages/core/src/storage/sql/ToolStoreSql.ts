import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Tool } from "../../catalog/Tool.js"
import { ToolStore } from "../../catalog/ToolStore.js"
import { OrganizationId, ProjectId, ToolId } from "../../kernel/Ids.js"
import { JsonObject } from "../../kernel/Json.js"
import { Dialect } from "./Dialect.js"
import { scopePredicate } from "./ScopeSql.js"
import { Instant, jsonColumn, readRows } from "./Rows.js"
import { storing } from "./Storing.js"
import { createdAt, tenantTable } from "./TenantTable.js"

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
    const { tables } = dialect
    const table = yield* tenantTable({
      store: "ToolStore",
      table: "tools",
      row: ToolRow,
      scope: { project: "t.project_id" },
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
        table.insert(permit, {
          project_id: tool.projectId,
          name: tool.name,
          description: tool.description,
          parameters: JSON.stringify(tool.parameters),
          ...createdAt(now)
        }),
      find: table.find,
      findForUpdate: table.findForUpdate,
      list: (permit, { projectId }, page) => table.list(permit, page, { project_id: projectId }),
      findAll: (permit, ids) =>
        table.all(
          permit,
          sql`${dialect.isOneOf("t.id", ids)} AND ${scopePredicate(sql, permit, { project: "t.project_id" })}`
        ),
      namesIn: (permit, project) =>
        sql`SELECT id, name FROM ${tables.tools}
            WHERE project_id = ${project} AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL
            ORDER BY id`.pipe(names.all, storing("ToolStore.namesIn")),
      save: (permit, tool) =>
        table.save(permit, tool.id, {
          name: tool.name,
          description: tool.description,
          parameters: JSON.stringify(tool.parameters),
          updated_ms: DateTime.toEpochMillis(tool.updatedAt)
        }),
      remove: (permit, id, now) =>
        table.softDelete(permit, id, now, [sql`DELETE FROM ${tables.evaluator_tools} WHERE tool_id = ${id}`])
    })
  })
)
