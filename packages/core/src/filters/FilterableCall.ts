import type * as DateTime from "effect/DateTime"
import type { Json } from "../kernel/Json.js"

/** What a metric said of a call; null where it was evaluated and came to no value. */
export interface FilterableEvaluation {
  readonly metricId: number
  readonly metricName: string
  readonly value: number | boolean | string | null
}

/** A call as filters see it. Null is a value that is missing; an empty text is a value. */
export interface FilterableCall {
  readonly id: number
  readonly callId: string
  /** Its default is the empty text, which therefore is missing here. Source: interface, E10. */
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
