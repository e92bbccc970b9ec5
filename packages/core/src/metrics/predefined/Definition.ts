import type { Json } from "../../kernel/Json.js"
import type { Formula } from "../FormulaContext.js"
import type { Direction, PredefinedEvalType } from "../MetricTerms.js"
import type { MetricCategory } from "../PredefinedMetric.js"

interface Definition {
  /** Never reused for another metric. */
  readonly id: number
  /**
   * The revision that adds the metric: the latest one plus 1 for a new metric. Opening a database with a newer revision
   * gives its metrics to the agents that exist already.
   */
  readonly revision: number
  readonly name: string
  readonly measures: string
  readonly unit: string
  readonly configuration?: Json
  readonly category: MetricCategory
  readonly subCategory: string
  /** Which values are better when results are compared; null for neither. */
  readonly better: Direction | null
}

/** A metric computed from the transcript, keyed by the name that a metric's `function_name` gives. */
export interface FormulaMetric extends Definition {
  readonly evalType: "binary" | "numeric"
  /** The formula in words. */
  readonly formula: string
  /** Which data it needs. */
  readonly basis: string
  readonly compute: Formula
  /** Metrics of the same formula with another configuration, keyed by slug. */
  readonly variants?: Readonly<
    Record<
      string,
      Pick<Definition, "id" | "revision" | "name" | "measures"> & {
        readonly formula: string
        readonly configuration: Json
      }
    >
  >
}

/** A metric that a language model answers, keyed by its slug. */
export interface JudgeMetric extends Definition {
  readonly evalType: typeof PredefinedEvalType.Type
  readonly prompt: string
  readonly enumValues?: Json
}

export type FormulaMetrics = Readonly<Record<string, FormulaMetric>>
export type JudgeMetrics = Readonly<Record<string, JudgeMetric>>

export const ALL_TIMES = "the start and end of every turn; without one of them there is no value."
