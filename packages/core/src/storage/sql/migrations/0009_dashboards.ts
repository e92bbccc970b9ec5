import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/**
 * Dashboards and widgets. Filters, groupings and metadata are JSON that SQL does not query, so the given text is
 * stored.
 */
export const dashboards = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, nameOf, tables } = yield* Dialect
  const index = (name: string) => sql.literal(nameOf(name))

  yield* sql`CREATE TABLE ${tables.dashboards} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    project_id ${column.integer} NOT NULL REFERENCES ${tables.projects} (id),
    name ${column.text} NOT NULL,
    filters ${column.text} NOT NULL,
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL
  )`
  yield* sql`CREATE INDEX ${index("dashboards_by_project")} ON ${tables.dashboards} (organization_id, project_id, id)`
  yield* sql`CREATE TABLE ${tables.widgets} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    dashboard_id ${column.integer} NOT NULL REFERENCES ${tables.dashboards} (id) ON DELETE CASCADE,
    name ${column.text} NOT NULL,
    chart_type ${column.text} NOT NULL,
    filters ${column.text} NOT NULL,
    data_type ${column.text},
    field ${column.text} NOT NULL,
    metric_id ${column.integer} REFERENCES ${tables.metrics} (id),
    time_period ${column.text},
    aggregation_function ${column.text},
    group_by ${column.text},
    metadata ${column.text} NOT NULL,
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL
  )`
  yield* sql`CREATE INDEX ${index("widgets_by_dashboard")} ON ${tables.widgets} (dashboard_id, id)`
})
