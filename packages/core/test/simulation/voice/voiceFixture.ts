/** Runs by voice in memory: an agent that plays a script, and speech in tones. */
import {
  Agent,
  AgentId,
  LanguageModel,
  makeVoiceExecutor,
  OrganizationId,
  parseConditionalActions,
  type PlayedRun,
  ProjectId,
  RunExecutor,
  RunId,
  type RunToPlay,
  type Scenario,
  type Transcriber,
  type Voice,
  type VoiceExecutorConfig,
  type VoiceProtocolName
} from "@earshot/core"
import { VoiceKit } from "@earshot/test-kit"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

export type Script = ReadonlyArray<VoiceKit.AgentStep>

export const agentAt = (url: string): Agent =>
  new Agent({
    id: AgentId.make(1),
    organizationId: OrganizationId.make(1),
    projectId: ProjectId.make(1),
    name: "Front desk",
    description: "",
    assistantId: null,
    provider: null,
    supportedChannels: ["voice"],
    chatEndpoint: null,
    voiceEndpoint: { url, protocol: "twilio", headers: {}, authToken: null },
    createdAt: DateTime.unsafeMake(0),
    updatedAt: DateTime.unsafeMake(0)
  })

export const scenarioOf = (conditions: ReadonlyArray<object>, changes: Partial<Scenario> = {}): Scenario => ({
  type: "conditional_actions",
  instructions: "",
  actions: Either.getOrThrow(parseConditionalActions({ role: "A caller in a hurry", conditions })),
  firstMessage: "",
  expectedOutcome: "",
  persona: null,
  language: null,
  facts: {},
  variables: {},
  maxDuration: 60,
  ...changes
})

export const FIRST = { id: 0, condition: "FIRST_MESSAGE" }

export const speech = Layer.merge(VoiceKit.toneTextToSpeech, VoiceKit.toneTranscriber)
const noModel = Layer.succeed(LanguageModel, { ask: Option.none() })

export const executorOf = (
  connections: Layer.Layer<Voice.VoiceConnections>,
  config: VoiceExecutorConfig = {},
  of: Layer.Layer<Voice.TextToSpeech | Transcriber> = speech
) => Layer.effect(RunExecutor, makeVoiceExecutor(config)).pipe(Layer.provide(Layer.mergeAll(connections, of, noModel)))

export const runOf = (scenario: Scenario, protocol: VoiceProtocolName = "twilio"): RunToPlay => ({
  run: RunId.make(1),
  channel: "voice",
  agent: agentAt("wss://agent.example"),
  chatEndpoint: null,
  voiceEndpoint: { url: "wss://agent.example", protocol, headers: {}, authToken: null },
  scenario
})

/** Plays a scenario with an agent that plays a script, under a virtual clock. */
export const play = (
  script: Script,
  scenario: Scenario,
  config: VoiceExecutorConfig = {},
  of?: Layer.Layer<Voice.TextToSpeech | Transcriber>,
  protocol: VoiceProtocolName = "twilio"
): Effect.Effect<PlayedRun> =>
  Effect.flatMap(RunExecutor, (executor) => executor.play(runOf(scenario, protocol))).pipe(
    Effect.provide(executorOf(VoiceKit.scriptedConnections(script, protocol), config, of)),
    VoiceKit.withVirtualClock
  )

export const linesOf = ({ transcript }: PlayedRun) =>
  transcript.turns.map(({ content, speaker }) => `${speaker === "main_agent" ? "agent" : "caller"}: ${content}`)
