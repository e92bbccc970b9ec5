/** How the evaluations of a call determine its success, topic, drop-off point and summary. */
import { predefinedEntry } from "../metrics/PredefinedMetrics.js"
import type { EvaluationStatus, StoredEvaluation } from "../metrics/Evaluation.js"
import type { MetricId } from "../kernel/Ids.js"
import { CallLimits, type CallRecord } from "./CallRecord.js"

/** An evaluation, and whether its metric decides the success of the call. */
export interface RatedEvaluation extends Pick<StoredEvaluation, "metricName" | "slug" | "status" | "value"> {
  readonly metricId: MetricId
  readonly decidesSuccess: boolean
}

/**
 * The success of a call: true when every scored boolean metric that decides success is true (metrics with
 * `configuration.decides_success`; of the predefined metrics that is `expected_outcome`). Null when none was scored.
 */
export const successOf = (evaluations: ReadonlyArray<RatedEvaluation>): boolean | null => {
  const deciding = evaluations.filter(
    (one) => one.decidesSuccess && one.status === "scored" && typeof one.value === "boolean"
  )
  return deciding.length === 0 ? null : deciding.every((one) => one.value === true)
}

const STATUS_WORDS: ReadonlyArray<readonly [EvaluationStatus, string]> = [
  ["scored", "scored"],
  ["not_applicable", "not applicable"],
  ["skipped", "skipped"],
  ["could_not_judge", "could not be judged"],
  ["failed", "failed"]
]

/** The `evaluation` text of a call: how many metrics have each status, and the names of those that are false. */
export const summaryOf = (evaluations: ReadonlyArray<RatedEvaluation>): string => {
  const counts = STATUS_WORDS.flatMap(([status, words]) => {
    const count = evaluations.filter((one) => one.status === status).length
    return count === 0 ? [] : [`${count} ${words}`]
  })
  const failed = evaluations.filter((one) => one.value === false && one.slug !== "voicemail_detection")
  const names = failed.map((one) => one.metricName)
  return counts.length === 0
    ? ""
    : `${counts.join(", ")}.${names.length === 0 ? "" : ` Not passed: ${names.slice(0, 20).join(", ")}${names.length > 20 ? " and others" : ""}.`}`
}

/** The value that a predefined enum metric chose, if any. */
const chosenValueOf = (evaluations: ReadonlyArray<RatedEvaluation>, slug: string): string | null => {
  const value = predefinedEntry(slug) === undefined ? undefined : evaluations.find((one) => one.slug === slug)?.value
  return typeof value === "string" && value !== "none" ? value : null
}

/** What of a call its evaluations may change, and whether a person has reviewed it. */
type Outcome = Pick<CallRecord, "success" | "isReviewed" | "topic" | "dropoffPoint" | "evaluation">

/**
 * A call updated by its evaluations. A person's values take precedence: `success` of a reviewed call, and a topic or
 * drop-off point that is already set. The caller sets `updatedAt`.
 */
export const applyEvaluations = <Call extends Outcome>(
  call: Call,
  evaluations: ReadonlyArray<RatedEvaluation>
): Call => ({
  ...call,
  success: call.isReviewed ? call.success : (successOf(evaluations) ?? call.success),
  topic: call.topic ?? chosenValueOf(evaluations, "topic")?.slice(0, CallLimits.topic) ?? null,
  dropoffPoint:
    call.dropoffPoint ?? chosenValueOf(evaluations, "dropoff_point")?.slice(0, CallLimits.dropoffPoint) ?? null,
  evaluation: summaryOf(evaluations)
})
