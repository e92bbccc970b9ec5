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
import { documentText, Instant, jsonColumn, readRows } from "./Rows.js"
import { storing } from "./Storing.js"
import { createdAt, tenantTable } from "./TenantTable.js"

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
  group_by: documentText(spec.groupBy),
  metadata: JSON.stringify(spec.metadata)
})

export const layer = Layer.effect(
  WidgetStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const { tables } = dialect
    const table = yield* tenantTable({
      store: "WidgetStore",
      table: "widgets",
      row: WidgetRow,
      softDeletes: false,
      ofProject: false,
      joins: sql`JOIN ${tables.dashboards} d ON d.id = t.dashboard_id
        JOIN ${tables.projects} p ON p.id = d.project_id AND p.deleted_ms IS NULL
        LEFT JOIN ${tables.metrics} m ON m.id = t.metric_id`,
      expressions: {
        project_id: "d.project_id",
        dashboard_filters: "d.filters",
        metric_name: "m.name",
        eval_type: "m.eval_type"
      },
      scope: { project: "d.project_id", dashboard: "d.id" },
      make: toWidget
    })
    const counts = readRows(Schema.Struct({ n: Schema.Number }), ({ n }) => n)

    return WidgetStore.of({
      insert: (permit, spec, now) =>
        Effect.map(table.insert(permit, { ...columnsOf(spec), ...createdAt(now) }), ({ id }) => id),
      find: table.find,
      findForUpdate: table.findForUpdate,
      ofDashboards: (permit, dashboards) => table.all(permit, dialect.isOneOf("t.dashboard_id", dashboards)),
      count: (permit, dashboard) =>
        sql`SELECT count(*) AS n FROM ${tables.widgets}
            WHERE dashboard_id = ${dashboard} AND organization_id = ${permit.organizationId}`.pipe(
          counts.one,
          storing("WidgetStore.count")
        ),
      list: (permit, page, dashboard) => table.list(permit, page, { dashboard_id: dashboard }),
      save: (permit, id, spec, now) =>
        table.save(permit, id, { ...columnsOf(spec), updated_ms: DateTime.toEpochMillis(now) }),
      remove: table.delete
    })
  })
)
