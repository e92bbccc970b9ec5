/** Invalid specs with the paths of their errors, and specs at their limits. Source: interface, E1; docs/suites.md. */
import { type SuiteContext, Channel, Credits, MetricId, PersonalityId, TestProfileId, ToolId } from "@earshot/core"
import * as fc from "fast-check"
import { conditionalActionsFlaws } from "../evaluators/InvalidConditionalActions.js"
import { suite, type SuiteJson, fixture } from "./SuiteArbitraries.js"

type Fields = Readonly<Record<string, unknown>>

/** Where fields are patched: at the top, in the suite, in the defaults, in a scenario, or in the request. */
type Place = "top" | "suite" | "defaults" | "scenario" | "request"

/** One error: the fields to replace, and its path from there. */
export interface SuiteFlaw {
  /** A description for failures. */
  readonly wrong: string
  readonly place: Place
  readonly patch: Fields
  readonly path: string
}

export interface InvalidSuite {
  readonly wrong: ReadonlyArray<string>
  readonly document: Fields
  readonly channel: Channel
  /** The paths of all errors. */
  readonly paths: ReadonlyArray<string>
}

const at =
  (place: Place) =>
  (wrong: string, path: string, value: unknown, field = path): SuiteFlaw => ({
    wrong,
    place,
    patch: { [field]: value },
    path
  })

const top = at("top")
const ofSuite = at("suite")
const ofScenario = at("scenario")

/** Invalid assertions with the paths of their errors. */
const assertionFlaws: ReadonlyArray<readonly [wrong: string, path: string, given: unknown]> = [
  ["null", "", null],
  ["a text", "", "booked"],
  ["no type", ".type", { text: "booked" }],
  ["an unknown type", ".type", { type: "includes", text: "booked" }],
  ["no text", ".text", { type: "contains" }],
  ["a blank text", ".text", { type: "not_contains", text: " " }],
  ["an unknown speaker", ".speaker", { type: "contains", text: "booked", speaker: "caller" }],
  ["case in a word", ".case_sensitive", { type: "contains", text: "booked", case_sensitive: "yes" }],
  ["a field of another type", ".pattern", { type: "contains", text: "booked", pattern: "x" }],
  ["an invalid pattern", ".pattern", { type: "regex", pattern: "(" }],
  ["a pattern with a backreference", ".pattern", { type: "regex", pattern: "(a)\\1" }],
  ["arguments in a list", ".arguments", { type: "tool_called", tool: "book", arguments: [] }],
  ["an order of one tool", ".tools", { type: "tool_order", tools: ["book"] }],
  ["an order with a number", ".tools[1]", { type: "tool_order", tools: ["book", 5] }],
  ["no latency", ".milliseconds", { type: "max_latency", milliseconds: 0 }],
  ["turns without bounds", ".max", { type: "turns" }],
  ["bounds in the wrong order", ".max", { type: "turns", min: 5, max: 4 }],
  ["ended by either", ".speaker", { type: "ended_by", speaker: "any" }]
]

/** Errors of fields that scenarios and defaults share. */
const shared = (place: "defaults" | "scenario"): ReadonlyArray<SuiteFlaw> => {
  const flaw = at(place)
  return [
    flaw("a metric that is not there", "metrics[1]", ["latency_ms", "weather"], "metrics"),
    flaw("a metric's id that is not there", "metrics[0]", [99], "metrics"),
    flaw("a metric that is not for simulation", "metrics[0]", ["silence"], "metrics"),
    flaw("the id of a metric that is not for simulation", "metrics[1]", [1, 4], "metrics"),
    flaw("a metric twice", "metrics[1]", ["politeness", "politeness"], "metrics"),
    flaw("a metric that is null", "metrics[0]", [null], "metrics"),
    flaw("metrics in a text", "metrics", "latency_ms"),
    flaw("a personality that is not enabled", "personality", 19),
    flaw("a personality that is not there", "personality", 12_345),
    flaw("a personality's name that is not there", "personality", "Nobody at all"),
    flaw("a name that two personalities have", "personality", "Twin"),
    flaw("a personality without a name", "personality.name", { language: "en" }, "personality"),
    flaw("a personality of no language", "personality.language", { name: "Calm", language: "xx" }, "personality"),
    flaw("an unknown field of a personality", "personality.color", { name: "Calm", color: 1 }, "personality"),
    flaw("a test profile that is not there", "test_profile", 29),
    flaw("a test profile's name that is not there", "test_profile", "Nobody at all"),
    flaw("a test profile without a name", "test_profile.name", { information: {} }, "test_profile"),
    flaw("an unknown language", "language", "xx"),
    flaw("half a run", "frequency", 0.5),
    flaw("as many runs as a word says", "frequency", "2"),
    flaw("a length of null", "max_duration", null),
    flaw("a blank tag", "tags[1]", ["a", " "], "tags"),
    flaw("a tag that is a number", "tags[0]", [5], "tags"),
    ...assertionFlaws.map(([wrong, path, given]) =>
      flaw(`an assertion: ${wrong}`, `assertions[1]${path}`, [{ type: "turns", max: 9 }, given], "assertions")
    ),
    flaw("an unknown field", "color", "red")
  ]
}

