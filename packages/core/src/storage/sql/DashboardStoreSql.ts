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
import { Instant, jsonColumn } from "./Rows.js"
import { createdAt, tenantTable } from "./TenantTable.js"

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
    const { bytes, column, tables } = yield* Dialect
    const table = yield* tenantTable({
      store: "DashboardStore",
      table: "dashboards",
      row: DashboardRow,
      softDeletes: false,
      scope: { project: "t.project_id", dashboard: "t.id" },
      // A dashboard is returned with its widgets, whose filters include the dashboard's.
      furtherBytes: sql`(SELECT CAST(COALESCE(SUM(${bytes(sql`w.filters`)} * 2 + ${bytes(sql`w.metadata`)} + ${bytes(sql`t.filters`)} + 500), 0) AS ${column.integer})
        FROM ${tables.widgets} w WHERE w.dashboard_id = t.id)`,
      make: toDashboard
    })

    return DashboardStore.of({
      insert: (permit, spec, now) =>
        table.insert(permit, {
          project_id: spec.projectId,
          name: spec.name,
          filters: JSON.stringify(spec.filters.given),
          ...createdAt(now)
        }),
      find: table.find,
      findForUpdate: table.findForUpdate,
      list: (permit, page, project) => table.list(permit, page, { project_id: project }),
      save: (permit, { id, spec, updatedAt }) =>
        table.save(permit, id, {
          name: spec.name,
          filters: JSON.stringify(spec.filters.given),
          updated_ms: DateTime.toEpochMillis(updatedAt)
        }),
      remove: table.delete
    })
  })
)
