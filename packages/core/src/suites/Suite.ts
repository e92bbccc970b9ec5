/**
 * The portable test-suite spec: a JSON document that a team keeps beside its agent's code. Source: docs/suites.md.
 * These are its limits and its parsed form; `ParseSuite` parses it.
 */
import type { LanguageCode } from "../catalog/LanguageCode.js"
import type { ConditionalActions } from "../evaluators/ConditionalActions.js"
import type { ScenarioType } from "../evaluators/Evaluator.js"
import type { AgentId, MetricId, PersonalityId, TestProfileId, ToolId } from "../kernel/Ids.js"
import type { JsonObject } from "../kernel/Json.js"
import type { Assertion } from "../results/Assertion.js"

export const SUITE_VERSION = "1"

/** Limits of a spec. Texts are counted in characters. */
export const SuiteLimits = {
  /** Bytes of a spec, as a file or posted. */
  bytes: 1_048_576,
  scenarios: 200,
  suiteName: 255,
  key: 128,
  /** Source: interface, Limits. */
  scenarioName: 80,
  instructions: 200_000,
  text: 20_000,
  metrics: 64,
  tags: 32,
  tag: 64,
  tools: 64,
  assertions: 64,
  assertionText: 1_000,
  /** Milliseconds: an hour. */
  latency: 3_600_000,
  turns: 10_000,
  frequency: 100,
  concurrency: 100,
  /** Seconds: a day. */
  maxDuration: 86_400,
  name: 255
} as const

/** The characters of an unknown key that an error repeats. */
export const MAX_KEY_IN_ERROR = 100

/** A reference of a spec to something of the agent or its project, by id or by name. */
export type Reference<Id extends number> =
  { readonly by: "id"; readonly id: Id } | { readonly by: "name"; readonly name: string }

/** A personality that the spec defines inline. */
export interface InlinePersonality {
  readonly by: "inline"
  readonly name: string
  readonly language: LanguageCode | null
  readonly description: string
}

/** A test profile that the spec defines inline. */
export interface InlineTestProfile {
  readonly by: "inline"
  readonly name: string
  readonly information: JsonObject
}

export type PersonalityChoice = Reference<PersonalityId> | InlinePersonality
export type TestProfileChoice = Reference<TestProfileId> | InlineTestProfile

/** The fields that a scenario may leave to the suite's defaults; undefined where it does. */
export interface SuiteDefaults {
  readonly frequency: number | undefined
  readonly language: LanguageCode | null | undefined
  /** Seconds. */
  readonly maxDuration: number | undefined
  readonly metrics: ReadonlyArray<Placed<Reference<MetricId>>>
  /** Null for none, regardless of the defaults. */
  readonly personality: PersonalityChoice | null | undefined
  readonly testProfile: TestProfileChoice | null | undefined
  readonly tags: ReadonlyArray<string>
  readonly assertions: ReadonlyArray<Assertion>
}

/** An item with its position in the list of the spec, for the paths of errors. */
export interface Placed<A> {
  readonly position: number
  readonly value: A
}

/** A scenario as far as it could be parsed: an invalid field is undefined. */
export interface ScenarioSpec extends SuiteDefaults {
  readonly position: number
  readonly key: string | undefined
  readonly name: string | undefined
  readonly type: ScenarioType | undefined
  /** Plain text, or the JSON text of conditional actions. */
  readonly instructions: string | undefined
  readonly conditionalActions: ConditionalActions | null
  readonly expectedOutcome: string
  readonly firstMessage: string
  readonly tools: ReadonlyArray<Placed<Reference<ToolId>>>
}

/** A spec as far as it could be parsed. */
export interface SuiteSpec {
  readonly name: string | undefined
  readonly description: string
  readonly agentId: AgentId | undefined
  readonly concurrencyLimit: number | undefined
  readonly defaults: SuiteDefaults
  readonly scenarios: ReadonlyArray<ScenarioSpec>
}
