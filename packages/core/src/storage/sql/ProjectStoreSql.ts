import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Project } from "../../catalog/Project.js"
import { ProjectStore } from "../../catalog/ProjectStore.js"
import { OrganizationId, ProjectId } from "../../kernel/Ids.js"
import { Dialect } from "./Dialect.js"
import { Instant } from "./Rows.js"
import { storing } from "./Storing.js"
import { createdAt, tenantTable } from "./TenantTable.js"

const ProjectRow = Schema.Struct({
  id: ProjectId,
  organization_id: OrganizationId,
  name: Schema.String,
  description: Schema.String,
  created_ms: Instant,
  updated_ms: Instant
})

export const layer = Layer.effect(
  ProjectStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const { tables } = yield* Dialect
    const table = yield* tenantTable({
      store: "ProjectStore",
      table: "projects",
      row: ProjectRow,
      ofProject: false,
      scope: { project: "t.id" },
      make: (row) =>
        new Project({
          id: row.id,
          organizationId: row.organization_id,
          name: row.name,
          description: row.description,
          createdAt: row.created_ms,
          updatedAt: row.updated_ms
        })
    })

    return ProjectStore.of({
      insert: (permit, draft, now) =>
        table.insert(permit, { name: draft.name, description: draft.description, ...createdAt(now) }),
      find: table.find,
      findForUpdate: table.findForUpdate,
      list: (permit, page) => table.list(permit, page),
      save: (permit, project) =>
        table.save(permit, project.id, {
          name: project.name,
          description: project.description,
          updated_ms: DateTime.toEpochMillis(project.updatedAt)
        }),
      remove: (permit, id, now) =>
        Effect.gen(function* () {
          yield* table.softDelete(permit, id, now)
          // These have names that are unique in the organization, and free again now.
          for (const inside of [tables.agents, tables.phone_numbers]) {
            yield* sql`UPDATE ${inside} SET deleted_ms = ${DateTime.toEpochMillis(now)}
              WHERE project_id = ${id} AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL`
          }
        }).pipe(storing("ProjectStore.remove"))
    })
  })
)
