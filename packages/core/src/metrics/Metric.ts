import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { AgentId, MetricId, OrganizationId, ProjectId } from "../kernel/Ids.js"
import { EvalType, MetricType } from "./MetricTerms.js"

export { EvalType, MetricType } from "./MetricTerms.js"

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
