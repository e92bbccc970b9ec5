/** A person's review of a call. */
import type * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { STATUSES } from "../filters/Filter.js"
import {
  type FieldErrors,
  fieldError,
  mergeFieldErrors,
  noFieldErrors,
  failIfFieldErrors
} from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import type { CallRecord } from "./CallRecord.js"
import { CallLimits } from "./CallRecord.js"

/**
 * The fields of a Call record that a review may set (interface, Call record). `status` is an alternative notation for
 * `success` and `is_reviewed`. Omitted fields stay unchanged.
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

/** The fields of a call that a review changes. */
export type Reviewable = Pick<
  CallRecord,
  "success" | "isReviewed" | "feedback" | "feedbackByPerson" | "dropoffPoint" | "topic"
>

const CONTRADICTS = (field: string): string => `This contradicts ${field}.`

/** A call updated by a review, or the field errors of a patch that contradicts itself. The caller sets `updatedAt`. */
export const applyReview = <Call extends Reviewable>(
  call: Call,
  patch: ReviewPatch
): Either.Either<Call, FieldErrors> => {
  const implied = impliedBy(patch.status)
  const errors = mergeFieldErrors(
    implied !== undefined && patch.success !== undefined && patch.success !== implied.success
      ? fieldError("status", CONTRADICTS("success"))
      : noFieldErrors,
    implied !== undefined &&
      patch.is_reviewed !== undefined &&
      implied.isReviewed !== undefined &&
      patch.is_reviewed !== implied.isReviewed
      ? fieldError("status", CONTRADICTS("is_reviewed"))
      : noFieldErrors
  )
  return failIfFieldErrors(errors, () => ({
    ...call,
    success: patch.success !== undefined ? patch.success : implied !== undefined ? implied.success : call.success,
    isReviewed: patch.is_reviewed ?? implied?.isReviewed ?? call.isReviewed,
    feedback: patch.feedback === undefined ? call.feedback : patch.feedback,
    feedbackByPerson: call.feedbackByPerson || patch.feedback !== undefined,
    dropoffPoint: patch.dropoff_point === undefined ? call.dropoffPoint : patch.dropoff_point,
    topic: patch.topic === undefined ? call.topic : patch.topic
  }))
}

/** Success and review that a status stands for; a null status leaves the review unchanged. */
const impliedBy = (
  status: ReviewPatch["status"]
): { readonly success: boolean | null; readonly isReviewed: boolean | undefined } | undefined =>
  status === undefined
    ? undefined
    : status === null
      ? { success: null, isReviewed: undefined }
      : { success: status.endsWith("success"), isReviewed: status.startsWith("reviewed") }
