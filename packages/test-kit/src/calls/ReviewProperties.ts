/** Properties of a call's status. Source: interface, Call record; docs/ingest.md. */
import type { FieldErrors, Filters, Reviewable, ReviewPatch } from "@earshot/core"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { expectEqual, invariant, type Property, property, expectEvery } from "../Property.js"

export interface StatusRules {
  readonly statusOf: (success: boolean | null, isReviewed: boolean) => Filters.Status | null
  /** Applies a review, or returns the field errors of a contradiction. */
  readonly review: (call: Reviewable, patch: ReviewPatch) => Either.Either<Reviewable, FieldErrors.FieldErrors>
}

/** The success and review that each status stands for. */
const table: ReadonlyArray<readonly [status: Filters.Status, success: boolean, isReviewed: boolean]> = [
  ["success", true, false],
  ["failure", false, false],
  ["reviewed_success", true, true],
  ["reviewed_failure", false, true]
]
const row = fc.constantFrom(...table)
const success = fc.constantFrom(true, false, null)
const text = fc.option(fc.constantFrom("", "It went well."))
const call: fc.Arbitrary<Reviewable> = fc.record({
  success,
  isReviewed: fc.boolean(),
  feedback: text,
  feedbackByPerson: fc.boolean(),
  dropoffPoint: text,
  topic: text
})

export const statusProperties = ({ review, statusOf }: StatusRules): ReadonlyArray<Property> => {
  const reviewed = (before: Reviewable, patch: ReviewPatch): ReadonlyArray<boolean | null> | string =>
    Either.match(review(before, patch), {
      onLeft: (errors) => Object.keys(errors).join(),
      onRight: (after) => [after.success, after.isReviewed]
    })
  return [
    ...table.map(([status, succeeded, isReviewed]) =>
      invariant(
        `a call that ${succeeded ? "succeeded" : "failed"}${isReviewed ? ", as a person says," : ""} is a ${status}`,
        () => {
          expectEqual("statusOf(succeeded, isReviewed)", statusOf(succeeded, isReviewed), status)
        }
      )
    ),
    invariant("a call with unknown success has a null status, reviewed or not", () => {
      expectEvery("[true, false]", [true, false], (isReviewed) => statusOf(null, isReviewed) === null)
    }),
    property("a status in a review sets success and is_reviewed", [call, row], (before, [status, ...expected]) => {
      expectEqual("success and review", reviewed(before, { status }), expected)
    }),
    property("a null status sets success to null and keeps is_reviewed", [call], (before) => {
      expectEqual("success and review", reviewed(before, { status: null }), [null, before.isReviewed])
    }),
    property(
      "success and is_reviewed change nothing else",
      [call, success, fc.boolean()],
      (before, succeeded, isReviewed) => {
        expectEqual("after a success", reviewed(before, { success: succeeded }), [succeeded, before.isReviewed])
        expectEqual("after nothing", Either.merge(review(before, {})), before)
        expectEqual("after a review", reviewed(before, { is_reviewed: isReviewed }), [before.success, isReviewed])
      }
    ),
    property(
      "a status that contradicts success or is_reviewed is an error",
      [call, row, success, fc.boolean()],
      (before, [status, means, isMeantReviewed], succeeded, isReviewed) => {
        expectEqual(
          "a status and a success",
          reviewed(before, { status, success: succeeded }),
          succeeded === means ? [means, isMeantReviewed] : "status"
        )
        expectEqual(
          "a status and a review",
          reviewed(before, { status, is_reviewed: isReviewed }),
          isReviewed === isMeantReviewed ? [means, isMeantReviewed] : "status"
        )
      }
    )
  ]
}
