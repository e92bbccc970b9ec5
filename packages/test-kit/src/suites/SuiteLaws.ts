import {
  type AgentWorld,
  Credits,
  type Faults,
  planSuite,
  type PlanRequest,
  type Prices,
  readSuite,
  type SuitePlan
} from "@earshot/core"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { damagedSuite, suite, type SuiteJson, world } from "./SuiteArbitraries.js"

/** A law of suites: what it says, and its check. */
export interface SuiteLaw {
  readonly says: string
  readonly check: () => void
}

const request: PlanRequest = { channel: "voice", name: null, providerData: null }

const planOf = (document: unknown, prices: Prices, of: AgentWorld = world): Either.Either<SuitePlan, Faults.Faults> =>
  planSuite(readSuite(document), request, of, prices)

const planned = (document: SuiteJson, prices: Prices): SuitePlan => Either.getOrThrow(planOf(document, prices))

const times = (document: SuiteJson, factor: number): SuiteJson => ({
  ...document,
  defaults: { ...document.defaults, frequency: undefined },
  scenarios: document.scenarios.map((one) => ({ ...one, frequency: factor }))
})

const inPlace = (document: SuiteJson): SuiteJson => JSON.parse(JSON.stringify(document)) as SuiteJson // eslint-disable-line @typescript-eslint/consistent-type-assertions -- what was one before it was written

/** What every price list and every spec must keep to. */
export const suiteLaws = (prices: Prices): ReadonlyArray<SuiteLaw> => [
  {
    says: "the runs of a plan are the sum of its frequencies, and its price the sum of its scenarios'",
    check: () => {
      fc.assert(
        fc.property(suite, (document) => {
          const plan = planned(document, prices)
          return (
            plan.totalRuns === plan.scenarios.reduce((runs, one) => runs + one.frequency, 0) &&
            plan.estimatedCost === Credits.sum(plan.scenarios.map((one) => one.estimatedCost)) &&
            plan.scenarios.length === document.scenarios.length
          )
        })
      )
    }
  },
  {
    says: "n times as many runs cost exactly n times as much",
    check: () => {
      fc.assert(
        fc.property(suite, fc.integer({ min: 1, max: 100 }), (document, factor) => {
          const once = planned(inPlace(times(document, 1)), prices)
          const often = planned(inPlace(times(document, factor)), prices)
          return (
            often.estimatedCost === Credits.times(once.estimatedCost, factor) &&
            often.totalRuns === once.totalRuns * factor
          )
        })
      )
    }
  },
  {
    says: "the order of scenarios changes nothing but the order",
    check: () => {
      fc.assert(
        fc.property(suite, (document) => {
          const there = planned(document, prices)
          const back = planned({ ...document, scenarios: document.scenarios.toReversed() }, prices)
          return (
            there.estimatedCost === back.estimatedCost &&
            there.scenarios.map(({ key }) => key).join() ===
              back.scenarios
                .toReversed()
                .map(({ key }) => key)
                .join()
          )
        })
      )
    }
  },
  {
    says: "whatever a document holds, it is planned or its faults are told, and twice the same",
    check: () => {
      fc.assert(
        fc.property(fc.oneof(damagedSuite, fc.jsonValue()), (document) => {
          const once = planOf(document, prices)
          const again = planOf(document, prices)
          return (
            Either.isRight(once) === Either.isRight(again) &&
            (Either.isRight(once) ||
              (Object.keys(once.left).length > 0 && Object.values(once.left).every((said) => said.length > 0)))
          )
        })
      )
    }
  }
]
