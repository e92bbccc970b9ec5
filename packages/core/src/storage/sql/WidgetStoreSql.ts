import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Aggregate, DataType, TimePeriod } from "../../analytics/Measure.js"
import { GivenFilter } from "../../dashboards/GivenFilter.js"
import { ChartType, GroupBy } from "../../dashboards/Widget.js"
import type { WidgetSpec } from "../../dashboards/WidgetSpec.js"
import type { StoredWidget } from "../../dashboards/WidgetSpec.js"
import { WidgetStore } from "../../dashboards/WidgetStore.js"
import { DashboardId, MetricId, ProjectId, WidgetId } from "../../kernel/Ids.js"
import { Json } from "../../kernel/Json.js"
import { EvalType } from "../../metrics/MetricTerms.js"
import { Dialect } from "./Dialect.js"
import { keyset } from "./Keyset.js"
import { within } from "./Reach.js"
import { Instant, jsonColumn, readRows } from "./Rows.js"
import { storing } from "./Storing.js"

const WidgetRow = Schema.Struct({
  id: WidgetId,
  dashboard_id: DashboardId,
  name: Schema.String,
  chart_type: ChartType,
  filters: jsonColumn(GivenFilter),
  data_type: Schema.NullOr(DataType),
  field: Schema.String,
  metric_id: Schema.NullOr(MetricId),
  time_period: Schema.NullOr(TimePeriod),
  aggregation_function: Schema.NullOr(Aggregate),
  group_by: Schema.NullOr(jsonColumn(GroupBy)),
  metadata: jsonColumn(Json),
  created_ms: Instant,
  updated_ms: Instant,
  project_id: ProjectId,
  dashboard_filters: jsonColumn(GivenFilter),
  metric_name: Schema.NullOr(Schema.String),
  eval_type: Schema.NullOr(EvalType)
})

const toWidget = (row: typeof WidgetRow.Type): StoredWidget => ({
  id: row.id,
  spec: {
    dashboardId: row.dashboard_id,
    name: row.name,
    chartType: row.chart_type,
    filters: row.filters,
    dataType: row.data_type,
    field: row.field,
    metricId: row.metric_id,
    timePeriod: row.time_period,
    aggregationFunction: row.aggregation_function,
    groupBy: row.group_by,
    metadata: row.metadata
  },
  projectId: row.project_id,
  dashboardFilter: row.dashboard_filters.filter,
  metric:
    row.metric_name === null || row.eval_type === null ? null : { name: row.metric_name, evalType: row.eval_type },
  createdAt: row.created_ms,
  updatedAt: row.updated_ms
})

const columnsOf = (spec: WidgetSpec) => ({
  dashboard_id: spec.dashboardId,
  name: spec.name,
  chart_type: spec.chartType,
  filters: JSON.stringify(spec.filters.given),
  data_type: spec.dataType,
  field: spec.field,
  metric_id: spec.metricId,
  time_period: spec.timePeriod,
  aggregation_function: spec.aggregationFunction,
  group_by: spec.groupBy === null ? null : JSON.stringify(spec.groupBy),
  metadata: JSON.stringify(spec.metadata)
})

export const layer = Layer.effect(
  WidgetStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const selected = sql.literal(`
      SELECT w.id, w.dashboard_id, w.name, w.chart_type, w.filters, w.data_type, w.field, w.metric_id, w.time_period,
        w.aggregation_function, w.group_by, w.metadata, w.created_ms, w.updated_ms,
        d.project_id, d.filters AS dashboard_filters, m.name AS metric_name, m.eval_type
      FROM widgets w
      JOIN dashboards d ON d.id = w.dashboard_id
      JOIN projects p ON p.id = d.project_id AND p.deleted_ms IS NULL
      LEFT JOIN metrics m ON m.id = w.metric_id`)
    const widgets = readRows(WidgetRow, toWidget)
    const ids = readRows(Schema.Struct({ id: WidgetId }), ({ id }) => id)
    const counts = readRows(Schema.Struct({ n: Schema.Number }), ({ n }) => n)

    return WidgetStore.of({
      insert: (permit, spec, now) =>
        sql`INSERT INTO widgets ${sql
          .insert({
            organization_id: permit.organizationId,
            ...columnsOf(spec),
            created_ms: DateTime.toEpochMillis(now),
            updated_ms: DateTime.toEpochMillis(now)
          })
          .returning("id")}`.pipe(ids.one, storing("WidgetStore.insert")),
      find: (permit, id) =>
        sql`${selected} WHERE w.id = ${id} AND w.organization_id = ${permit.organizationId}`.pipe(
          widgets.first,
          storing("WidgetStore.find")
        ),
      hold: (permit, id) =>
        // Apart, since PostgreSQL locks no row that an outer join may leave out.
        sql`SELECT id FROM widgets
            WHERE id = ${id} AND organization_id = ${permit.organizationId} ${dialect.forUpdate}`.pipe(
          Effect.zipRight(
            sql`${selected} WHERE w.id = ${id} AND w.organization_id = ${permit.organizationId}`.pipe(widgets.first)
          ),
          storing("WidgetStore.hold")
        ),
      ofDashboards: (permit, dashboards) =>
        sql`${selected}
            WHERE w.dashboard_id IN ${dialect.integers(dashboards)} AND w.organization_id = ${permit.organizationId}
            ORDER BY w.id`.pipe(widgets.all, storing("WidgetStore.ofDashboards")),
      count: (permit, dashboard) =>
        sql`SELECT count(*) AS n FROM widgets
            WHERE dashboard_id = ${dashboard} AND organization_id = ${permit.organizationId}`.pipe(
          counts.one,
          storing("WidgetStore.count")
        ),
      list: (permit, page, dashboard) =>
        sql`${selected}
            WHERE w.organization_id = ${permit.organizationId}
              AND ${dashboard === null ? sql`1 = 1` : sql`w.dashboard_id = ${dashboard}`}
              AND ${within(sql, permit, { project: "d.project_id", dashboard: "d.id" })}
              AND ${keyset(sql, page, "w.id")}`.pipe(widgets.all, storing("WidgetStore.list")),
      save: (permit, id, spec, now) =>
        sql`UPDATE widgets SET ${sql.update({ ...columnsOf(spec), updated_ms: DateTime.toEpochMillis(now) })}
            WHERE id = ${id} AND organization_id = ${permit.organizationId}`.pipe(
          Effect.asVoid,
          storing("WidgetStore.save")
        ),
      remove: (permit, id) =>
        sql`DELETE FROM widgets WHERE id = ${id} AND organization_id = ${permit.organizationId}`.pipe(
          Effect.asVoid,
          storing("WidgetStore.remove")
        )
    })
  })
)
