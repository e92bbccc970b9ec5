import type { Json } from "@earshot/core"
import type * as DateTime from "effect/DateTime"

/** A metric's value for a call; null where the evaluation has no value. */
export interface FilterableEvaluation {
  readonly metricId: number
  readonly metricName: string
  readonly value: number | boolean | string | null
  /** As `Evaluation.answerLatencies`. */
  readonly answerLatencies?: ReadonlyArray<number>
}

/** The fields of a call that filters can query. Null is a missing value; an empty text is a value. */
export interface FilterableCall {
  readonly id: number
  readonly callId: string
  /** Defaults to the empty text, which therefore counts as missing. Source: interface, E10. */
  readonly traceId: string | null
  readonly timestamp: DateTime.Utc
  /** Seconds. */
  readonly duration: number | null
  readonly success: boolean | null
  readonly isReviewed: boolean
  readonly customerNumber: string | null
  readonly callEndedReason: string | null
  readonly dropoffPoint: string | null
  readonly topic: string | null
  readonly feedback: string | null
  readonly agentId: number | null
  readonly agentName: string | null
  readonly metadata: Json
  readonly dynamicVariables: Json
  readonly evaluations: ReadonlyArray<FilterableEvaluation>
}