const INSTRUCTED = { type: "instruction", conditional_actions: undefined }
const STRUCTURED = { type: "conditional_actions", instructions: undefined }
const opening = { id: 0, condition: "FIRST_MESSAGE", action: "Hi" }

/** Errors of conditional actions, as structure and as text. */
const ofConditionalActions: ReadonlyArray<SuiteFlaw> = conditionalActionsFlaws.flatMap(({ of, patch, path, wrong }) => {
  if (of === "whole") return []
  const actions = {
    role: "Somebody",
    conditions: [opening, { id: 1, condition: "says goodbye", action: "Bye", ...patch }]
  }
  const below = `conditions[1].${path}`
  return [
    {
      wrong: `conditional actions: ${wrong}`,
      place: "scenario",
      patch: { ...STRUCTURED, conditional_actions: actions },
      path: `conditional_actions.${below}`
    },
    {
      wrong: `conditional actions as text: ${wrong}`,
      place: "scenario",
      patch: { type: "conditional_actions", conditional_actions: undefined, instructions: JSON.stringify(actions) },
      path: `instructions.${below}`
    }
  ]
})

/** Errors of any scenario but the first in a suite of at least two; they are independent in different fields. */
export const suiteFlaws: ReadonlyArray<SuiteFlaw> = [
  at("request")("a channel that the agent does not support", "channel", "provider_f"),
  at("request")("another channel that the agent does not support", "channel", "provider_d_v2"),
  top("another version", "version", "2"),
  top("a version that is a number", "version", 1),
  top("no version", "version", undefined),
  top("an agent that is a word", "agent_id", "seven"),
  top("an unknown field", "color", "red"),
  top("no suite", "suite", undefined),
  top("a suite that is a name", "suite", "Smoke"),
  top("defaults that are a list", "defaults", []),
  top("no scenarios", "scenarios", undefined),
  top("scenarios by their keys", "scenarios", { a: {} }),
  ofSuite("no name", "name", undefined),
  ofSuite("a blank name", "name", " "),
  ofSuite("a description that is null", "description", null),
  ofSuite("an unknown field", "color", "red"),
  ...shared("defaults"),
  at("defaults")("half a run at a time", "concurrency_limit", 0.5),
  ...shared("scenario"),
  ofScenario("no key", "key", undefined),
  ofScenario("a blank key", "key", ""),
  ofScenario("the key of another", "key", "case-0"),
  ofScenario("no name", "name", undefined),
  ofScenario("a name that is a number", "name", 5),
  ofScenario("no type", "type", undefined),
  ofScenario("an unknown type", "type", "dance"),
  ofScenario("an expected outcome that is a list", "expected_outcome", ["Booked"]),
  ofScenario("a first message that is null", "first_message", null),
  ofScenario("a tool that is not there", "tools[1]", ["keypad", "hammer"], "tools"),
  ofScenario("a tool's id that is not there", "tools[0]", [39], "tools"),
  ofScenario("a tool twice", "tools[1]", [31, 31], "tools"),
  { ...ofScenario("no instructions", "instructions", undefined), patch: { ...INSTRUCTED, instructions: undefined } },
  { ...ofScenario("blank instructions", "instructions", " "), patch: { ...INSTRUCTED, instructions: " " } },
  {
    wrong: "conditional actions of another type",
    place: "scenario",
    patch: { ...INSTRUCTED, instructions: "Ask.", conditional_actions: { role: "", conditions: [opening] } },
    path: "conditional_actions"
  },
  {
    wrong: "conditional actions twice",
    place: "scenario",
    patch: { ...STRUCTURED, instructions: "{}", conditional_actions: { role: "", conditions: [opening] } },
    path: "conditional_actions"
  },
  {
    wrong: "no conditional actions",
    place: "scenario",
    patch: { ...STRUCTURED, conditional_actions: undefined },
    path: "conditional_actions"
  },
  ...ofConditionalActions
]

/** With these fields replaced; undefined removes a field. */
const patched = (fields: object, patches: ReadonlyArray<Fields>): Fields =>
  Object.fromEntries(
    Object.entries({ ...fields, ...Object.fromEntries(patches.flatMap((one) => Object.entries(one))) }).filter(
      ([, value]) => value !== undefined
    )
  )

