/** What a spec is judged against: a snapshot of what the agent and its project have. */
import type { Channel } from "../catalog/Agent.js"
import type { LanguageCode } from "../catalog/Language.js"
import type { MicroCredits } from "../kernel/Credits.js"
import type { AgentId, MetricId, PersonalityId, ProjectId, TestProfileId, ToolId } from "../kernel/Ids.js"

export interface WorldMetric {
  readonly id: MetricId
  readonly slug: string | null
  readonly name: string
  readonly simulationEnabled: boolean
  /** Of one evaluation. */
  readonly cost: MicroCredits
}

export interface WorldPersonality {
  readonly id: PersonalityId
  readonly name: string
  readonly language: LanguageCode
}

export interface AgentWorld {
  readonly agent: {
    readonly id: AgentId
    readonly projectId: ProjectId
    readonly name: string
    readonly supportedChannels: ReadonlyArray<Channel>
  }
  /** All metrics of the agent, those switched off for simulation included. */
  readonly metrics: ReadonlyArray<WorldMetric>
  /** Those enabled for the project. */
  readonly personalities: ReadonlyArray<WorldPersonality>
  /** Those of the spec that are there but not enabled. */
  readonly notEnabled: ReadonlySet<PersonalityId>
  /** Those of the project. */
  readonly testProfiles: ReadonlyArray<{ readonly id: TestProfileId; readonly name: string }>
  readonly tools: ReadonlyArray<{ readonly id: ToolId; readonly name: string }>
}
