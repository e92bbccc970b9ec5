/** What a person says of a call. */
import type * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { STATUSES } from "../filters/Filter.js"
import { type Faults, fault, mergeFaults, noFaults, failWhenFaulty } from "../kernel/Faults.js"
import * as Fields from "../kernel/Fields.js"
import type { CallRecord } from "./CallRecord.js"
import { CallLimits } from "./CallRecord.js"

/**
 * What a review may set: the writable fields of the Call record that a person judges (interface, Call record). `status`
 * is another way to say `success` and `is_reviewed`. Fields left out stay as they are.
 */
export const ReviewPatch = Fields.object({
  success: Fields.optional(Fields.nullable(Fields.boolean)),
  is_reviewed: Fields.optional(Fields.boolean),
  status: Fields.optional(Fields.nullable(Fields.choice(STATUSES))),
  feedback: Fields.optional(Fields.nullable(Fields.text({ max: CallLimits.feedback }))),
  dropoff_point: Fields.optional(Fields.nullable(Fields.text({ max: CallLimits.dropoffPoint }))),
  topic: Fields.optional(Fields.nullable(Fields.text({ max: CallLimits.topic })))
}).pipe(Schema.annotations({ identifier: "CallReview" }))
export type ReviewPatch = typeof ReviewPatch.Type

/** What of a call a review may change. */
export type Reviewable = Pick<
  CallRecord,
  "success" | "isReviewed" | "feedback" | "feedbackByPerson" | "dropoffPoint" | "topic"
>

const CONTRADICTS = (field: string): string => `This contradicts ${field}.`

/** Lays a review over a call, or says what in it contradicts itself. The time of change is the caller's to set. */
export const review = <Call extends Reviewable>(call: Call, patch: ReviewPatch): Either.Either<Call, Faults> => {
  const meant = meaningOf(patch.status)
  const faults = mergeFaults(
    meant !== undefined && patch.success !== undefined && patch.success !== meant.success
      ? fault("status", CONTRADICTS("success"))
      : noFaults,
    meant !== undefined &&
      patch.is_reviewed !== undefined &&
      meant.isReviewed !== undefined &&
      patch.is_reviewed !== meant.isReviewed
      ? fault("status", CONTRADICTS("is_reviewed"))
      : noFaults
  )
  return failWhenFaulty(faults, () => ({
    ...call,
    success: patch.success !== undefined ? patch.success : meant !== undefined ? meant.success : call.success,
    isReviewed: patch.is_reviewed ?? meant?.isReviewed ?? call.isReviewed,
    feedback: patch.feedback === undefined ? call.feedback : patch.feedback,
    feedbackByPerson: call.feedbackByPerson || patch.feedback !== undefined,
    dropoffPoint: patch.dropoff_point === undefined ? call.dropoffPoint : patch.dropoff_point,
    topic: patch.topic === undefined ? call.topic : patch.topic
  }))
}

/** Success and review as a status says them; no status says nothing of the review. */
const meaningOf = (
  status: ReviewPatch["status"]
): { readonly success: boolean | null; readonly isReviewed: boolean | undefined } | undefined =>
  status === undefined
    ? undefined
    : status === null
      ? { success: null, isReviewed: undefined }
      : { success: status.endsWith("success"), isReviewed: status.startsWith("reviewed") }
