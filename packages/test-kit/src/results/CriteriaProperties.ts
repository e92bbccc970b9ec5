/** Properties of the success criteria of a run. Source: docs/runs.md. */
import { type Criterion, type DecidingScore, EvaluationStatus, MetricId } from "@earshot/core"
import * as fc from "fast-check"
import { expectEqual, type Property, property } from "../Property.js"

export interface CriteriaRules {
  readonly criteriaOf: (
    scores: ReadonlyArray<DecidingScore>,
    reported: boolean | null,
    assertions?: ReadonlyArray<Criterion>
  ) => ReadonlyArray<Criterion>
  readonly successByCriteria: (criteria: ReadonlyArray<Criterion>) => boolean | null
  /** Why a run was not a success; null where it was, or where that is unknown. */
  readonly failureReason: (criteria: ReadonlyArray<Criterion>) => string | null
}

const passed = fc.constantFrom(true, false, null)
const scores = fc.array(
  fc
    .record({
      id: fc.integer({ min: 1, max: 3 }),
      slug: fc.constantFrom("expected_outcome", null),
      status: fc.constantFrom(...EvaluationStatus.literals),
      value: fc.constantFrom(true, false, 1, 0, "true", "false", null),
      decidesSuccess: fc.boolean(),
      why: fc.constantFrom(null, "Because.")
    })
    .map(({ id, ...score }): DecidingScore => ({
      ...score,
      value: score.status === "scored" ? score.value : null,
      metricId: MetricId.make(id),
      metricName: `Metric ${id}`
    })),
  { maxLength: 4 }
)
const assertions = fc.array(fc.boolean(), { maxLength: 3 }).map((all) =>
  all.map((one, position): Criterion => ({
    criterion: `assertion:${position}`,
    name: `Assertion ${position}`,
    passed: one,
    reason: one ? null : "No."
  }))
)
const criteria = fc
  .array(passed, { maxLength: 5 })
  .map((all) =>
    all.map((one, at): Criterion => ({ criterion: `metric:${at}`, name: `C${at}`, passed: one, reason: null }))
  )

/** True, false and unknown in the order of their weight: one failure outweighs everything, one pass outweighs unknowns. */
const conjunction = (all: ReadonlyArray<boolean | null>): boolean | null =>
  all.includes(false) ? false : all.includes(true) ? true : null

export const criteriaProperties = ({
  criteriaOf,
  failureReason,
  successByCriteria
}: CriteriaRules): ReadonlyArray<Property> => [
  property(
    "the criteria of a run are its assertions, the metrics that decide success, and the worker's report",
    [scores, passed, assertions],
    (all, reported, asserted) => {
      const expected = [
        ...asserted.map((one) => [one.criterion, one.passed]),
        ...all.flatMap(({ decidesSuccess, metricId, slug, value }) =>
          decidesSuccess ? [[`metric:${slug ?? metricId}`, typeof value === "boolean" ? value : null]] : []
        ),
        ...(reported === null ? [] : [["reported", reported]])
      ]
      const found = criteriaOf(all, reported, asserted).map((one) => [one.criterion, one.passed])
      expectEqual("the criteria", found, expected)
    }
  ),
  property(
    "a run is a success if a criterion passed and none failed, by assertions, metrics and the report alike",
    [scores, passed, assertions],
    (all, reported, asserted) => {
      const votes = [
        ...asserted.map((one) => one.passed),
        ...all.map(({ decidesSuccess, value }) => (decidesSuccess && typeof value === "boolean" ? value : null)),
        reported
      ]
      expectEqual("the success", successByCriteria(criteriaOf(all, reported, asserted)), conjunction(votes))
    }
  ),
  property("the success of a run does not depend on the order of its criteria", [criteria], (all) => {
    const expected = conjunction(all.map((one) => one.passed))
    expectEqual("the success", [successByCriteria(all), successByCriteria(all.toReversed())], [expected, expected])
  }),
  property("the reason of a failure names exactly the criteria that failed", [criteria], (all) => {
    const failed = all.filter((one) => one.passed === false)
    const reason = failureReason(all)
    const named = all.filter(({ name }) => reason?.includes(name) === true)
    expectEqual(
      "the names",
      named.map(({ name }) => name),
      failed.map(({ name }) => name)
    )
    expectEqual("whether there is a reason", reason !== null, failed.length > 0)
  })
]
