/** Properties of the plan of a suite and of price lists. Source: interface, E1; docs/suites.md. */
import {
  type SuiteContext,
  type Channel,
  Credits,
  DEFAULT_MAX_DURATION,
  type FieldErrors,
  type PlanRequest,
  type Prices,
  type SuitePlan,
  Upload
} from "@earshot/core"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { expectEqual, invariant, type Property, property, expectEvery, expectOrdered } from "../Property.js"
import { invalidSuite, specOf, suiteFlaws, suiteLimits, wideFixture, withFlaws } from "./InvalidSuites.js"
import { damagedSuite, suite, type SuiteJson, fixture } from "./SuiteArbitraries.js"

/** The plan of a document, or every error. */
export type PlanDocument = (
  document: unknown,
  request: PlanRequest,
  fixture: SuiteContext,
  prices: Prices
) => Either.Either<SuitePlan, FieldErrors.FieldErrors>

const everything: PlanRequest["only"] = { keys: [], tags: [] }
const request: PlanRequest = { channel: "voice", name: null, providerData: null, only: everything }
const channel = fc.constantFrom<Channel>("voice", "text", "provider_e_v2")

/** The suite with every frequency multiplied. */
const times = ({ defaults, ...document }: SuiteJson, frequency: number): SuiteJson => {
  const { frequency: _, ...rest } = defaults ?? {}
  return { ...document, defaults: rest, scenarios: document.scenarios.map((one) => ({ ...one, frequency })) }
}

const factor = fc.integer({ min: 1, max: 100 })

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

const joined = (...lists: ReadonlyArray<unknown>): ReadonlyArray<unknown> => lists.filter(isList).flat()

/** The scenarios with their costs as text, which JSON has no other form for. */
const costsOf = (scenarios: SuitePlan["scenarios"]) =>
  scenarios.map(({ estimatedCost, ...rest }) => ({ ...rest, estimatedCost: String(estimatedCost) }))

