import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { AgentId, MetricId, type OrganizationId, type ProjectId } from "../kernel/Ids.js"
import { Json } from "../kernel/Json.js"
import type * as DateTime from "effect/DateTime"
import { EvalType, EvaluationTrigger, JsonFromSelf, MetricType } from "./MetricTerms.js"

/** What a metric measures and how: an agent's metric without its owner. */
export interface MetricSpec {
  readonly name: string
  readonly description: string
  readonly type: MetricType
  readonly evalType: EvalType
  readonly enumValues: Json
  readonly audioEnabled: boolean
  readonly prompt: string
  readonly evaluationTrigger: EvaluationTrigger
  readonly evaluationTriggerPrompt: string
  readonly priorityAssignmentPrompt: string
  readonly configuration: Json
  readonly displayOrder: number
  readonly knowledgeBaseFiles: ReadonlyArray<Json>
  readonly observabilityEnabled: boolean
  readonly simulationEnabled: boolean
  readonly functionName: string
  readonly customCode: string
}

/** A metric of an agent, evaluated for its calls. */
export interface Metric extends MetricSpec {
  readonly id: MetricId
  readonly organizationId: OrganizationId
  readonly projectId: ProjectId
  readonly agentId: AgentId
  /** Names the metric in specs and in other metrics' code, unique for an agent; null for none. */
  readonly slug: string | null
  /** The predefined metric that it is, or null. */
  readonly predefinedCode: string | null
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

/** The defaults of a new metric. */
export const defaultMetricSpec = {
  description: "",
  enumValues: null,
  audioEnabled: false,
  prompt: "",
  evaluationTrigger: "always",
  evaluationTriggerPrompt: "",
  priorityAssignmentPrompt: "",
  configuration: null,
  displayOrder: 0,
  knowledgeBaseFiles: [],
  observabilityEnabled: true,
  simulationEnabled: true,
  functionName: "",
  customCode: ""
} as const satisfies Partial<MetricSpec>

/** A metric to insert; `defaultMetricSpec` has the defaults. */
export interface NewMetric extends Partial<MetricSpec> {
  readonly projectId: ProjectId
  readonly agentId: AgentId
  readonly slug: string | null
  readonly predefinedCode?: string | null
  readonly name: string
  readonly type: MetricType
  readonly evalType: EvalType
}

/** An agent's metric as it travels. Source: interface, Metric (per-agent). */
export const MetricJson = Schema.Struct({
  id: MetricId,
  agent: AgentId,
  name: Schema.String,
  description: Schema.String,
  type: MetricType,
  eval_type: EvalType,
  enum_values: JsonFromSelf,
  audio_enabled: Schema.Boolean,
  prompt: Schema.String,
  evaluation_trigger: EvaluationTrigger,
  evaluation_trigger_prompt: Schema.String,
  priority_assignment_prompt: Schema.String,
  configuration: JsonFromSelf,
  display_order: Schema.Int,
  overall_score: Schema.NullOr(Schema.Number).annotations({
    description: "Always null: widgets show the scores of calls."
  }),
  total_score: Schema.NullOr(Schema.Number).annotations({ description: "Always null, as overall_score." }),
  knowledge_base_files: Schema.Array(JsonFromSelf),
  observability_enabled: Schema.Boolean,
  simulation_enabled: Schema.Boolean,
  function_name: Schema.String,
  custom_code: Schema.String,
  service_defined_metric_code: Schema.NullOr(Schema.String),
  slug: Schema.NullOr(Schema.String),
  reviews: Schema.Array(JsonFromSelf).annotations({ description: "Always empty." })
}).annotations({ identifier: "Metric" })

export interface MetricJson extends Schema.Schema.Type<typeof MetricJson> {}

/** A metric as it travels; see interface, Metric (per-agent). */
export const encodeMetric = (metric: Metric): MetricJson => ({
  id: metric.id,
  agent: metric.agentId,
  name: metric.name,
  description: metric.description,
  type: metric.type,
  eval_type: metric.evalType,
  enum_values: metric.enumValues,
  audio_enabled: metric.audioEnabled,
  prompt: metric.prompt,
  evaluation_trigger: metric.evaluationTrigger,
  evaluation_trigger_prompt: metric.evaluationTriggerPrompt,
  priority_assignment_prompt: metric.priorityAssignmentPrompt,
  configuration: metric.configuration,
  display_order: metric.displayOrder,
  overall_score: null,
  total_score: null,
  knowledge_base_files: metric.knowledgeBaseFiles,
  observability_enabled: metric.observabilityEnabled,
  simulation_enabled: metric.simulationEnabled,
  function_name: metric.functionName,
  custom_code: metric.customCode,
  service_defined_metric_code: metric.predefinedCode,
  slug: metric.slug,
  reviews: []
})

/** Source: interface, Limits. */
const MAX_METRIC_NAME = 255
export const MAX_PROMPT = 50_000
const MAX_CODE = 100_000

const writable = {
  name: Fields.text({ max: MAX_METRIC_NAME, blank: false }),
  description: Fields.text({ max: 10_000 }),
  type: Fields.choice(MetricType.literals),
  eval_type: Fields.choice(EvalType.literals),
  enum_values: Json,
  audio_enabled: Fields.boolean,
  prompt: Fields.text({ max: MAX_PROMPT }),
  evaluation_trigger: Fields.choice(EvaluationTrigger.literals),
  evaluation_trigger_prompt: Fields.text({ max: MAX_PROMPT }),
  priority_assignment_prompt: Fields.text({ max: MAX_PROMPT }),
  configuration: Json,
  display_order: Fields.integer({ min: 0, max: 2_147_483_647 }),
  knowledge_base_files: Fields.list(Json, { max: 1000 }),
  observability_enabled: Fields.boolean,
  simulation_enabled: Fields.boolean,
  function_name: Fields.text({ max: 255 }),
  custom_code: Fields.text({ max: MAX_CODE })
}

const agentFields = {
  agent: Fields.optional(Fields.nullable(Fields.id(AgentId))),
  /** The provider's id of the agent. */
  assistant_id: Fields.optional(Fields.nullable(Fields.text({ max: 255 })))
}

/** The draft of a new metric. Source: docs/metrics.md. */
export const MetricDraft = Fields.object({
  ...agentFields,
  name: writable.name,
  type: writable.type,
  eval_type: writable.eval_type,
  description: Fields.optional(writable.description),
  enum_values: Fields.optional(writable.enum_values),
  audio_enabled: Fields.optional(writable.audio_enabled),
  prompt: Fields.optional(writable.prompt),
  evaluation_trigger: Fields.optional(writable.evaluation_trigger),
  evaluation_trigger_prompt: Fields.optional(writable.evaluation_trigger_prompt),
  priority_assignment_prompt: Fields.optional(writable.priority_assignment_prompt),
  configuration: Fields.optional(writable.configuration),
  display_order: Fields.optional(writable.display_order),
  knowledge_base_files: Fields.optional(writable.knowledge_base_files),
  observability_enabled: Fields.optional(writable.observability_enabled),
  simulation_enabled: Fields.optional(writable.simulation_enabled),
  function_name: Fields.optional(writable.function_name),
  custom_code: Fields.optional(writable.custom_code)
})
export type MetricDraft = typeof MetricDraft.Type

/** The patch of a metric; fields left out are unchanged. Source: interface, E12. */
export const MetricPatch = Fields.object({
  ...MetricDraft.fields,
  name: Fields.optional(writable.name),
  type: Fields.optional(writable.type),
  eval_type: Fields.optional(writable.eval_type)
})
export type MetricPatch = typeof MetricPatch.Type

/** Applies a patch. */
export const applyPatch = (spec: MetricSpec, patch: MetricPatch): MetricSpec => ({
  name: patch.name ?? spec.name,
  description: patch.description ?? spec.description,
  type: patch.type ?? spec.type,
  evalType: patch.eval_type ?? spec.evalType,
  enumValues: patch.enum_values === undefined ? spec.enumValues : patch.enum_values,
  audioEnabled: patch.audio_enabled ?? spec.audioEnabled,
  prompt: patch.prompt ?? spec.prompt,
  evaluationTrigger: patch.evaluation_trigger ?? spec.evaluationTrigger,
  evaluationTriggerPrompt: patch.evaluation_trigger_prompt ?? spec.evaluationTriggerPrompt,
  priorityAssignmentPrompt: patch.priority_assignment_prompt ?? spec.priorityAssignmentPrompt,
  configuration: patch.configuration === undefined ? spec.configuration : patch.configuration,
  displayOrder: patch.display_order ?? spec.displayOrder,
  knowledgeBaseFiles: patch.knowledge_base_files ?? spec.knowledgeBaseFiles,
  observabilityEnabled: patch.observability_enabled ?? spec.observabilityEnabled,
  simulationEnabled: patch.simulation_enabled ?? spec.simulationEnabled,
  functionName: patch.function_name ?? spec.functionName,
  customCode: patch.custom_code ?? spec.customCode
})

/** The spec of a draft. */
export const specFromDraft = (draft: MetricDraft): MetricSpec =>
  applyPatch({ ...defaultMetricSpec, name: draft.name, type: draft.type, evalType: draft.eval_type }, draft)
