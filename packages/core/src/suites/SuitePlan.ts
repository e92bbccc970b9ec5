import * as Schema from "effect/Schema"
import { Channel } from "../catalog/Agent.js"
import { type LanguageCode } from "../catalog/LanguageCode.js"
import type { ConditionalActions } from "../evaluators/ConditionalActions.js"
import { ScenarioType } from "../evaluators/Evaluator.js"
import { Credits, type MicroCredits } from "../kernel/Credits.js"
import { AgentId, MetricId, PersonalityId, ProjectId, TestProfileId, type ToolId } from "../kernel/Ids.js"
import type { JsonObject } from "../kernel/Json.js"
import type { Assertion } from "../results/Assertion.js"

/** How a spec refers to something: by id, by name, or by defining it inline. */
export const NamingMode = Schema.Literal("id", "name", "inline")
export type NamingMode = typeof NamingMode.Type

/** The personality of a scenario's caller. */
export interface PlannedPersonality {
  readonly mode: NamingMode
  /** Null for an inline one. */
  readonly id: PersonalityId | null
  readonly name: string
  readonly language: LanguageCode | null
  /** Of an inline one; the others' are read when a run starts. */
  readonly description: string
}

/** The test profile of a scenario's caller. */
export interface PlannedTestProfile {
  readonly mode: NamingMode
  readonly id: TestProfileId | null
  readonly name: string
  /** Of an inline one; the others' are read when a run starts. */
  readonly information: JsonObject | null
}

/** A scenario merged with the defaults, its references resolved. */
export interface PlannedScenario {
  readonly key: string
  readonly name: string
  readonly type: ScenarioType
  /** The number of runs. */
  readonly frequency: number
  readonly metricIds: ReadonlyArray<MetricId>
  readonly toolIds: ReadonlyArray<ToolId>
  readonly tags: ReadonlyArray<string>
  readonly assertions: ReadonlyArray<Assertion>
  readonly personality: PlannedPersonality | null
  readonly testProfile: PlannedTestProfile | null
  readonly language: LanguageCode | null
  /** Seconds. */
  readonly maxDuration: number
  /** Plain text, or the JSON text of conditional actions. */
  readonly instructions: string
  readonly conditionalActions: ConditionalActions | null
  readonly expectedOutcome: string
  readonly firstMessage: string
  /** The cost of all its runs. */
  readonly estimatedCost: MicroCredits
}

/** The runs of a suite, and their estimated cost. */
export interface SuitePlan {
  readonly agentId: AgentId
  readonly projectId: ProjectId
  readonly channel: Channel
  readonly suiteName: string
  /** The greatest number of concurrent runs; null for no limit. */
  readonly concurrencyLimit: number | null
  readonly scenarios: ReadonlyArray<PlannedScenario>
  readonly totalRuns: number
  readonly estimatedCost: MicroCredits
  /** Overrides for the WebRTC platform, of these runs only. */
  readonly providerData: JsonObject | null
  /** Why Earshot cannot execute the runs itself; null if it can. */
  readonly notRunnable: string | null
  /** Whether its runs are the engine's; they are workers' otherwise. */
  readonly isExecuted: boolean
}

const PlanWire = Schema.Struct({
  agent_id: AgentId,
  project_id: ProjectId,
  channel: Channel,
  suite_name: Schema.String,
  scenario_count: Schema.Int,
  total_runs: Schema.Int,
  estimated_cost: Schema.encodedSchema(Credits),
  runnable: Schema.Boolean.annotations({ description: "Whether Earshot executes the runs itself." }),
  not_runnable_reason: Schema.NullOr(Schema.String).annotations({
    description: "Why Earshot does not execute the runs itself; null if it does."
  }),
  scenarios: Schema.Array(
    Schema.Struct({
      key: Schema.String,
      name: Schema.String,
      type: ScenarioType,
      frequency: Schema.Int,
      metric_ids: Schema.Array(MetricId),
      tags: Schema.Array(Schema.String),
      personality: Schema.NullOr(
        Schema.Struct({ mode: NamingMode, id: Schema.NullOr(PersonalityId), name: Schema.String })
      ),
      test_profile: Schema.NullOr(Schema.Struct({ mode: NamingMode, id: Schema.NullOr(TestProfileId) })),
      estimated_cost: Schema.encodedSchema(Credits)
    })
  )
}).annotations({ identifier: "SuitePlan" })

/** The response of a validation without errors. Source: interface, E1; docs/suites.md. */
export const ValidatedSuiteWire = Schema.Struct({
  dry_run: Schema.Literal(true),
  valid: Schema.Literal(true),
  plan: PlanWire
})
export interface ValidatedSuiteWire extends Schema.Schema.Type<typeof ValidatedSuiteWire> {}

const printCredits = Schema.encodeSync(Credits)

/** The wire form of a plan. */
export const encodePlan = (plan: SuitePlan): typeof PlanWire.Type => ({
  agent_id: plan.agentId,
  project_id: plan.projectId,
  channel: plan.channel,
  suite_name: plan.suiteName,
  scenario_count: plan.scenarios.length,
  total_runs: plan.totalRuns,
  estimated_cost: printCredits(plan.estimatedCost),
  runnable: plan.notRunnable === null,
  not_runnable_reason: plan.notRunnable,
  scenarios: plan.scenarios.map((scenario) => ({
    key: scenario.key,
    name: scenario.name,
    type: scenario.type,
    frequency: scenario.frequency,
    metric_ids: scenario.metricIds,
    tags: scenario.tags,
    personality:
      scenario.personality === null
        ? null
        : { mode: scenario.personality.mode, id: scenario.personality.id, name: scenario.personality.name },
    test_profile:
      scenario.testProfile === null ? null : { mode: scenario.testProfile.mode, id: scenario.testProfile.id },
    estimated_cost: printCredits(scenario.estimatedCost)
  }))
})

/** The wire form of E1's response to a valid spec. */
export const encodeValidatedSuite = (plan: SuitePlan): ValidatedSuiteWire => ({
  dry_run: true,
  valid: true,
  plan: encodePlan(plan)
})
