/** What the references of a spec are resolved against: a snapshot of the agent and its project. */
import type { Channel, VoiceProtocolName } from "../catalog/Agent.js"
import type { LanguageCode } from "../catalog/LanguageCode.js"
import type { MicroCredits } from "../kernel/Credits.js"
import type { Played } from "../results/PlayedChannels.js"
import type { AgentId, MetricId, PersonalityId, ProjectId, TestProfileId, ToolId } from "../kernel/Ids.js"

export interface SuiteMetric {
  readonly id: MetricId
  readonly slug: string | null
  readonly name: string
  readonly simulationEnabled: boolean
  /** The cost of one evaluation. */
  readonly cost: MicroCredits
}

export interface SuitePersonality {
  readonly id: PersonalityId
  readonly name: string
  readonly language: LanguageCode
}

export interface SuiteContext {
  readonly agent: {
    readonly id: AgentId
    readonly projectId: ProjectId
    readonly name: string
    readonly supportedChannels: ReadonlyArray<Channel>
    readonly chatEndpoint: object | null
    readonly voiceEndpoint: { readonly protocol: VoiceProtocolName } | null
  }
  /** Which runs the engine executes itself. */
  readonly played: Played
  /** All metrics of the agent, including those disabled for simulation. */
  readonly metrics: ReadonlyArray<SuiteMetric>
  /** The personalities enabled for the project. */
  readonly personalities: ReadonlyArray<SuitePersonality>
  /** Existing personalities that the spec names by id and that are not enabled. */
  readonly notEnabled: ReadonlySet<PersonalityId>
  /** The project's, as its tools. */
  readonly testProfiles: ReadonlyArray<{ readonly id: TestProfileId; readonly name: string }>
  readonly tools: ReadonlyArray<{ readonly id: ToolId; readonly name: string }>
}