const prefix = (place: Place, position: number): string => {
  switch (place) {
    case "top":
    case "request":
      return ""
    case "suite":
    case "defaults":
      return `${place}.`
    case "scenario":
      return `scenarios[${position}].`
  }
}

/** The suite with at least two scenarios. */
const withTwo = ({ scenarios, ...rest }: SuiteJson): SuiteJson => ({
  ...rest,
  scenarios: [...scenarios, { key: "last", name: "Last", type: "instruction", instructions: "Say goodbye." }]
})

/** Errors that can be combined: a replaced value cannot have errors of its own. */
const combinable = suiteFlaws.filter(
  ({ patch, place }) =>
    place !== "top" || !["suite", "defaults", "scenarios"].some((name) => Object.hasOwn(patch, name))
)

/** A valid suite with these errors; those of scenarios in any but the first. */
export const withFlaws = (given: SuiteJson, pick: number, flaws: ReadonlyArray<SuiteFlaw>): InvalidSuite => {
  const { defaults, scenarios, suite: own, ...rest } = withTwo(given)
  const position = 1 + (pick % (scenarios.length - 1))
  const of = (place: Place) => flaws.filter((one) => one.place === place).map(({ patch }) => patch)
  const document = {
    ...rest,
    suite: patched(own, of("suite")),
    defaults: patched(defaults ?? {}, of("defaults")),
    scenarios: scenarios.map((one, n) => (n === position ? patched(one, of("scenario")) : one))
  }
  const asked = of("request")[0]?.channel
  return {
    wrong: flaws.map(({ wrong }) => wrong),
    document: patched(document, of("top")),
    channel: Channel.literals.find((one) => one === asked) ?? "voice",
    paths: flaws.map(({ path, place }) => `${prefix(place, position)}${path}`)
  }
}

/** A suite with one error, or up to `most` in distinct fields, for `fixture`. */
export const invalidSuite = (most = 1): fc.Arbitrary<InvalidSuite> =>
  fc
    .tuple(
      suite,
      fc.nat(),
      fc.uniqueArray(fc.constantFrom(...(most === 1 ? suiteFlaws : combinable)), {
        minLength: 1,
        maxLength: most,
        // A field has one value; the type and its instructions belong together.
        selector: ({ patch, place }) => `${place} ${Object.keys(patch)[0] ?? ""}`
      })
    )
    .map(([given, pick, flaws]) => withFlaws(given, pick, flaws))

/** A limit: `least` to `most` are valid, one more or fewer is an error under `path`. */
export interface SuiteLimit {
  readonly of: string
  readonly least?: number
  readonly most: number
  readonly path: string
  /** A suite that is valid but for this count. */
  readonly having: (count: number) => Fields
}

const base = { key: "a", name: "A", type: "instruction", instructions: "Ask." }

const having = (scenario: Fields = {}, defaults: Fields = {}, own: Fields = {}): Fields => ({
  version: "1",
  suite: { name: "Smoke", ...own },
  defaults,
  scenarios: [{ ...base, ...scenario }]
})

const texts = (count: number): ReadonlyArray<string> => Array.from({ length: count }, (_, n) => `t${n}`)
/** Characters of two UTF-16 units each. */
const characters = (count: number): string => "😀".repeat(count)

/** One above the limit of metrics and tools of a scenario. */
const many = Array.from({ length: 65 }, (_, n) => 1000 + n)
const idsOf = (count: number) => many.slice(0, count)

/** Names at their limits and one above. */
const longNames = [1, 255, 256].map((count) => ({ id: 2000 + count, name: characters(count) }))

/** The context of suites at their limits: it has everything that `suiteLimits` refer to. */
export const wideFixture: SuiteContext = {
  ...fixture,
  metrics: [...many.map((id) => ({ id, name: `metric_${id}` })), ...longNames].map(({ id, name }) => ({
    id: MetricId.make(id),
    slug: name,
    name,
    simulationEnabled: true,
    cost: Credits.fromMicros(0n)
  })),
  personalities: longNames.map(({ id, name }) => ({ id: PersonalityId.make(id), name, language: "en" })),
  testProfiles: longNames.map(({ id, name }) => ({ id: TestProfileId.make(id), name })),
  tools: [...many.map((id) => ({ id, name: `tool_${id}` })), ...longNames].map(({ id, name }) => ({
    id: ToolId.make(id),
    name
  }))
}

const limit = (of: string, most: number, path: string, made: SuiteLimit["having"], least?: number): SuiteLimit => ({
  of,
  most,
  path,
  having: made,
  ...(least === undefined ? {} : { least })
})

const PLACE = "scenarios[0]"

