import * as fc from "fast-check"
import { at } from "../Documents.js"
import { assertHolds, parameters, yieldingProperty } from "../Property.js"
import { type CallStep, deleteStep, deliverStep, noCalls, reviewStep, stepCalls } from "./CallModel.js"
import { linearization } from "./Linearizable.js"
import type { ModelOptions } from "./CommandSequences.js"
import { type Coverage, CoverageCounter } from "./Coverage.js"
import {
  answerOf,
  ask,
  byName,
  type CallFixture,
  expectedCharges,
  seenCalls,
  seenCharges,
  shownCalls,
  wireShown
} from "./CallRequests.js"

/** Steps to send concurrently, after some that are sent one by one. */
const concurrentSteps = fc.record({
  before: fc.array(deliverStep, { minLength: 1, maxLength: 3 }),
  steps: fc.array(
    fc.oneof(
      { weight: 3, arbitrary: deliverStep },
      { weight: 2, arbitrary: reviewStep },
      { weight: 1, arbitrary: deleteStep }
    ),
    { minLength: 2, maxLength: 5, size: "max" }
  )
})

/** Events that the concurrent requests have to cover. */
const concurrentKinds = [
  "call created",
  "call redelivered",
  "delivery rejected",
  "reviewed",
  "deleted",
  "call delivered twice concurrently",
  "call delivered and reviewed concurrently",
  "call delivered and deleted concurrently"
] as const

/**
 * Fails when concurrent deliveries, reviews and deletions are not linearizable: no order of them explains the responses and
 * the final state. Returns the coverage.
 */
export const checkConcurrentCalls = async (
  fixture: () => Promise<CallFixture>,
  options: ModelOptions
): Promise<Coverage> => {
  const coverage = new CoverageCounter(concurrentKinds)
  const details = await fc.check(
    yieldingProperty([concurrentSteps], async ({ before, steps }) => {
      const real = await fixture()
      const ids = new Map<string, number>()
      let initial = noCalls
      for (const step of before) {
        const { body } = await ask(real, step, ids)
        initial = stepCalls(initial, step).state
        const id = at(body, "id")
        if (typeof id === "number") ids.set(step.name, id)
      }
      // Reviews and deletions address calls of before; a call created meanwhile has another id.
      const asked = steps.filter((step) => step.does === "deliver" || ids.has(step.name))
      const isDeleted = (name: string) => asked.some((step) => step.does === "delete" && step.name === name)
      const known = asked.filter((step) => step.does !== "review" || !isDeleted(step.name))
      const operations = await Promise.all(
        known.map(async (step) => ({ step, answer: answerOf(await ask(real, step, ids)) }))
      )
      for (const { answer, step } of operations) {
        const { outcome } = answer
        if (step.does === "deliver")
          coverage.count(
            outcome === "created" ? "call created" : outcome === "done" ? "call redelivered" : "delivery rejected"
          )
        else if (outcome === "done") coverage.count(step.does === "review" ? "reviewed" : "deleted")
      }
      const done = operations.filter(({ answer }) => answer.outcome !== "refused").map(({ step }) => step)
      const together = (one: CallStep["does"], other: CallStep["does"]) =>
        done.some((a, at) =>
          done.some((b, then) => at !== then && a.name === b.name && a.does === one && b.does === other)
        )
      if (together("deliver", "deliver")) coverage.count("call delivered twice concurrently")
      if (together("deliver", "review")) coverage.count("call delivered and reviewed concurrently")
      if (together("deliver", "delete")) coverage.count("call delivered and deleted concurrently")
      const seen = (await seenCalls(real)).map(wireShown).sort(byName)
      const charges = await seenCharges(real)
      const order = linearization({
        initial,
        operations,
        apply: stepCalls,
        isSame: (one, other) => JSON.stringify(one) === JSON.stringify(other),
        isFinal: (state) =>
          JSON.stringify([shownCalls(state), expectedCharges(state)]) === JSON.stringify([seen, charges])
      })
      if (order === undefined)
        throw new Error(`These steps are not linearizable: ${JSON.stringify({ operations, seen, charges }, null, 2)}`)
    }),
    parameters(options.runs)
  )
  assertHolds("concurrent requests on calls are linearizable", details)
  return coverage.result
}