/** Properties of a planner, for any price list. */
export const suiteProperties = (plan: PlanDocument, prices: Prices): ReadonlyArray<Property> => {
  const planned = (document: SuiteJson, asked: Partial<PlanRequest> = {}, list = prices): SuitePlan =>
    Either.getOrThrowWith(
      plan(document, { ...request, ...asked }, fixture, list),
      (errors) => new Error(`A suite that is right has faults: ${JSON.stringify(errors)}`)
    )
  const pathsOf = (document: unknown, asked: Partial<PlanRequest> = {}, within = fixture): ReadonlyArray<string> =>
    Either.match(plan(document, { ...request, ...asked }, within, prices), {
      onLeft: Object.keys,
      onRight: () => []
    })
  return [
    property(
      "total runs are the sum of frequencies, and the estimate is the sum of the scenarios' costs",
      [suite],
      (document) => {
        const { estimatedCost, scenarios, totalRuns } = planned(document)
        expectEqual(
          "totalRuns",
          totalRuns,
          scenarios.reduce((runs, one) => runs + one.frequency, 0)
        )
        expectEqual(
          "estimatedCost",
          estimatedCost,
          scenarios.reduce((sum, one) => sum + one.estimatedCost, 0n)
        )
        expectEqual("scenarios.length", scenarios.length, document.scenarios.length)
      }
    ),
    property(
      "a scenario costs its frequency times the price of the conversation and of its metrics",
      [suite, channel],
      (document, by) => {
        for (const { estimatedCost, frequency, maxDuration, metricIds } of planned(document, { channel: by })
          .scenarios) {
          const metrics = fixture.metrics.filter(({ id }) => metricIds.includes(id))
          const once = metrics.reduce<bigint>((sum, { cost }) => sum + cost, prices.talk(by, maxDuration))
          expectEqual("the cost", String(estimatedCost), String(once * BigInt(frequency)))
        }
      }
    ),
    property("n times as many runs cost exactly n times as much", [suite, factor], (document, n) => {
      const [once, often] = [planned(times(document, 1)), planned(times(document, n))]
      expectEqual("often.estimatedCost", often.estimatedCost, once.estimatedCost * BigInt(n))
      expectEqual("often.totalRuns", often.totalRuns, once.totalRuns * n)
    }),
    property("double prices double the cost of a suite with free metrics", [suite], (document) => {
      const talkOnly = {
        ...document,
        defaults: {},
        scenarios: document.scenarios.map((one) => ({ ...one, metrics: [] }))
      }
      const twice: Prices = { talk: (by, seconds) => Credits.multiply(prices.talk(by, seconds), 2) }
      expectEqual(
        "planned(talkOnly, {}, twice).estimatedCost",
        planned(talkOnly, {}, twice).estimatedCost,
        planned(talkOnly).estimatedCost * 2n
      )
    }),
    property("the order of scenarios changes only the order of the plan", [suite], (document) => {
      const there = planned(document)
      const back = planned({ ...document, scenarios: document.scenarios.toReversed() })
      const keys = ({ scenarios }: SuitePlan) => scenarios.map(({ key }) => key)
      expectEqual("there.estimatedCost", there.estimatedCost, back.estimatedCost)
      expectEqual("keys(there).join()", keys(there).join(), keys(back).toReversed().join())
    }),
    property("the defaults apply to every scenario that does not override them", [suite, factor], (document, n) => {
      const { frequency, max_duration: seconds } = document.defaults ?? {}
      const silent = document.scenarios.map(({ frequency: _, max_duration: __, ...rest }) => rest)
      const defaults = { ...document.defaults, frequency: frequency ?? n, max_duration: seconds ?? n }
      expectEvery(
        "planned({ ...document, defaults, scenarios: silent }).scenarios",
        planned({ ...document, defaults, scenarios: silent }).scenarios,
        (one) => one.frequency === defaults.frequency && one.maxDuration === defaults.max_duration
      )
    }),
    property(
      "a scenario's own values override the defaults, and its lists are joined to theirs",
      [suite],
      ({ defaults = {}, ...document }) => {
        const metricOf = (reference: unknown) =>
          fixture.metrics.find(({ id, slug }) => id === reference || slug === reference)?.id
        for (const [position, one] of planned({ ...document, defaults }).scenarios.entries()) {
          const own = document.scenarios[position]
          expectEqual("frequency", one.frequency, own?.frequency ?? defaults.frequency ?? 1)
          expectEqual(
            "maxDuration",
            one.maxDuration,
            own?.max_duration ?? defaults.max_duration ?? DEFAULT_MAX_DURATION
          )
          expectEqual("metricIds", one.metricIds, [...new Set(joined(defaults.metrics, own?.metrics).map(metricOf))])
          expectEqual("tags", one.tags, [...new Set(joined(defaults.tags, own?.tags))])
        }
      }
    ),
    property(
      "the name of the request takes precedence over the suite's",
      [suite, fc.option(fc.constantFrom("Tonight", "x"))],
      (document, name) => {
        expectEqual(
          "planned(document, { name }).suiteName",
          planned(document, { name }).suiteName,
          name ?? document.suite.name
        )
      }
    ),
    property(
      "an error of a suite is reported under its path only",
      [suite, fc.nat()],
      (right, pick) => {
        for (const flaw of suiteFlaws) {
          const { channel: by, document, paths, wrong } = withFlaws(right, pick, [flaw])
          expectEqual(`the faults of ${wrong.join()}`, pathsOf(document, { channel: by }), paths)
        }
      },
      8
    ),
    property(
      "every error of a suite is reported, not only the first",
      [invalidSuite(6)],
      ({ channel: by, document, paths }) => {
        expectEqual("the faults", pathsOf(document, { channel: by }).toSorted(), [...paths].toSorted())
      }
    ),
    property(
      "selecting scenarios by key or by tag leaves the others out and changes nothing about them",
      [suite, fc.nat(), fc.nat()],
      (document, one, other) => {
        const { scenarios } = planned(document)
        const pick = (at: number) => scenarios[at % scenarios.length]
        const keys = [...new Set([pick(one)?.key ?? "", pick(other)?.key ?? ""])]
        const byKey = planned(document, { only: { keys, tags: [] } })
        expectEqual("by key", costsOf(byKey.scenarios), costsOf(scenarios.filter(({ key }) => keys.includes(key))))
        const tags = (pick(one)?.tags ?? []).slice(0, 2)
        const byTag = planned(document, { only: { keys: [], tags } })
        const tagged = scenarios.filter((some) => some.tags.some((tag) => tags.includes(tag)))
        expectEqual("by tag", costsOf(byTag.scenarios), costsOf(tags.length === 0 ? scenarios : tagged))
        expectEqual("the errors", pathsOf(document, { only: { keys: ["no such key"], tags: [] } }), [
          "scenario_keys[0]"
        ])
        expectEqual("the errors", pathsOf(document, { only: { keys: [], tags: ["no such tag"] } }), ["scenario_tags"])
      }
    ),
    property(
      "a suite is planned for exactly the channels that the agent supports",
      [suite, channel],
      (document, by) => {
        expectEqual("planned(document, { channel: by }).channel", planned(document, { channel: by }).channel, by)
      }
    ),
    ...suiteLimits.map(({ having, least = 0, most, of, path }) =>
      invariant(`${of} are ${least} to ${most}, no more and no fewer`, () => {
        const found = [least, most, most + 1, ...(least === 0 ? [] : [least - 1])].map((count) =>
          pathsOf(having(count), {}, wideFixture)
        )
        expectEqual("the faults", found, [[], [], [path], ...(least === 0 ? [] : [[path]])])
      })
    ),
    property(
      "any document is planned or has errors, deterministically",
      [fc.oneof(damagedSuite, fc.jsonValue())],
      (document) => {
        const [once, again] = [plan(document, request, fixture, prices), plan(document, request, fixture, prices)]
        expectEqual("the second plan", Either.merge(again), Either.merge(once))
        if (Either.isRight(once)) return
        expectOrdered("Object.keys(once.left).length", Object.keys(once.left).length, ">", 0)
        expectEvery("Object.values(once.left)", Object.values(once.left), (messages) => messages.length > 0)
      }
    )
  ]
}

