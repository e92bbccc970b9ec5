/** Terms of predefined and per-agent metrics. */
import * as Schema from "effect/Schema"
import type { Json } from "../kernel/Json.js"

/** What a metric is made of. Source: interface, Metric. */
export const MetricType = Schema.Literal("basic", "custom_prompt", "custom_code", "llm_judge")
export type MetricType = typeof MetricType.Type

/** The types that a new metric may have; the others are deprecated and remain valid on metrics that have them. */
export const supportedTypes = ["custom_code", "llm_judge"] as const

/** What a predefined metric's values are. Source: interface, Metric. */
export const PredefinedEvalType = Schema.Literal("binary", "continuous_qualitative", "numeric", "enum")

/** What a metric's values are; the last is of per-agent metrics alone. Source: interface, Metric (per-agent). */
export const EvalType = Schema.Literal(...PredefinedEvalType.literals, "binary_workflow_adherence")
export type EvalType = typeof EvalType.Type

/** Which values of a metric are better. */
export const Direction = Schema.Literal("higher", "lower")
export type Direction = typeof Direction.Type

/** When a metric is evaluated. Source: interface, Metric. */
export const EvaluationTrigger = Schema.Literal("always", "automatic", "custom")
export type EvaluationTrigger = typeof EvaluationTrigger.Type

/** A JSON document that was validated on input. */
export const JsonFromSelf: Schema.Schema<Json> = Schema.declare((_value): _value is Json => true, {
  identifier: "JsonFromSelf",
  jsonSchema: { anyOf: [{ description: "Any JSON value." }] }
})

/** The values of an enum metric: the items of a list, or the keys of an object that describes them. */
export const wordsOf = (enumValues: Json): ReadonlyArray<string> =>
  Array.isArray(enumValues)
    ? enumValues.filter((one): one is string => typeof one === "string")
    : typeof enumValues === "object" && enumValues !== null
      ? Object.keys(enumValues)
      : []

/** Whether a metric's value is true or false. */
export const isBinary = (evalType: EvalType): boolean =>
  evalType === "binary" || evalType === "binary_workflow_adherence"