/** Limits of fields that scenarios and defaults share; `made` sets a field in either. */
const sharedLimits = (by: string, place: string, made: (fields: Fields) => Fields): ReadonlyArray<SuiteLimit> => [
  limit(`metrics of ${by}`, 64, `${place}.metrics`, (count) => made({ metrics: idsOf(count) })),
  limit(
    `characters of a metric's slug, by ${by}`,
    255,
    `${place}.metrics[0]`,
    (count) => made({ metrics: [characters(count)] }),
    1
  ),
  limit(
    `characters of a personality's name, by ${by}`,
    255,
    `${place}.personality`,
    (count) => made({ personality: characters(count) }),
    1
  ),
  limit(
    `characters of an inline personality's name, by ${by}`,
    255,
    `${place}.personality.name`,
    (count) => made({ personality: { name: characters(count) } }),
    1
  ),
  limit(`characters of a personality's description, by ${by}`, 20_000, `${place}.personality.description`, (count) =>
    made({ personality: { name: "Calm", description: characters(count) } })
  ),
  limit(
    `characters of a test profile's name, by ${by}`,
    255,
    `${place}.test_profile`,
    (count) => made({ test_profile: characters(count) }),
    1
  ),
  limit(
    `characters of an inline test profile's name, by ${by}`,
    255,
    `${place}.test_profile.name`,
    (count) => made({ test_profile: { name: characters(count) } }),
    1
  ),
  limit(`tags of ${by}`, 32, `${place}.tags`, (count) => made({ tags: texts(count) })),
  limit(`characters of a tag of ${by}`, 64, `${place}.tags[0]`, (count) => made({ tags: [characters(count)] }), 1),
  limit(`runs of a scenario, by ${by}`, 100, `${place}.frequency`, (count) => made({ frequency: count }), 1),
  limit(`seconds of a run, by ${by}`, 86_400, `${place}.max_duration`, (count) => made({ max_duration: count }), 1)
]

/** Source: docs/suites.md. `specLimitProperties` checks the bytes of a spec. */
export const suiteLimits: ReadonlyArray<SuiteLimit> = [
  limit(
    "scenarios",
    200,
    "scenarios",
    (count) => ({ ...having(), scenarios: texts(count).map((key) => ({ ...base, key })) }),
    1
  ),
  limit("characters of a suite's name", 255, "suite.name", (count) => having({}, {}, { name: characters(count) }), 1),
  limit("characters of a suite's description", 20_000, "suite.description", (count) =>
    having({}, {}, { description: characters(count) })
  ),
  limit("characters of a key", 128, `${PLACE}.key`, (count) => having({ key: characters(count) }), 1),
  limit("characters of a scenario's name", 80, `${PLACE}.name`, (count) => having({ name: characters(count) }), 1),
  limit(
    "characters of instructions",
    200_000,
    `${PLACE}.instructions`,
    (count) => having({ instructions: characters(count) }),
    1
  ),
  limit("characters of an expected outcome", 20_000, `${PLACE}.expected_outcome`, (count) =>
    having({ expected_outcome: characters(count) })
  ),
  limit("characters of a first message", 20_000, `${PLACE}.first_message`, (count) =>
    having({ first_message: characters(count) })
  ),
  limit("tools of a scenario", 64, `${PLACE}.tools`, (count) => having({ tools: idsOf(count) })),
  limit("characters of a tool's name", 255, `${PLACE}.tools[0]`, (count) => having({ tools: [characters(count)] }), 1),
  ...sharedLimits("a scenario", PLACE, (fields) => having(fields)),
  ...sharedLimits("the defaults", "defaults", (fields) => having({}, fields)),
  limit("metrics of a scenario, the defaults' counted", 64, `${PLACE}.metrics`, (count) =>
    having({ metrics: idsOf(count).slice(0, 30) }, { metrics: idsOf(count).slice(20) })
  ),
  limit("tags of a scenario, the defaults' counted", 32, `${PLACE}.tags`, (count) =>
    having({ tags: texts(count).slice(0, 20) }, { tags: texts(count).slice(10) })
  ),
  limit("concurrent runs", 100, "defaults.concurrency_limit", (count) => having({}, { concurrency_limit: count }), 1)
]

/** A spec of exactly this many bytes, from about 800,000 to 1,200,000, with no text above its limit. */
export const specOf = (bytes: number): Fields => {
  const filled = (first: string, last: string): Fields => ({
    ...having(),
    scenarios: [
      { ...base, instructions: characters(190_000) },
      { ...base, key: "b", instructions: `Ask.${first}` },
      { ...base, key: "c", instructions: `Ask.${last}` }
    ]
  })
  const rest = bytes - Buffer.byteLength(JSON.stringify(filled("", "")))
  const half = rest >> 1
  return filled("x".repeat(half), "x".repeat(rest - half))
}
