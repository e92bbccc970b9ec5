import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { AgentId, MetricId, OrganizationId, ProjectId } from "../kernel/Ids.js"

/** What a metric is made of. Source: interface, Metric. */
export const MetricType = Schema.Literal("basic", "custom_prompt", "custom_code", "llm_judge")
export type MetricType = typeof MetricType.Type

/** What a metric's values are. Source: interface, Metric; the last is of per-agent metrics. */
export const EvalType = Schema.Literal(
  "binary",
  "continuous_qualitative",
  "numeric",
  "enum",
  "binary_workflow_adherence"
)
export type EvalType = typeof EvalType.Type

/** The slug of the metric that measures how long callers wait for an answer, in milliseconds. */
export const LATENCY_SLUG = "latency_ms"

/** A metric of an agent: a question that is asked of its calls. */
export class Metric extends Schema.Class<Metric>("@earshot/core/metrics/Metric")({
  id: MetricId,
  organizationId: Fields.named("organization", OrganizationId),
  projectId: Fields.named("project", ProjectId),
  agentId: Fields.named("agent", AgentId),
  name: Schema.String,
  /** Names the metric in specs and formulas; null for metrics that nobody gave one. */
  slug: Schema.NullOr(Schema.String),
  type: MetricType,
  evalType: Fields.named("eval_type", EvalType),
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  updatedAt: Fields.named("updated_at", Schema.DateTimeUtc)
}) {}

/** What a metric is made from. */
export interface MetricDraft {
  readonly projectId: ProjectId
  readonly agentId: AgentId
  readonly name: string
  readonly slug: string | null
  readonly type: MetricType
  readonly evalType: EvalType
}
