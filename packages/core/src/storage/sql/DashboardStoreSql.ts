import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { StoredDashboard } from "../../dashboards/Dashboard.js"
import { DashboardStore } from "../../dashboards/DashboardStore.js"
import { GivenFilter } from "../../dashboards/GivenFilter.js"
import { DashboardId, ProjectId } from "../../kernel/Ids.js"
import { Dialect } from "./Dialect.js"
import { keyset } from "./Keyset.js"
import { within } from "./Reach.js"
import { Instant, jsonColumn, readRows } from "./Rows.js"
import { storing } from "./Storing.js"

const DashboardRow = Schema.Struct({
  id: DashboardId,
  project_id: ProjectId,
  name: Schema.String,
  filters: jsonColumn(GivenFilter),
  created_ms: Instant,
  updated_ms: Instant
})

const toDashboard = (row: typeof DashboardRow.Type): StoredDashboard => ({
  id: row.id,
  spec: { projectId: row.project_id, name: row.name, filters: row.filters },
  createdAt: row.created_ms,
  updatedAt: row.updated_ms
})

export const layer = Layer.effect(
  DashboardStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const columns = sql.literal("d.id, d.project_id, d.name, d.filters, d.created_ms, d.updated_ms")
    const tables = sql.literal("dashboards d JOIN projects p ON p.id = d.project_id AND p.deleted_ms IS NULL")
    const dashboards = readRows(DashboardRow, toDashboard)

    return DashboardStore.of({
      insert: (permit, spec, now) =>
        sql`INSERT INTO dashboards ${sql
          .insert({
            organization_id: permit.organizationId,
            project_id: spec.projectId,
            name: spec.name,
            filters: JSON.stringify(spec.filters.given),
            created_ms: DateTime.toEpochMillis(now),
            updated_ms: DateTime.toEpochMillis(now)
          })
          .returning("id, project_id, name, filters, created_ms, updated_ms")}`.pipe(
          dashboards.one,
          storing("DashboardStore.insert")
        ),
      find: (permit, id) =>
        sql`SELECT ${columns} FROM ${tables} WHERE d.id = ${id} AND d.organization_id = ${permit.organizationId}`.pipe(
          dashboards.first,
          storing("DashboardStore.find")
        ),
      hold: (permit, id) =>
        sql`SELECT ${columns} FROM ${tables}
            WHERE d.id = ${id} AND d.organization_id = ${permit.organizationId} ${dialect.forUpdate}`.pipe(
          dashboards.first,
          storing("DashboardStore.hold")
        ),
      list: (permit, page, project) =>
        sql`SELECT ${columns} FROM ${tables}
            WHERE d.organization_id = ${permit.organizationId}
              AND ${project === null ? sql`1 = 1` : sql`d.project_id = ${project}`}
              AND ${within(sql, permit, { project: "d.project_id", dashboard: "d.id" })}
              AND ${keyset(sql, page, "d.id")}`.pipe(dashboards.all, storing("DashboardStore.list")),
      save: (permit, { id, spec, updatedAt }) =>
        sql`UPDATE dashboards SET ${sql.update({
          name: spec.name,
          filters: JSON.stringify(spec.filters.given),
          updated_ms: DateTime.toEpochMillis(updatedAt)
        })} WHERE id = ${id} AND organization_id = ${permit.organizationId}`.pipe(
          Effect.asVoid,
          storing("DashboardStore.save")
        ),
      remove: (permit, id) =>
        sql`DELETE FROM dashboards WHERE id = ${id} AND organization_id = ${permit.organizationId}`.pipe(
          Effect.asVoid,
          storing("DashboardStore.remove")
        )
    })
  })
)
