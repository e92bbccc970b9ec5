/** Which way a metric's values have to go to be better: what comparisons judge by. */
import type { Json } from "../kernel/Json.js"
import { settingsOf } from "./Formulas.js"
import type { EvalType } from "./MetricTerms.js"

export type Direction = "higher" | "lower"

/** What the built-in measures say of themselves; those that are not here are better neither way. */
const measured: Readonly<Record<string, Direction>> = {
  latency_ms: "lower",
  time_to_first_word_ms: "lower",
  ai_interrupting_user: "lower",
  user_interrupting_ai: "lower",
  interruption_score: "higher",
  interruption_rate: "lower",
  stop_time_ms: "lower",
  overlap_ratio: "lower",
  dead_air_ratio: "lower",
  excessive_silence: "lower",
  longest_monologue_s: "lower",
  reprompts: "lower",
  repeated_replies: "lower",
  tool_call_success: "higher",
  phrase_compliance: "higher"
}

/** Binary, but neither answer is the better one. */
const neutral = new Set(["voicemail_detection"])

/**
 * The better way of a metric's values: what its configuration says (`{"better": "higher"}` or `"lower"`); of the built-in
 * measures, their own; true before false, and more before less on a scale. Null for other numbers and for words.
 */
export const directionOf = (metric: {
  readonly slug: string | null
  readonly evalType: EvalType
  readonly functionName: string
  readonly configuration: Json
}): Direction | null => {
  const told = settingsOf(metric.configuration)?.better
  if (told === "higher" || told === "lower") return told
  if (Object.hasOwn(measured, metric.functionName)) return measured[metric.functionName] ?? null
  switch (metric.evalType) {
    case "binary":
    case "binary_workflow_adherence":
      return metric.slug !== null && neutral.has(metric.slug) ? null : "higher"
    case "continuous_qualitative":
      return "higher"
    default:
      return null
  }
}
