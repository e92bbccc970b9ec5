/** What evaluations make of the record of their call. */
import { entryOf } from "../metrics/Catalogue.js"
import type { EvaluationStatus, StoredEvaluation } from "../metrics/Evaluation.js"
import type { MetricId } from "../kernel/Ids.js"
import { CallLimits, type CallRecord } from "./CallRecord.js"

/** An evaluation, and whether its metric decides the call's success. */
export interface Considered extends Pick<StoredEvaluation, "metricName" | "slug" | "status" | "value"> {
  readonly metricId: MetricId
  readonly decidesSuccess: boolean
}

/**
 * Whether the call was a success: of the metrics that decide it (`configuration.decides_success`; of the predefined ones
 * that is `expected_outcome`), those that came to a value are all true. Null where none came to one.
 */
export const successOf = (evaluations: ReadonlyArray<Considered>): boolean | null => {
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

/** The call's `evaluation`: how many metrics ended how, and which came to false. */
export const summaryOf = (evaluations: ReadonlyArray<Considered>): string => {
  const counts = STATUS_WORDS.flatMap(([status, words]) => {
    const count = evaluations.filter((one) => one.status === status).length
    return count === 0 ? [] : [`${count} ${words}`]
  })
  const missed = evaluations.filter((one) => one.value === false && one.slug !== "voicemail_detection")
  const names = missed.map((one) => one.metricName)
  return counts.length === 0
    ? ""
    : `${counts.join(", ")}.${names.length === 0 ? "" : ` Not passed: ${names.slice(0, 20).join(", ")}${names.length > 20 ? " and others" : ""}.`}`
}

/** The word that a predefined metric chose, where it chose one. */
const wordOf = (evaluations: ReadonlyArray<Considered>, slug: string): string | null => {
  const value = entryOf(slug) === undefined ? undefined : evaluations.find((one) => one.slug === slug)?.value
  return typeof value === "string" && value !== "none" ? value : null
}

/**
 * Lays evaluations over their call. What a person reviewed stays: `success` once the call is reviewed, and a topic or
 * drop-off point that is there. The time of change is the caller's to set.
 */
export const evaluated = (call: CallRecord, evaluations: ReadonlyArray<Considered>): CallRecord => ({
  ...call,
  success: call.isReviewed ? call.success : (successOf(evaluations) ?? call.success),
  topic: call.topic ?? wordOf(evaluations, "topic")?.slice(0, CallLimits.topic) ?? null,
  dropoffPoint: call.dropoffPoint ?? wordOf(evaluations, "dropoff_point")?.slice(0, CallLimits.dropoffPoint) ?? null,
  evaluation: summaryOf(evaluations)
})
