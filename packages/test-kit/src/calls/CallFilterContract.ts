import { CallStore, nothingExpanded, Pages } from "@earshot/core"
import { layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import * as fc from "fast-check"
import { permit } from "../catalog/Permits.js"
import { filter } from "../filters/FilterArbitraries.js"
import { AGENTS, callFixture, METRICS } from "../filters/FilterableCalls.js"
import { type CallFixtureStores, storeCalls } from "../filters/StoredCalls.js"
import { NOW } from "../filters/Vocabulary.js"
import { asyncProperty, expectEqual } from "../Property.js"
import { matcher } from "../filters/ReferenceMatcher.js"

const CALLS = 150

/** One fixture for all filters, so that a failing filter can be retried and shrunk. */
const [fixture] = fc.sample(callFixture(CALLS), { numRuns: 1, seed: 20_260_331 })

/** The contract of filters in a `CallStore`: it finds the calls that match in memory, and no others. */
export const callFilterContract = <E>(subject: string, stores: Layer.Layer<CallFixtureStores, E>): void => {
  layer(stores, { timeout: "5 minutes" })(`calls filtered by ${subject}`, (it) => {
    it.effect(
      "are those that match in memory",
      () =>
        Effect.gen(function* () {
          const { calls, organizationId, renumber } = yield* storeCalls(
            fixture ?? { agents: AGENTS, metrics: METRICS, calls: [] }
          )
          const run = Runtime.runPromise(yield* Effect.runtime<CallStore>())
          const store = yield* CallStore
          const everything = { agentId: undefined, projectId: undefined, now: NOW }
          const property = asyncProperty(
            "the calls that a filter finds are those that match in memory, newest first",
            [filter],
            async (written) => {
              const asked = renumber(written)
              const found = await run(
                store.list(
                  permit(organizationId, "calls.list"),
                  { ...everything, filter: asked },
                  { cursor: Pages.firstPage, limit: CALLS },
                  nothingExpanded
                )
              )
              const matching = calls.filter(matcher(asked, NOW)).map(({ id }) => id)
              expectEqual(
                "the ids found",
                found.rows.map(({ id }) => id),
                matching.reverse()
              )
            },
            250
          )
          yield* Effect.promise(property.check)
        }),
      TAKES_LONG
    )
  })
}

/** A generous limit for busy machines. */
const TAKES_LONG = { timeout: 3_600_000 }
