/** Arbitraries of valid and damaged specs, for one context. */
import {
  AgentId,
  type SuiteContext,
  LanguageCode,
  MetricId,
  Credits,
  PersonalityId,
  ProjectId,
  TestProfileId,
  ToolId
} from "@earshot/core"
import * as fc from "fast-check"
import { assertion } from "../results/AssertionProperties.js"

/** The context that specs of `suite` refer to. */
export const fixture: SuiteContext = {
  agent: {
    id: AgentId.make(7),
    projectId: ProjectId.make(3),
    name: "Front desk",
    supportedChannels: ["voice", "text", "provider_e_v2"],
    chatEndpoint: {},
    voiceEndpoint: null
  },
  played: { channels: ["text", "voice"] },
  metrics: [
    {
      id: MetricId.make(1),
      slug: "latency_ms",
      name: "Latency",
      simulationEnabled: true,
      cost: Credits.fromMicros(0n)
    },
    {
      id: MetricId.make(2),
      slug: "politeness",
      name: "Polite",
      simulationEnabled: true,
      cost: Credits.fromMicros(50_000n)
    },
    {
      id: MetricId.make(3),
      slug: "order_total",
      name: "Total",
      simulationEnabled: true,
      cost: Credits.fromMicros(5_000n)
    },
    { id: MetricId.make(4), slug: "silence", name: "Silence", simulationEnabled: false, cost: Credits.fromMicros(0n) },
    { id: MetricId.make(5), slug: null, name: "Nameless", simulationEnabled: true, cost: Credits.fromMicros(1n) }
  ],
  personalities: [
    { id: PersonalityId.make(11), name: "Patient", language: "en" },
    { id: PersonalityId.make(12), name: "Hurried", language: "de" },
    { id: PersonalityId.make(13), name: "Twin", language: "de" },
    { id: PersonalityId.make(14), name: "Twin", language: "fr" }
  ],
  notEnabled: new Set([PersonalityId.make(19)]),
  testProfiles: [
    { id: TestProfileId.make(21), name: "Ann" },
    { id: TestProfileId.make(22), name: "Bob" }
  ],
  tools: [
    { id: ToolId.make(31), name: "keypad" },
    { id: ToolId.make(32), name: "calendar" }
  ]
}

/** A spec as JSON; the fields that tests access. */
export interface SuiteJson {
  readonly version: string
  readonly suite: { readonly name: string; readonly description?: string }
  readonly agent_id?: number
  readonly defaults?: { readonly [field: string]: unknown }
  readonly scenarios: ReadonlyArray<{
    readonly key: string
    readonly frequency?: number
    readonly [field: string]: unknown
  }>
}

const word = fc.stringMatching(/^[a-z][a-z0-9 _-]{0,20}$/).filter((text) => text.trim() !== "")

const metrics = fc.uniqueArray(fc.constantFrom<string | number>("latency_ms", "politeness", "order_total", 1, 2, 5), {
  maxLength: 5
})

const personality = fc.oneof(
  fc.constantFrom<unknown>("Patient", "Hurried", 11, 14, null),
  fc.record(
    { name: word, language: fc.constantFrom(...LanguageCode.literals), description: fc.string({ unit: "grapheme" }) },
    { requiredKeys: ["name"] }
  )
)

const testProfile = fc.oneof(
  fc.constantFrom<unknown>("Ann", "Bob", 21, null),
  fc.record(
    {
      name: word,
      information: fc.record({ main_agent_variables: fc.dictionary(word, fc.string({ unit: "grapheme" })) })
    },
    { requiredKeys: ["name"] }
  )
)

/** As written in a spec, where fields with a default may be left out. */
const assertionJson = assertion.map(({ type, ...rest }) => {
  const given = Object.entries(rest).filter(([, value]) => value !== null && value !== false)
  return { type, ...Object.fromEntries(given) }
})

