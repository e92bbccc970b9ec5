/** Parses a spec, with every error that shows without looking anything up. */
import * as Either from "effect/Either"
import { LanguageCode } from "../catalog/LanguageCode.js"
import { validateInformation } from "../catalog/ProfileRules.js"
import {
  type ConditionalActions,
  parseConditionalActions,
  parseConditionalActionsText,
  printConditionalActions
} from "../evaluators/ConditionalActions.js"
import { ScenarioType } from "../evaluators/Evaluator.js"
import { type FieldErrorCollector, fieldErrorCollector } from "../kernel/FieldErrorCollector.js"
import { type FieldErrors, Messages } from "../kernel/FieldErrors.js"
import { AgentId, MetricId, PersonalityId, TestProfileId, ToolId } from "../kernel/Ids.js"
import { isPlainObject } from "../kernel/Json.js"
import type { ObjectFields, Parser } from "../kernel/Parsers.js"
import { parseAssertions } from "./ParseAssertions.js"
import { type SpecParsers, specParsers } from "./SpecParsers.js"
import {
  type PersonalityChoice,
  type ScenarioSpec,
  SUITE_VERSION,
  type SuiteDefaults,
  SuiteLimits,
  type SuiteSpec,
  type TestProfileChoice
} from "./Suite.js"

const TOP_KEYS = ["version", "suite", "agent_id", "defaults", "scenarios"]
const SUITE_KEYS = ["name", "description"]
const SHARED_KEYS = [
  "frequency",
  "language",
  "max_duration",
  "metrics",
  "personality",
  "test_profile",
  "tags",
  "assertions"
]
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

/** A spec as far as it could be parsed, and its errors by path. */
export interface ParsedSuite {
  readonly spec: SuiteSpec
  readonly errors: FieldErrors
}

const noDefaults: SuiteDefaults = {
  frequency: undefined,
  language: undefined,
  maxDuration: undefined,
  metrics: [],
  personality: undefined,
  testProfile: undefined,
  tags: [],
  assertions: []
}

const emptySpec: SuiteSpec = {
  name: undefined,
  description: "",
  agentId: undefined,
  concurrencyLimit: undefined,
  defaults: noDefaults,
  scenarios: []
}

/**
 * Parses a document of bounded depth and size. Total on any such value; what no database could store is reported by
 * `jsonErrors`.
 */
export const parseSuite = (document: unknown): ParsedSuite => {
  const errors = fieldErrorCollector()
  const parse = specParsers(errors)
  const top = parse.object(TOP_KEYS)(document, "")
  return { spec: top === undefined ? emptySpec : parseTop(errors, parse, top), errors: errors.errors() }
}

const parseTop = (errors: FieldErrorCollector, parse: SpecParsers, top: ObjectFields): SuiteSpec => {
  top.required("version", (value, path) => {
    if (value !== SUITE_VERSION) errors.add(path, `Must be "${SUITE_VERSION}".`)
  })
  const suite = top.required("suite", parse.object(SUITE_KEYS))
  const agentId = top.optional("agent_id", parse.integer(Number.MAX_SAFE_INTEGER))
  const defaults = top.optional("defaults", parse.object(DEFAULT_KEYS))
  const spec = {
    name: suite?.required("name", parse.text(SuiteLimits.suiteName)),
    description: suite?.optional("description", parse.text(SuiteLimits.text, "blank allowed")) ?? "",
    agentId: agentId === undefined ? undefined : AgentId.make(agentId),
    concurrencyLimit: defaults?.optional("concurrency_limit", parse.integer(SuiteLimits.concurrency)),
    defaults: defaults === undefined ? noDefaults : parseShared(errors, parse, defaults),
    scenarios: top.required("scenarios", parseScenarios(errors, parse)) ?? []
  }
  addRepeatedKeys(errors, spec.scenarios)
  return spec
}

const addRepeatedKeys = (errors: FieldErrorCollector, scenarios: ReadonlyArray<ScenarioSpec>): void => {
  const firstPosition = new Map<string, number>()
  for (const { key, position } of scenarios) {
    if (key === undefined) continue
    const first = firstPosition.get(key)
    if (first === undefined) firstPosition.set(key, position)
    else errors.add(`scenarios[${position}].key`, `scenarios[${first}] has this key already; keys are unique.`)
  }
}

/** The fields that a scenario and the defaults share. */
const parseShared = (errors: FieldErrorCollector, parse: SpecParsers, fields: ObjectFields): SuiteDefaults => ({
  frequency: fields.optional("frequency", parse.integer(SuiteLimits.frequency)),
  language: fields.optional("language", parse.nullable(parse.choice(LanguageCode.literals))),
  maxDuration: fields.optional("max_duration", parse.integer(SuiteLimits.maxDuration)),
  metrics:
    fields.optional(
      "metrics",
      parse.references(SuiteLimits.metrics, (id) => MetricId.make(id))
    ) ?? [],
  personality: fields.optional("personality", parse.nullable(parsePersonality(parse))),
  testProfile: fields.optional("test_profile", parse.nullable(parseTestProfile(errors, parse))),
  tags: fields.optional("tags", parseTags(parse)) ?? [],
  assertions: fields.optional("assertions", parseAssertions(parse)) ?? []
})

