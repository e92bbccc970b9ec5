import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { AgentId, MetricId, OrganizationId, ProjectId } from "../../kernel/Ids.js"
import type { Metric } from "../../metrics/Metric.js"
import { MetricStore } from "../../metrics/MetricStore.js"
import { EvalType, EvaluationTrigger, JsonFromSelf, MetricType } from "../../metrics/MetricTerms.js"
import { Dialect } from "./Dialect.js"
import { keyset } from "./Keyset.js"
import { newColumns, specColumns } from "./MetricColumns.js"
import { within } from "./Reach.js"
import { Instant, jsonColumn, readRows } from "./Rows.js"
import { Flag, storing } from "./Storing.js"

const Document = Schema.NullOr(jsonColumn(JsonFromSelf))

const MetricRow = Schema.Struct({
  id: MetricId,
  organization_id: OrganizationId,
  project_id: ProjectId,
  agent_id: AgentId,
  slug: Schema.NullOr(Schema.String),
  predefined_code: Schema.NullOr(Schema.String),
  name: Schema.String,
  description: Schema.String,
  type: MetricType,
  eval_type: EvalType,
  enum_values: Document,
  audio_enabled: Flag,
  prompt: Schema.String,
  evaluation_trigger: EvaluationTrigger,
  evaluation_trigger_prompt: Schema.String,
  priority_assignment_prompt: Schema.String,
  configuration: Document,
  display_order: Schema.Int,
  knowledge_base_files: jsonColumn(Schema.Array(JsonFromSelf)),
  observability_enabled: Flag,
  simulation_enabled: Flag,
  function_name: Schema.String,
  custom_code: Schema.String,
  created_ms: Instant,
  updated_ms: Instant
})

const toMetric = (row: typeof MetricRow.Type): Metric => ({
  id: row.id,
  organizationId: row.organization_id,
  projectId: row.project_id,
  agentId: row.agent_id,
  slug: row.slug,
  predefinedCode: row.predefined_code,
  name: row.name,
  description: row.description,
  type: row.type,
  evalType: row.eval_type,
  enumValues: row.enum_values,
  audioEnabled: row.audio_enabled,
  prompt: row.prompt,
  evaluationTrigger: row.evaluation_trigger,
  evaluationTriggerPrompt: row.evaluation_trigger_prompt,
  priorityAssignmentPrompt: row.priority_assignment_prompt,
  configuration: row.configuration,
  displayOrder: row.display_order,
  knowledgeBaseFiles: row.knowledge_base_files,
  observabilityEnabled: row.observability_enabled,
  simulationEnabled: row.simulation_enabled,
  functionName: row.function_name,
  customCode: row.custom_code,
  createdAt: row.created_ms,
  updatedAt: row.updated_ms
})

export const layer = Layer.effect(
  MetricStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const columns = sql.literal(Object.keys(MetricRow.fields).join(", "))
    const metrics = readRows(MetricRow, toMetric)
    const ids = readRows(Schema.Struct({ id: MetricId }), ({ id }) => id)

    return MetricStore.of({
      insert: (permit, metric, now) =>
        sql`INSERT INTO metrics ${sql.insert(newColumns(permit.organizationId, metric, now)).returning(columns)}`.pipe(
          metrics.one,
          storing("MetricStore.insert")
        ),
      find: (permit, id) =>
        sql`SELECT ${columns} FROM metrics
            WHERE id = ${id} AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL`.pipe(
          metrics.first,
          storing("MetricStore.find")
        ),
      hold: (permit, id) =>
        sql`SELECT ${columns} FROM metrics
            WHERE id = ${id} AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL
            ${dialect.forUpdate}`.pipe(metrics.first, storing("MetricStore.hold")),
      ofAgent: (permit, agent) =>
        sql`SELECT ${columns} FROM metrics
            WHERE agent_id = ${agent} AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL
            ORDER BY display_order, id`.pipe(metrics.all, storing("MetricStore.ofAgent")),
      list: (permit, { agentId, projectId }, page) =>
        sql`SELECT ${columns} FROM metrics
            WHERE organization_id = ${permit.organizationId} AND deleted_ms IS NULL
              AND ${agentId === undefined ? sql`1 = 1` : sql`agent_id = ${agentId}`}
              AND ${projectId === undefined ? sql`1 = 1` : sql`project_id = ${projectId}`}
              AND ${within(sql, permit, { project: "project_id", agent: "agent_id" })}
              AND ${keyset(sql, page)}`.pipe(metrics.all, storing("MetricStore.list")),
      findAll: (permit, wanted) =>
        sql`SELECT ${columns} FROM metrics
            WHERE id IN ${dialect.integers(wanted)} AND organization_id = ${permit.organizationId}
              AND deleted_ms IS NULL`.pipe(metrics.all, storing("MetricStore.findAll")),
      withSlug: (permit, project, slug) =>
        sql`SELECT id FROM metrics
            WHERE project_id = ${project} AND slug = ${slug} AND organization_id = ${permit.organizationId}
              AND deleted_ms IS NULL`.pipe(ids.all, storing("MetricStore.withSlug")),
      save: (permit, metric) =>
        sql`UPDATE metrics SET ${sql.update({
          ...specColumns(metric),
          agent_id: metric.agentId,
          updated_ms: DateTime.toEpochMillis(metric.updatedAt)
        })} WHERE id = ${metric.id} AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL`.pipe(
          Effect.asVoid,
          storing("MetricStore.save")
        ),
      remove: (permit, id, now) =>
        sql`UPDATE metrics SET deleted_ms = ${DateTime.toEpochMillis(now)}
            WHERE id = ${id} AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL`.pipe(
          Effect.asVoid,
          storing("MetricStore.remove")
        )
    })
  })
)
