import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/** Metrics and their evaluations of calls, and the dashboards that show both. */
export const dashboards = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column } = yield* Dialect

  yield* sql`CREATE TABLE metrics (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES organizations (id),
    project_id ${column.integer} NOT NULL REFERENCES projects (id),
    agent_id ${column.integer} NOT NULL REFERENCES agents (id),
    name ${column.text} NOT NULL,
    slug ${column.text},
    type ${column.text} NOT NULL,
    eval_type ${column.text} NOT NULL,
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL,
    deleted_ms ${column.integer}
  )`
  yield* sql`CREATE INDEX metrics_by_agent ON metrics (agent_id, id)`
  yield* sql`CREATE INDEX metrics_by_project ON metrics (project_id, slug)`
  // value_number holds numbers, and booleans as 0 and 1; value_text holds words; value_kind tells which is meant: number,
  // boolean, text, or null for an evaluation that came to no value.
  yield* sql`CREATE TABLE metric_evaluations (
    id ${column.id},
    call_id ${column.integer} NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
    metric_id ${column.integer} NOT NULL REFERENCES metrics (id),
    value_kind ${column.text} NOT NULL,
    value_number ${column.real},
    value_text ${column.text},
    created_ms ${column.integer} NOT NULL,
    UNIQUE (call_id, metric_id)
  )`
  yield* sql`CREATE INDEX metric_evaluations_by_metric ON metric_evaluations (metric_id, call_id, value_number)`
  // Filters, groupings and metadata are JSON that SQL never looks into, so they are kept as the text that was given.
  yield* sql`CREATE TABLE dashboards (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES organizations (id),
    project_id ${column.integer} NOT NULL REFERENCES projects (id),
    name ${column.text} NOT NULL,
    filters ${column.text} NOT NULL,
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL
  )`
  yield* sql`CREATE INDEX dashboards_by_project ON dashboards (organization_id, project_id, id)`
  yield* sql`CREATE TABLE widgets (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES organizations (id),
    dashboard_id ${column.integer} NOT NULL REFERENCES dashboards (id) ON DELETE CASCADE,
    name ${column.text} NOT NULL,
    chart_type ${column.text} NOT NULL,
    filters ${column.text} NOT NULL,
    data_type ${column.text},
    field ${column.text} NOT NULL,
    metric_id ${column.integer} REFERENCES metrics (id),
    time_period ${column.text},
    aggregation_function ${column.text},
    group_by ${column.text},
    metadata ${column.text} NOT NULL,
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL
  )`
  yield* sql`CREATE INDEX widgets_by_dashboard ON widgets (dashboard_id, id)`
})