/** The forms of a spec in a request, by description, with their field. */
const GIVEN: Readonly<Record<string, readonly [field: "spec" | "file", given: (json: string) => unknown]>> = {
  "a document": ["spec", (json): unknown => JSON.parse(json)],
  "a text": ["spec", (json) => json],
  "a file's text": ["file", (json) => json],
  "a file": ["file", (json) => new Upload(Buffer.from(json), "application/json", "suite.json")],
  "a data URI": ["file", (json) => `data:application/json;base64,${Buffer.from(json).toString("base64")}`]
}

const MOST_BYTES = 1_048_576

/** Properties of a parser of E1's body; `errorsOf` returns the paths of its errors. */
export const specLimitProperties = (errorsOf: (body: unknown) => ReadonlyArray<string>): ReadonlyArray<Property> =>
  Object.entries(GIVEN).map(([how, [field, given]]) =>
    invariant(`a spec that comes as ${how} has no more than ${MOST_BYTES} bytes`, () => {
      const found = [MOST_BYTES, MOST_BYTES + 1].map((bytes) =>
        errorsOf({ agent_id: 7, [field]: given(JSON.stringify(specOf(bytes))) })
      )
      expectEqual("the faults", found, [[], [field]])
    })
  )

const seconds = fc.integer({ min: 0, max: 86_400 })
const anyChannel = fc.constantFrom<Channel>("voice", "text", "provider_f", "provider_e_v2", "provider_d_v2")

/** Properties of any price list. */
export const priceListProperties = (prices: Prices): ReadonlyArray<Property> => [
  property("no price is negative", [anyChannel, seconds], (by, length) => {
    expectOrdered("prices.talk(by, length)", prices.talk(by, length), ">=", 0n)
  }),
  property("a longer run never costs less", [anyChannel, seconds, seconds], (by, one, other) => {
    if (one <= other) {
      expectOrdered("prices.talk(by, one)", prices.talk(by, one), "<=", prices.talk(by, other))
    } else {
      expectOrdered("prices.talk(by, one)", prices.talk(by, one), ">=", prices.talk(by, other))
    }
  }),
  property("prices are deterministic", [anyChannel, seconds, seconds], (by, one, other) => {
    const first = prices.talk(by, one)
    prices.talk(by, other)
    expectEqual("prices.talk(by, one)", prices.talk(by, one), first)
  })
]

/** Properties of the standard price list. */
export const standardPriceProperties = (prices: Prices): ReadonlyArray<Property> => [
  ...priceListProperties(prices),
  invariant("a minute of voice costs 5 credits, a second 0.083333, and a text run 10", () => {
    expectEqual(
      '[prices.talk("voice", 60), prices.talk("voice", 1), prices.talk("text", 60)].join()',
      [prices.talk("voice", 60), prices.talk("voice", 1), prices.talk("text", 60)].join(),
      "5000000,83333,10000000"
    )
  }),
  property(
    "voice costs 5 credits a minute by the second, rounded half up to a millionth",
    [anyChannel.filter((by) => by !== "text"), seconds],
    (by, length) => {
      expectEqual("prices.talk(by, length)", prices.talk(by, length), (2n * 250_000n * BigInt(length) + 3n) / 6n)
    }
  ),
  property("the price of text does not depend on the duration", [seconds, seconds], (one, other) => {
    expectEqual('prices.talk("text", one)', prices.talk("text", one), prices.talk("text", other))
  })
]
