import * as Schema from "effect/Schema"
import { Credits, type MicroCredits } from "../kernel/Credits.js"
import * as Fields from "../kernel/Fields.js"
import { MetricId, OrganizationId } from "../kernel/Ids.js"
import type { Json } from "../kernel/Json.js"
import { type Direction, EvaluationTrigger, JsonFromSelf, MetricType, PredefinedEvalType } from "./MetricTerms.js"

/** Where a metric belongs in lists. Source: interface, Metric. */
export const MetricCategory = Schema.Literal(
  "Speech Quality",
  "Conversation Quality",
  "Accuracy",
  "Customer Experience"
)
export type MetricCategory = typeof MetricCategory.Type

/** A metric that every agent has until it is deleted there. Source: interface, Metric (predefined list item). */
export class PredefinedMetric extends Schema.Class<PredefinedMetric>("@earshot/core/metrics/PredefinedMetric")({
  id: MetricId,
  name: Schema.String,
  description: Schema.String,
  code: Schema.String,
  slug: Schema.String,
  type: MetricType,
  evalType: Fields.named("eval_type", PredefinedEvalType),
  audioEnabled: Fields.named("audio_enabled", Schema.Boolean),
  prompt: Schema.String,
  functionName: Fields.named("function_name", Schema.String),
  enumValues: Fields.named("enum_values", JsonFromSelf),
  customCode: Fields.named("custom_code", Schema.String),
  simulationEnabled: Fields.named("simulation_enabled", Schema.Boolean),
  observabilityEnabled: Fields.named("observability_enabled", Schema.Boolean),
  configuration: JsonFromSelf,
  cost: Credits,
  evaluationTrigger: Fields.named("evaluation_trigger", EvaluationTrigger),
  evaluationTriggerPrompt: Fields.named("evaluation_trigger_prompt", Schema.String),
  category: Schema.NullOr(MetricCategory),
  subCategory: Fields.named("sub_category", Schema.String),
  organizationId: Fields.named("organization", OrganizationId)
}) {}

/** A predefined metric in its wire form. */
export const encodePredefinedMetric = Schema.encodeSync(PredefinedMetric)

/** A predefined metric before it is shown to an organization or given to an agent. */
export interface PredefinedEntry {
  /** Never reused for another metric. */
  readonly id: number
  /** The revision that added it; see `predefined/Definition.ts`. */
  readonly revision: number
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly type: "custom_code" | "llm_judge"
  readonly evalType: typeof PredefinedEvalType.Type
  readonly functionName: string
  readonly prompt: string
  readonly enumValues: Json
  readonly configuration: Json
  readonly cost: MicroCredits
  /** Which values are better; null for neither. */
  readonly better: Direction | null
  readonly category: MetricCategory
  readonly subCategory: string
}
