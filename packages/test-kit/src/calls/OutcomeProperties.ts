/** Properties of what evaluations decide about a call. Source: docs/metrics.md; interface, Call record. */
import { type CallRecord, EvaluationStatus, MetricId, type RatedEvaluation } from "@earshot/core"
import * as fc from "fast-check"
import { expectEqual, type Property, property } from "../Property.js"

/** What of a call its evaluations may change, and whether a person has reviewed it. */
export type CallOutcome = Pick<CallRecord, "success" | "isReviewed" | "topic" | "dropoffPoint" | "evaluation">

export interface OutcomeRules {
  /** The success that evaluations decide; null where none decides. */
  readonly successOf: (evaluations: ReadonlyArray<RatedEvaluation>) => boolean | null
  /** The call after its evaluation. */
  readonly apply: (call: CallOutcome, evaluations: ReadonlyArray<RatedEvaluation>) => CallOutcome
}

/** Evaluations whose values collide across types: `true`, 1 and "true", and `false`, 0 and "". */
const ratedEvaluation: fc.Arbitrary<RatedEvaluation> = fc
  .record({
    id: fc.integer({ min: 1, max: 3 }),
    slug: fc.constantFrom("expected_outcome", "topic", "dropoff_point", "voicemail_detection", null),
    // Mostly scored and true or false, so that metrics that decide agree and disagree.
    status: fc.oneof(
      { weight: 4, arbitrary: fc.constant("scored" as const) },
      { weight: 1, arbitrary: fc.constantFrom(...EvaluationStatus.literals) }
    ),
    value: fc.constantFrom(
      true,
      true,
      true,
      false,
      false,
      false,
      1,
      0,
      "true",
      "billing",
      "none",
      "",
      "b".repeat(1001),
      null
    ),
    decidesSuccess: fc.boolean()
  })
  .map(({ decidesSuccess, id, slug, status, value }) => ({
    metricId: MetricId.make(id),
    metricName: `Metric ${id}`,
    slug,
    status,
    value: status === "scored" ? value : null,
    decidesSuccess
  }))

/** The evaluations of a call, none and one among them. */
export const evaluations = fc.array(ratedEvaluation, { maxLength: 6, size: "max" })
const text = fc.constantFrom(null, "", "a person's")
const call: fc.Arbitrary<CallOutcome> = fc.record({
  success: fc.constantFrom(true, false, null),
  isReviewed: fc.boolean(),
  topic: text,
  dropoffPoint: text,
  evaluation: fc.constantFrom("", "before")
})

/** The votes: values of metrics that decide success, as far as they were scored true or false. */
const votesOf = (all: ReadonlyArray<RatedEvaluation>): ReadonlyArray<boolean> =>
  all.flatMap(({ decidesSuccess, status, value }) =>
    decidesSuccess && status === "scored" && (value === true || value === false) ? [value] : []
  )

/** The first word that the metric with this slug chose; "none" is no choice. */
const chosen = (all: ReadonlyArray<RatedEvaluation>, slug: string): string | null => {
  const value = all.find((one) => one.slug === slug)?.value
  return typeof value === "string" && value !== "none" ? value.slice(0, 1000) : null
}

export const outcomeProperties = ({ apply, successOf }: OutcomeRules): ReadonlyArray<Property> => [
  property(
    "a call is a success if all metrics that decide success are true, unknown without any",
    [evaluations],
    (all) => {
      const votes = votesOf(all)
      expectEqual("the success", successOf(all), votes.length === 0 ? null : !votes.includes(false))
    }
  ),
  property("the success of a call does not depend on the order of its evaluations", [evaluations], (all) => {
    expectEqual("the success in reverse order", successOf(all.toReversed()), successOf(all))
  }),
  property("metrics that do not decide success do not change it", [evaluations, evaluations], (all, more) => {
    const others = more.map((one) => ({ ...one, decidesSuccess: false }))
    expectEqual("the success with other metrics", successOf([...others, ...all, ...others]), successOf(all))
  }),
  property(
    "a person's success takes precedence over evaluations, which take precedence over none",
    [call, evaluations],
    (before, all) => {
      const votes = votesOf(all)
      const expected = before.isReviewed || votes.length === 0 ? before.success : !votes.includes(false)
      const after = apply(before, all)
      expectEqual("success and review", [after.success, after.isReviewed], [expected, before.isReviewed])
    }
  ),
  property(
    "a topic and a drop-off point that are set stay, and others are what their metric chose",
    [call, evaluations],
    (before, all) => {
      const after = apply(before, all)
      expectEqual("the topic", after.topic, before.topic ?? chosen(all, "topic"))
      expectEqual("the drop-off point", after.dropoffPoint, before.dropoffPoint ?? chosen(all, "dropoff_point"))
    }
  ),
  property("the summary counts every evaluation under its status", [call, evaluations], (before, all) => {
    const counts = [...(apply(before, all).evaluation ?? "").replace(/\..*/, "").matchAll(/\d+/g)].map(Number)
    expectEqual(
      "the sum of the counts",
      counts.reduce((sum, one) => sum + one, 0),
      all.length
    )
  }),
  property(
    "the summary names the metrics that are false, other than the detection of voicemail",
    [call, evaluations],
    (before, all) => {
      const named = /Not passed: (.*)\.$/.exec(apply(before, all).evaluation ?? "")?.[1]?.split(", ") ?? []
      const expected = all.filter(({ slug, value }) => value === false && slug !== "voicemail_detection")
      expectEqual(
        "the names",
        named,
        expected.map(({ metricName }) => metricName)
      )
    }
  ),
  property("evaluating a call twice changes nothing", [call, evaluations], (before, all) => {
    const once = apply(before, all)
    expectEqual("the second time", apply(once, all), once)
  })
]