const shared = {
  frequency: fc.integer({ min: 1, max: 100 }),
  language: fc.option(fc.constantFrom(...LanguageCode.literals)),
  max_duration: fc.integer({ min: 1, max: 86_400 }),
  metrics,
  personality,
  test_profile: testProfile,
  tags: fc.array(word, { maxLength: 5 }),
  assertions: fc.array(assertionJson, { maxLength: 4 })
}

const action = fc.constantFrom(
  "Hello",
  'One moment <hold time="5" /> please',
  '<silence time="0.5" />[laughter]',
  "Bye <endcall />"
)

const conditionalActions = fc
  .array(fc.record({ condition: fc.oneof(word, fc.constant(0)), action }), { maxLength: 4 })
  .map((items) => ({
    role: "Somebody in a hurry",
    conditions: [{ condition: "FIRST_MESSAGE", action: "Hi" }, ...items].map((item, id) => ({ id, ...item }))
  }))

const scenario = fc
  .tuple(
    fc.oneof(
      fc.record({
        type: fc.constantFrom("instruction", "real_world_smart", "real_world_fixed"),
        instructions: word
      }),
      fc.record({ type: fc.constant("conditional_actions"), conditional_actions: conditionalActions })
    ),
    fc.record(
      {
        ...shared,
        expected_outcome: fc.string({ unit: "grapheme" }),
        first_message: fc.string({ unit: "grapheme" }),
        tools: fc.uniqueArray(fc.constantFrom<string | number>("keypad", "calendar", 32), { maxLength: 2 })
      },
      { requiredKeys: [] }
    )
  )
  .map(([own, rest]) => ({ ...own, ...rest }))

/** A valid spec for `fixture`. */
export const suite: fc.Arbitrary<SuiteJson> = fc
  .record({
    top: fc.record({ agent_id: fc.constant(7), description: fc.string({ unit: "grapheme" }) }, { requiredKeys: [] }),
    name: word,
    defaults: fc.option(
      fc.record({ ...shared, concurrency_limit: fc.integer({ min: 1, max: 100 }) }, { requiredKeys: [] }),
      { nil: undefined }
    ),
    scenarios: fc.array(scenario, { minLength: 1, maxLength: 6 })
  })
  .map(({ defaults, name, scenarios, top }) => ({
    version: "1",
    suite: { name, ...(top.description === undefined ? {} : { description: top.description }) },
    ...(top.agent_id === undefined ? {} : { agent_id: top.agent_id }),
    ...(defaults === undefined ? {} : { defaults }),
    scenarios: scenarios.map((one, position) => ({ key: `case-${position}`, name: `Case ${position}`, ...one }))
  }))

const JUNK: ReadonlyArray<unknown> = [null, true, 0, -1, 1.5, 2 ** 53, "", " ", [], {}, [[]], "x".repeat(300), { a: 1 }]

/** Every path in a document. */
const placesIn = (
  value: unknown,
  at: ReadonlyArray<string | number> = []
): ReadonlyArray<ReadonlyArray<string | number>> => [
  at,
  ...(Array.isArray(value)
    ? value.flatMap((item: unknown, position) => placesIn(item, [...at, position]))
    : typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, item]) => placesIn(item, [...at, key]))
      : [])
]

const replaced = (value: unknown, [step, ...rest]: ReadonlyArray<string | number>, by: unknown): unknown =>
  step === undefined
    ? by
    : Array.isArray(value)
      ? value.map((item: unknown, position) => (position === step ? replaced(item, rest, by) : item))
      : typeof value === "object" && value !== null
        ? Object.fromEntries(
            Object.entries(value).map(([key, item]) => [key, key === step ? replaced(item, rest, by) : item])
          )
        : value

/** A spec with one value replaced, mostly by an invalid one. */
export const damagedSuite: fc.Arbitrary<unknown> = suite.chain((document) =>
  fc
    .record({ place: fc.constantFrom(...placesIn(document)), by: fc.constantFrom(...JUNK) })
    .map(({ by, place }) => replaced(document, place, by))
)