const parseTags =
  (parse: SpecParsers): Parser<ReadonlyArray<string>> =>
  (value, path) => [
    ...new Set(
      parse.items(value, path, SuiteLimits.tags).flatMap(([tag, at]) => parse.text(SuiteLimits.tag)(tag, at) ?? [])
    )
  ]

const parsePersonality =
  (parse: SpecParsers): Parser<PersonalityChoice> =>
  (value, path) => {
    if (!isPlainObject(value)) return parse.reference((id) => PersonalityId.make(id))(value, path)
    const fields = parse.object(PERSONALITY_KEYS)(value, path)
    const name = fields?.required("name", parse.text(SuiteLimits.name))
    const language = fields?.optional("language", parse.nullable(parse.choice(LanguageCode.literals))) ?? null
    const description = fields?.optional("description", parse.text(SuiteLimits.text, "blank allowed")) ?? ""
    return name === undefined ? undefined : { by: "inline", name, language, description }
  }

const parseTestProfile =
  (errors: FieldErrorCollector, parse: SpecParsers): Parser<TestProfileChoice> =>
  (value, path) => {
    if (!isPlainObject(value)) return parse.reference((id) => TestProfileId.make(id))(value, path)
    const fields = parse.object(PROFILE_KEYS)(value, path)
    const name = fields?.required("name", parse.text(SuiteLimits.name))
    const information = fields?.optional("information", validateInformation) ?? Either.right({})
    if (Either.isLeft(information)) {
      errors.addUnder(`${path}.information`, information.left)
      return undefined
    }
    return name === undefined ? undefined : { by: "inline", name, information: information.right }
  }

const parseScenarios =
  (errors: FieldErrorCollector, parse: SpecParsers): Parser<ReadonlyArray<ScenarioSpec>> =>
  (value, path) => {
    if (Array.isArray(value) && value.length === 0) errors.add(path, Messages.tooFew(1))
    return parse
      .items(value, path, SuiteLimits.scenarios)
      .map(([item, at], position) => ({ ...parseScenario(errors, parse)(item, at), position }))
  }

const invalidScenario: Omit<ScenarioSpec, "position"> = {
  ...noDefaults,
  key: undefined,
  name: undefined,
  type: undefined,
  instructions: undefined,
  conditionalActions: null,
  expectedOutcome: "",
  firstMessage: "",
  tools: []
}

const parseScenario =
  (errors: FieldErrorCollector, parse: SpecParsers) =>
  (value: unknown, path: string): Omit<ScenarioSpec, "position"> => {
    const fields = parse.object(SCENARIO_KEYS)(value, path)
    if (fields === undefined) return invalidScenario
    const key = fields.required("key", parse.text(SuiteLimits.key))
    const name = fields.required("name", parse.text(SuiteLimits.scenarioName))
    const type = fields.required("type", parse.choice(ScenarioType.literals))
    return {
      ...parseShared(errors, parse, fields),
      key,
      name,
      type,
      ...parseInstructions(errors, parse, fields, type),
      expectedOutcome: fields.optional("expected_outcome", parse.text(SuiteLimits.text, "blank allowed")) ?? "",
      firstMessage: fields.optional("first_message", parse.text(SuiteLimits.text, "blank allowed")) ?? "",
      tools:
        fields.optional(
          "tools",
          parse.references(SuiteLimits.tools, (id) => ToolId.make(id))
        ) ?? []
    }
  }

interface Instructions {
  readonly instructions: string | undefined
  readonly conditionalActions: ConditionalActions | null
}

const noInstructions: Instructions = { instructions: undefined, conditionalActions: null }

/** Instructions are a text; those of the type conditional_actions are the structure or its JSON text, but not both. */
const parseInstructions = (
  errors: FieldErrorCollector,
  parse: SpecParsers,
  fields: ObjectFields,
  type: ScenarioType | undefined
): Instructions => {
  const text = fields.optional("instructions", parse.text(SuiteLimits.instructions))
  const structure = fields.optional("conditional_actions", parseConditionalActions)
  const structurePath = fields.path("conditional_actions")
  if (structure !== undefined && Either.isLeft(structure)) errors.addUnder(structurePath, structure.left)
  if (type === undefined) return noInstructions
  const hasText = fields.has("instructions")
  if (type !== "conditional_actions") {
    if (structure !== undefined) errors.add(structurePath, "Only scenarios of the type conditional_actions have these.")
    if (!hasText) errors.add(fields.path("instructions"), Messages.required)
    return { instructions: text, conditionalActions: null }
  }
  if (hasText === (structure !== undefined)) {
    errors.add(structurePath, hasText ? "Give instructions or conditional_actions, not both." : Messages.required)
    return noInstructions
  }
  const actions = structure ?? (text === undefined ? undefined : parseConditionalActionsText(text))
  if (actions === undefined) return noInstructions
  if (Either.isLeft(actions)) {
    if (hasText) errors.addUnder(fields.path("instructions"), actions.left)
    return noInstructions
  }
  return { instructions: text ?? printConditionalActions(actions.right), conditionalActions: actions.right }
}
