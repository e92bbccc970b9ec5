import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Project } from "../../catalog/Project.js"
import { ProjectStore } from "../../catalog/ProjectStore.js"
import { OrganizationId, ProjectId } from "../../kernel/Ids.js"
import { Dialect } from "./Dialect.js"
import { keyset } from "./Keyset.js"
import { within } from "./Reach.js"
import { Instant, readRows } from "./Rows.js"
import { storing } from "./Storing.js"

const ProjectRow = Schema.Struct({
  id: ProjectId,
  organization_id: OrganizationId,
  name: Schema.String,
  description: Schema.String,
  created_ms: Instant,
  updated_ms: Instant
})

const toProject = (row: typeof ProjectRow.Type): Project =>
  new Project({
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    description: row.description,
    createdAt: row.created_ms,
    updatedAt: row.updated_ms
  })

export const layer = Layer.effect(
  ProjectStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const columns = sql.literal("id, organization_id, name, description, created_ms, updated_ms")
    const projects = readRows(ProjectRow, toProject)

    return ProjectStore.of({
      insert: (permit, draft, now) =>
        sql`INSERT INTO projects ${sql
          .insert({
            organization_id: permit.organizationId,
            name: draft.name,
            description: draft.description,
            created_ms: DateTime.toEpochMillis(now),
            updated_ms: DateTime.toEpochMillis(now)
          })
          .returning(columns)}`.pipe(projects.one, storing("ProjectStore.insert")),
      find: (permit, id) =>
        sql`SELECT ${columns} FROM projects
            WHERE id = ${id} AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL`.pipe(
          projects.first,
          storing("ProjectStore.find")
        ),
      hold: (permit, id) =>
        sql`SELECT ${columns} FROM projects
            WHERE id = ${id} AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL
            ${dialect.forUpdate}`.pipe(projects.first, storing("ProjectStore.hold")),
      list: (permit, page) =>
        sql`SELECT ${columns} FROM projects
            WHERE organization_id = ${permit.organizationId} AND deleted_ms IS NULL
              AND ${within(sql, permit, { project: "id" })}
              AND ${keyset(sql, page)}`.pipe(projects.all, storing("ProjectStore.list")),
      save: (permit, project) =>
        sql`UPDATE projects SET ${sql.update({
          name: project.name,
          description: project.description,
          updated_ms: DateTime.toEpochMillis(project.updatedAt)
        })} WHERE id = ${project.id} AND organization_id = ${permit.organizationId}`.pipe(
          Effect.asVoid,
          storing("ProjectStore.save")
        ),
      remove: (permit, id, now) =>
        Effect.gen(function* () {
          yield* sql`UPDATE projects SET deleted_ms = ${DateTime.toEpochMillis(now)}
            WHERE id = ${id} AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL`
          // These have names that are unique in the organisation, and free again now.
          for (const table of ["agents", "phone_numbers"]) {
            yield* sql`UPDATE ${sql.literal(table)} SET deleted_ms = ${DateTime.toEpochMillis(now)}
              WHERE project_id = ${id} AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL`
          }
        }).pipe(storing("ProjectStore.remove"))
    })
  })
)
