/** Reads a spec: what it says, and every fault that shows without looking anything up. */
import { LanguageCode } from "../catalog/Language.js"
import { judgeInformation } from "../catalog/ProfileRules.js"
import {
  type ConditionalActions,
  parseConditionalActions,
  parseConditionalActionsText,
  printConditionalActions
} from "../evaluators/ConditionalActions.js"
import { ScenarioType } from "../evaluators/Evaluator.js"
import * as Either from "effect/Either"
import { type FaultCollector, faultCollector } from "../kernel/FaultCollector.js"
import { type Faults, Messages } from "../kernel/Faults.js"
import { AgentId, MetricId, PersonalityId, TestProfileId, ToolId } from "../kernel/Ids.js"
import { isPlainObject } from "../kernel/Json.js"
import { nearest } from "../kernel/Nearest.js"
import { isWithin } from "../kernel/Text.js"
import {
  MAX_TOLD_KEY,
  type InlinePersonality,
  type InlineTestProfile,
  type PersonalityChoice,
  type Placed,
  type Reference,
  type ScenarioReading,
  SUITE_VERSION,
  type SuiteDefaults,
  SuiteLimits,
  type SuiteReading,
  type TestProfileChoice
} from "./Suite.js"

const TOP_KEYS = ["version", "suite", "agent_id", "defaults", "scenarios"]
const SUITE_KEYS = ["name", "description"]
const SHARED_KEYS = ["frequency", "language", "max_duration", "metrics", "personality", "test_profile", "tags"]
const DEFAULT_KEYS = [...SHARED_KEYS, "concurrency_limit"]
const SCENARIO_KEYS = [
  "key",
  "name",
  "type",
  "instructions",
  "conditional_actions",
  "expected_outcome",
  "first_message",
  "tools",
  ...SHARED_KEYS
]
const PERSONALITY_KEYS = ["name", "language", "description"]
const PROFILE_KEYS = ["name", "information"]

type Fields = Readonly<Record<string, unknown>>

const nothing: Fields = {}

