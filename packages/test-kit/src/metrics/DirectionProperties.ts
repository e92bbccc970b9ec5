/** Properties of the direction of metrics, by which results are compared. Source: docs/results.md; docs/metrics.md. */
import { type Direction, type directionOf, EvalType, type PredefinedEntry } from "@earshot/core"
import * as fc from "fast-check"
import { expectEqual, invariant, type Property, property } from "../Property.js"

export type DirectionOf = typeof directionOf

/** Predefined metrics of which more is better, and of which less is; neither is of all others. */
const HIGHER = [
  "expected_outcome",
  "hallucination",
  "relevancy",
  "response_consistency",
  "csat",
  "instruction_following",
  "interruption_score",
  "tool_call_success",
  "phrase_compliance",
  "silence_detection",
  "infrastructure_issues"
]
const LOWER = [
  "latency_ms",
  "latency_p50_ms",
  "latency_p90_ms",
  "latency_p95_ms",
  "latency_p99_ms",
  "time_to_first_word_ms",
  "endpointing_ms",
  "speech_to_text_ms",
  "model_first_token_ms",
  "text_to_speech_ms",
  "tool_ms",
  "stated_latency_ms",
  "longest_monologue_s",
  "dead_air_ratio",
  "excessive_silence",
  "ai_interrupting_user",
  "user_interrupting_ai",
  "interruption_rate",
  "stop_time_ms",
  "overlap_ratio",
  "reprompts",
  "repeated_replies"
]

const evalType = fc.constantFrom(...EvalType.literals)
const direction = fc.constantFrom<Direction>("higher", "lower")
/** Configurations that state no direction, some of them nearly. */
const undirected = fc.constantFrom(null, {}, [], "higher", { better: "Higher" }, { better: null }, { Better: "lower" })

export const directionProperties = (
  directionOf: DirectionOf,
  predefined: ReadonlyArray<PredefinedEntry>
): ReadonlyArray<Property> => {
  const entry = fc.constantFrom(...predefined)
  return [
    property(
      "the configuration of a metric decides its direction",
      [entry, evalType, direction],
      (one, type, better) => {
        const metric = { ...one, evalType: type, configuration: { better } }
        expectEqual("the direction", directionOf(metric), better)
        expectEqual("that of another name", directionOf({ ...metric, slug: null, functionName: "" }), better)
      }
    ),
    invariant("every predefined metric has its direction", () => {
      for (const one of predefined) {
        const expected = HIGHER.includes(one.slug) ? "higher" : LOWER.includes(one.slug) ? "lower" : null
        expectEqual(`the direction of ${one.slug}`, directionOf(one), expected)
      }
      const known = predefined.map(({ slug }) => slug)
      expectEqual(
        "unknown metrics",
        [...HIGHER, ...LOWER].filter((slug) => !known.includes(slug)),
        []
      )
    }),
    property(
      "the name of a formula decides whatever the metric's slug is",
      [entry, fc.constantFrom(null, "mine", "csat")],
      (one, slug) => {
        if (one.functionName === "" || one.better === null) return
        expectEqual("the direction", directionOf({ ...one, slug }), one.better)
      }
    ),
    property(
      "true and more of a scale are better, other numbers and words are neither",
      [evalType, undirected],
      (type, configuration) => {
        const found = directionOf({ slug: "of-mine", functionName: "", evalType: type, configuration })
        const isOrdered = ["binary", "binary_workflow_adherence", "continuous_qualitative"].includes(type)
        expectEqual("the direction", found, isOrdered ? "higher" : null)
      }
    ),
    property(
      "a predefined slug says nothing about a metric with another type of values",
      [entry, fc.constantFrom("numeric" as const, "enum" as const)],
      (one, type) => {
        if (one.type !== "llm_judge" || one.evalType === type) return
        expectEqual("the direction", directionOf({ ...one, functionName: "", evalType: type }), null)
      }
    )
  ]
}
