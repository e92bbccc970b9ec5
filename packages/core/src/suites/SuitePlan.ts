import * as Schema from "effect/Schema"
import { Channel } from "../catalog/Agent.js"
import { type LanguageCode } from "../catalog/Language.js"
import type { ConditionalActions } from "../evaluators/ConditionalActions.js"
import { ScenarioType } from "../evaluators/Evaluator.js"
import { Credits, type MicroCredits } from "../kernel/Credits.js"
import { AgentId, MetricId, PersonalityId, ProjectId, TestProfileId, type ToolId } from "../kernel/Ids.js"
import type { JsonObject } from "../kernel/Json.js"

/** How a spec named what it uses: by its id, by its name, or by describing it itself. */
export const NamingMode = Schema.Literal("id", "name", "inline")
export type NamingMode = typeof NamingMode.Type

/** The personality that a scenario is played with. */
export interface PlannedPersonality {
  readonly mode: NamingMode
  /** Null for one that the spec describes. */
  readonly id: PersonalityId | null
  readonly name: string
  readonly language: LanguageCode | null
  /** What the spec says of one that it describes; that of the others is read when a run starts. */
  readonly description: string
}

/** The test profile that a scenario is played with. */
export interface PlannedTestProfile {
  readonly mode: NamingMode
  readonly id: TestProfileId | null
  readonly name: string
  /** What the spec says of one that it describes; that of the others is read when a run starts. */
  readonly information: JsonObject | null
}

/** A scenario with everything that it says, and what the defaults say, found. */
export interface PlannedScenario {
  readonly key: string
  readonly name: string
  readonly type: ScenarioType
  /** Runs that it makes. */
  readonly frequency: number
  readonly metricIds: ReadonlyArray<MetricId>
  readonly toolIds: ReadonlyArray<ToolId>
  readonly tags: ReadonlyArray<string>
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
  /** Of all its runs. */
  readonly estimatedCost: MicroCredits
}

/** What running a suite would do, and what it would cost. */
export interface SuitePlan {
  readonly agentId: AgentId
  readonly projectId: ProjectId
  readonly channel: Channel
  readonly suiteName: string
  /** Runs under way at a time; null for as many as there is room for. */
  readonly concurrencyLimit: number | null
  readonly scenarios: ReadonlyArray<PlannedScenario>
  readonly totalRuns: number
  readonly estimatedCost: MicroCredits
  /** Overrides of a WebRTC platform, for these runs alone. */
  readonly providerData: JsonObject | null
}

const PlanWire = Schema.Struct({
  agent_id: AgentId,
  project_id: ProjectId,
  channel: Channel,
  suite_name: Schema.String,
  scenario_count: Schema.Int,
  total_runs: Schema.Int,
  estimated_cost: Schema.encodedSchema(Credits),
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

/** The answer of a validation that found nothing wrong. Source: interface, E1; design, section 5. */
export const ValidatedSuiteWire = Schema.Struct({
  dry_run: Schema.Literal(true),
  valid: Schema.Literal(true),
  plan: PlanWire
})
export interface ValidatedSuiteWire extends Schema.Schema.Type<typeof ValidatedSuiteWire> {}

const printCredits = Schema.encodeSync(Credits)

/** A plan as it travels. */
export const encodePlan = (plan: SuitePlan): typeof PlanWire.Type => ({
  agent_id: plan.agentId,
  project_id: plan.projectId,
  channel: plan.channel,
  suite_name: plan.suiteName,
  scenario_count: plan.scenarios.length,
  total_runs: plan.totalRuns,
  estimated_cost: printCredits(plan.estimatedCost),
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

/** What E1 answers for a valid spec. */
export const encodeValidated = (plan: SuitePlan): ValidatedSuiteWire => ({
  dry_run: true,
  valid: true,
  plan: encodePlan(plan)
})
