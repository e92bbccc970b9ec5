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
import { newColumns, specColumns } from "./MetricColumns.js"
import { Instant, jsonColumn, readRows } from "./Rows.js"
import { Flag, storing } from "./Storing.js"
import { tenantTable } from "./TenantTable.js"

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
    const { tables } = dialect
    const table = yield* tenantTable({
      store: "MetricStore",
      table: "metrics",
      row: MetricRow,
      ofProject: false,
      scope: { project: "t.project_id", agent: "t.agent_id" },
      make: toMetric
    })
    const ids = readRows(Schema.Struct({ id: MetricId }), ({ id }) => id)

    return MetricStore.of({
      insert: (permit, metric, now) => table.insert(permit, newColumns(permit.organizationId, metric, now)),
      find: table.find,
      findForUpdate: table.findForUpdate,
      ofAgent: (permit, agent) => table.all(permit, sql`t.agent_id = ${agent}`, "t.display_order, t.id"),
      list: (permit, { agentId, projectId }, page) =>
        table.list(permit, page, { agent_id: agentId, project_id: projectId }),
      findAll: (permit, wanted) => table.all(permit, dialect.isOneOf("t.id", wanted)),
      withSlug: (permit, project, slug) =>
        sql`SELECT id FROM ${tables.metrics}
            WHERE project_id = ${project} AND slug = ${slug} AND organization_id = ${permit.organizationId}
              AND deleted_ms IS NULL`.pipe(ids.all, storing("MetricStore.withSlug")),
      save: (permit, metric) =>
        table.save(permit, metric.id, {
          ...specColumns(metric),
          agent_id: metric.agentId,
          updated_ms: DateTime.toEpochMillis(metric.updatedAt)
        }),
      remove: (permit, id, now) => table.softDelete(permit, id, now)
    })
  })
)
