/** Metrics as rows, for whatever writes some. */
import type { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { AgentId, OrganizationId, ProjectId } from "../../kernel/Ids.js"
import { predefinedMetricSpecs } from "../../metrics/PredefinedMetrics.js"
import { type MetricSpec, type NewMetric, defaultMetricSpec } from "../../metrics/Metric.js"
import { documentText } from "./Rows.js"
import { flag } from "./Storing.js"
import type { Tables } from "./Tables.js"

export const specColumns = (spec: MetricSpec) => ({
  name: spec.name,
  description: spec.description,
  type: spec.type,
  eval_type: spec.evalType,
  enum_values: documentText(spec.enumValues),
  audio_enabled: flag(spec.audioEnabled),
  prompt: spec.prompt,
  evaluation_trigger: spec.evaluationTrigger,
  evaluation_trigger_prompt: spec.evaluationTriggerPrompt,
  priority_assignment_prompt: spec.priorityAssignmentPrompt,
  configuration: documentText(spec.configuration),
  display_order: spec.displayOrder,
  knowledge_base_files: JSON.stringify(spec.knowledgeBaseFiles),
  observability_enabled: flag(spec.observabilityEnabled),
  simulation_enabled: flag(spec.simulationEnabled),
  function_name: spec.functionName,
  custom_code: spec.customCode
})

/** Whose a new metric is, and when it was created. */
const ownColumns = (organization: OrganizationId, projectId: ProjectId, agentId: AgentId, now: DateTime.Utc) => ({
  organization_id: organization,
  project_id: projectId,
  agent_id: agentId,
  created_ms: DateTime.toEpochMillis(now),
  updated_ms: DateTime.toEpochMillis(now)
})

/** What a new metric is, whoever has it. */
const commonColumns = (metric: Omit<NewMetric, "projectId" | "agentId">) => ({
  slug: metric.slug,
  predefined_code: metric.predefinedCode ?? null,
  ...specColumns({ ...defaultMetricSpec, ...metric })
})

export const newColumns = (organization: OrganizationId, metric: NewMetric, now: DateTime.Utc) => ({
  ...ownColumns(organization, metric.projectId, metric.agentId, now),
  ...commonColumns(metric)
})

/** An agent, as far as its metrics have to know it. */
export interface Owner {
  readonly id: AgentId
  readonly organizationId: OrganizationId
  readonly projectId: ProjectId
}

/** Rows of 27 values each, of which SQLite takes 32,766 in one statement. */
const AGENTS_AT_ONCE = 20

/** The columns of the predefined metrics that are the same for every agent: worked out once, since each new agent gets them. */
const predefinedColumns = (): ReadonlyArray<ReturnType<typeof commonColumns>> =>
  (common ??= predefinedMetricSpecs.map(commonColumns))
let common: ReadonlyArray<ReturnType<typeof commonColumns>> | undefined

/** Gives agents the predefined metrics, but for those that they have or had, by slug or predefined code. */
export const givePredefined = (sql: SqlClient, tables: Tables, agents: ReadonlyArray<Owner>, now: DateTime.Utc) =>
  Effect.gen(function* () {
    for (let from = 0; from < agents.length; from += AGENTS_AT_ONCE) {
      const rows = agents.slice(from, from + AGENTS_AT_ONCE).flatMap((agent) =>
        predefinedColumns().map((columns) => ({
          // Copying an object that is spread first takes a quarter of the time of one that is spread later.
          ...columns,
          ...ownColumns(agent.organizationId, agent.projectId, agent.id, now)
        }))
      )
      yield* sql`INSERT INTO ${tables.metrics} ${sql.insert(rows)} ON CONFLICT DO NOTHING`
    }
  })