const child = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`)

/** How many keys that are not known are told of, an object. */
const TOLD_KEYS = 20

/** What is wrong with a value of a known kind, told where it stands. */
const readers = (found: FaultCollector) => {
  const object = (value: unknown, path: string, known: ReadonlyArray<string>): Fields | undefined => {
    if (!isPlainObject(value)) {
      found.add(path, value === null ? Messages.notNull : Messages.notAnObject)
      return undefined
    }
    let told = 0
    for (const key of Object.keys(value)) {
      // A key "__proto__" is told of by whoever found that the document is JSON; no record of faults may have one.
      if (known.includes(key) || key === "__proto__" || told++ >= TOLD_KEYS) continue
      const meant = nearest(key, known)
      found.add(
        child(path, key.slice(0, MAX_TOLD_KEY)),
        meant === undefined ? Messages.unknownField : `Unknown field; did you mean "${meant}"?`
      )
    }
    return value
  }

  const text = (
    value: unknown,
    path: string,
    limits: { readonly max: number; readonly blank?: boolean }
  ): string | undefined => {
    const wrong =
      value === null
        ? Messages.notNull
        : typeof value !== "string"
          ? Messages.notAString
          : !isWithin(limits.max, value)
            ? Messages.tooLong(limits.max)
            : limits.blank !== true && value.trim() === ""
              ? Messages.notBlank
              : undefined
    if (wrong === undefined && typeof value === "string") return value
    found.add(path, wrong ?? Messages.notAString)
    return undefined
  }

  const integer = (value: unknown, path: string, max: number): number | undefined => {
    if (typeof value !== "number" || !Number.isSafeInteger(value)) {
      found.add(path, value === null ? Messages.notNull : Messages.notAnInteger)
      return undefined
    }
    if (value >= 1 && value <= max) return value
    found.add(path, value < 1 ? Messages.tooSmall(1) : Messages.tooLarge(max))
    return undefined
  }

  const choice = <Word extends string>(value: unknown, path: string, words: ReadonlyArray<Word>): Word | undefined => {
    const word = words.find((one) => one === value)
    if (word !== undefined) return word
    const meant = typeof value === "string" ? nearest(value, words) : undefined
    found.add(
      path,
      value === null
        ? Messages.notNull
        : meant === undefined
          ? Messages.notAChoice(value)
          : `${Messages.notAChoice(value).slice(0, -1)}; did you mean "${meant}"?`
    )
    return undefined
  }

  const list = (value: unknown, path: string, max: number): ReadonlyArray<unknown> => {
    if (!Array.isArray(value)) {
      found.add(path, value === null ? Messages.notNull : Messages.notAList)
      return []
    }
    if (value.length > max) {
      found.add(path, Messages.tooMany(max))
      return value.slice(0, max)
    }
    return value
  }

  return { object, text, integer, choice, list }
}

type Readers = ReturnType<typeof readers>

/** The field if it is there, read by its reader. */
const given = <A>(fields: Fields, name: string, read: (value: unknown) => A): A | undefined =>
  fields[name] === undefined || !Object.hasOwn(fields, name) ? undefined : read(fields[name])

const required = <A>(
  found: FaultCollector,
  fields: Fields,
  path: string,
  name: string,
  read: (value: unknown) => A
): A | undefined => {
  if (fields[name] === undefined || !Object.hasOwn(fields, name)) {
    found.add(child(path, name), Messages.required)
    return undefined
  }
  return read(fields[name])
}

const isId = (value: unknown): value is number => typeof value === "number" && Number.isSafeInteger(value) && value > 0

const NAME_OR_ID = "Expected a name or an id."

export interface SuiteRead {
  readonly reading: SuiteReading
  readonly faults: Faults
}

const noDefaults: SuiteDefaults = {
  frequency: undefined,
  language: undefined,
  maxDuration: undefined,
  metrics: [],
  personality: undefined,
  testProfile: undefined,
  tags: []
}

/** Reads a spec out of a document of bounded depth and size. Total on any such value; what no database could keep is not its matter (`jsonFaults`). */
export const readSuite = (document: unknown): SuiteRead => {
  const found = faultCollector()
  const read = readers(found)
  const top = read.object(document, "", TOP_KEYS) ?? nothing
  if (top !== nothing || isPlainObject(document)) {
    required(found, top, "", "version", (value) => {
      if (value !== SUITE_VERSION) found.add("version", `Must be "${SUITE_VERSION}".`)
      return value
    })
  }
  const suite = required(found, top, "", "suite", (value) => read.object(value, "suite", SUITE_KEYS)) ?? undefined
  const name =
    suite === undefined
      ? undefined
      : required(found, suite, "suite", "name", (value) =>
          read.text(value, "suite.name", { max: SuiteLimits.suiteName })
        )
  const description =
    suite === undefined
      ? undefined
      : given(suite, "description", (value) =>
          read.text(value, "suite.description", { max: SuiteLimits.text, blank: true })
        )
  const agentId = given(top, "agent_id", (value) => {
    const id = read.integer(value, "agent_id", Number.MAX_SAFE_INTEGER)
    return id === undefined ? undefined : AgentId.make(id)
  })
  const defaults = given(top, "defaults", (value) => read.object(value, "defaults", DEFAULT_KEYS)) ?? nothing
  const concurrencyLimit = given(defaults, "concurrency_limit", (value) =>
    read.integer(value, "defaults.concurrency_limit", SuiteLimits.concurrency)
  )
  const shared = defaults === nothing ? noDefaults : readShared(found, read, defaults, "defaults")
  const scenarios = required(found, top, "", "scenarios", (value) => {
    const items = read.list(value, "scenarios", SuiteLimits.scenarios)
    if (Array.isArray(value) && items.length === 0) found.add("scenarios", Messages.tooFew(1))
    return items.map((item, position) => readScenario(found, read, item, position))
  })
  const firstOf = new Map<string, number>()
  for (const { key, position } of scenarios ?? []) {
    if (key === undefined) continue
    const first = firstOf.get(key)
    if (first === undefined) firstOf.set(key, position)
    else found.add(`scenarios[${position}].key`, `This key is that of scenarios[${first}] too; keys are unique.`)
  }
  return {
    reading: {
      name,
      description: description ?? "",
      agentId,
      concurrencyLimit,
      defaults: shared,
      scenarios: scenarios ?? []
    },
    faults: found.faults()
  }
}

const readShared = (found: FaultCollector, read: Readers, fields: Fields, path: string): SuiteDefaults => ({
  frequency: given(fields, "frequency", (value) =>
    read.integer(value, child(path, "frequency"), SuiteLimits.frequency)
  ),
  language: given(fields, "language", (value) =>
    value === null ? null : read.choice(value, child(path, "language"), LanguageCode.literals)
  ),
  maxDuration: given(fields, "max_duration", (value) =>
    read.integer(value, child(path, "max_duration"), SuiteLimits.maxDuration)
  ),
  metrics: readReferences(found, read, fields, child(path, "metrics"), "metrics", SuiteLimits.metrics, (id) =>
    MetricId.make(id)
  ),
  personality: given(fields, "personality", (value) => readPersonality(found, read, value, child(path, "personality"))),
  testProfile: given(fields, "test_profile", (value) => readProfile(found, read, value, child(path, "test_profile"))),
  tags: [
    ...new Set(
      (given(fields, "tags", (value) => read.list(value, child(path, "tags"), SuiteLimits.tags)) ?? []).flatMap(
        (tag, position) => read.text(tag, `${child(path, "tags")}[${position}]`, { max: SuiteLimits.tag }) ?? []
      )
    )
  ]
})

const readReferences = <Id extends number>(
  found: FaultCollector,
  read: Readers,
  fields: Fields,
  path: string,
  name: string,
  max: number,
  make: (id: number) => Id
): ReadonlyArray<Placed<Reference<Id>>> => {
  const items = given(fields, name, (value) => read.list(value, path, max))
  if (items === undefined) return []
  const references: Array<Placed<Reference<Id>>> = []
  const seen = new Set<unknown>()
  items.forEach((value, position) => {
    if (seen.has(value)) {
      found.add(`${path}[${position}]`, "This is given more than once.")
      return
    }
    seen.add(value)
    const reference = readReference(found, read, value, `${path}[${position}]`, make)
    if (reference !== undefined) references.push({ position, value: reference })
  })
  return references
}

const readReference = <Id extends number>(
  found: FaultCollector,
  read: Readers,
  value: unknown,
  path: string,
  make: (id: number) => Id
): Reference<Id> | undefined => {
  if (isId(value)) return { by: "id", id: make(value) }
  if (typeof value !== "string") {
    found.add(path, value === null ? Messages.notNull : typeof value === "number" ? Messages.notAnInteger : NAME_OR_ID)
    return undefined
  }
  const name = read.text(value, path, { max: SuiteLimits.name })
  return name === undefined ? undefined : { by: "name", name }
}

const readPersonality = (
  found: FaultCollector,
  read: Readers,
  value: unknown,
  path: string
): PersonalityChoice | null | undefined => {
  if (value === null) return null
  if (!isPlainObject(value)) return readReference(found, read, value, path, (id) => PersonalityId.make(id))
  const fields = read.object(value, path, PERSONALITY_KEYS) ?? nothing
  const name = required(found, fields, path, "name", (one) =>
    read.text(one, child(path, "name"), { max: SuiteLimits.name })
  )
  const language = given(fields, "language", (one) =>
    one === null ? null : read.choice(one, child(path, "language"), LanguageCode.literals)
  )
  const description = given(fields, "description", (one) =>
    read.text(one, child(path, "description"), { max: SuiteLimits.text, blank: true })
  )
  return name === undefined
    ? undefined
    : ({ by: "inline", name, language: language ?? null, description: description ?? "" } satisfies InlinePersonality)
}

const readProfile = (
  found: FaultCollector,
  read: Readers,
  value: unknown,
  path: string
): TestProfileChoice | null | undefined => {
  if (value === null) return null
  if (!isPlainObject(value)) return readReference(found, read, value, path, (id) => TestProfileId.make(id))
  const fields = read.object(value, path, PROFILE_KEYS) ?? nothing
  const name = required(found, fields, path, "name", (one) =>
    read.text(one, child(path, "name"), { max: SuiteLimits.name })
  )
  const information = given(fields, "information", judgeInformation) ?? Either.right({})
  if (Either.isLeft(information)) {
    found.addUnder(child(path, "information"), information.left)
    return undefined
  }
  return name === undefined
    ? undefined
    : ({ by: "inline", name, information: information.right } satisfies InlineTestProfile)
}

const readScenario = (found: FaultCollector, read: Readers, value: unknown, position: number): ScenarioReading => {
  const path = `scenarios[${position}]`
  const fields = read.object(value, path, SCENARIO_KEYS)
  if (fields === undefined) {
    return {
      ...noDefaults,
      position,
      key: undefined,
      name: undefined,
      type: undefined,
      instructions: undefined,
      conditionalActions: null,
      expectedOutcome: "",
      firstMessage: "",
      tools: []
    }
  }
  const short = (name: string, max: number) =>
    required(found, fields, path, name, (one) => read.text(one, child(path, name), { max }))
  const long = (name: string) =>
    given(fields, name, (one) => read.text(one, child(path, name), { max: SuiteLimits.text, blank: true })) ?? ""
  const key = short("key", SuiteLimits.key)
  const name = short("name", SuiteLimits.scenarioName)
  const type = required(found, fields, path, "type", (one) =>
    read.choice(one, child(path, "type"), ScenarioType.literals)
  )
  return {
    ...readShared(found, read, fields, path),
    position,
    key,
    name,
    type,
    ...readInstructions(found, read, fields, path, type),
    expectedOutcome: long("expected_outcome"),
    firstMessage: long("first_message"),
    tools: readReferences(found, read, fields, child(path, "tools"), "tools", SuiteLimits.tools, (id) =>
      ToolId.make(id)
    )
  }
}

interface Instructions {
  readonly instructions: string | undefined
  readonly conditionalActions: ConditionalActions | null
}

const noInstructions: Instructions = { instructions: undefined, conditionalActions: null }

/** Instructions are a text; those of conditional actions are the structure, or its JSON text, but not both. */
const readInstructions = (
  found: FaultCollector,
  read: Readers,
  fields: Fields,
  path: string,
  type: ScenarioType | undefined
): Instructions => {
  const text = given(fields, "instructions", (one) =>
    read.text(one, child(path, "instructions"), { max: SuiteLimits.instructions })
  )
  const hasText = fields.instructions !== undefined
  const hasActions = fields.conditional_actions !== undefined
  const actionsPath = child(path, "conditional_actions")
  const parsed = given(fields, "conditional_actions", parseConditionalActions)
  if (parsed !== undefined && Either.isLeft(parsed)) found.addUnder(actionsPath, parsed.left)
  if (type === undefined) return noInstructions
  if (type !== "conditional_actions") {
    if (hasActions) found.add(actionsPath, "Only scenarios of the type conditional_actions have these.")
    if (!hasText) found.add(child(path, "instructions"), Messages.required)
    return { instructions: text, conditionalActions: null }
  }
  if (hasText && hasActions) {
    found.add(actionsPath, "Give instructions or conditional_actions, not both.")
    return noInstructions
  }
  if (!hasText && !hasActions) {
    found.add(actionsPath, Messages.required)
    return noInstructions
  }
  const actions = parsed ?? (text === undefined ? undefined : parseConditionalActionsText(text))
  if (actions === undefined) return noInstructions
  if (Either.isLeft(actions)) {
    if (hasText) found.addUnder(child(path, "instructions"), actions.left)
    return noInstructions
  }
  return { instructions: text ?? printConditionalActions(actions.right), conditionalActions: actions.right }
}
