export type { ChatMessage, ChatReply, ChatRequest, ChatToolCall } from "./Chat.js"
export { ChatAgent, ChatFailed } from "./ChatAgent.js"
export { fitsDescription } from "./MatchCondition.js"
export { layerNone as runExecutorNone, type PlayedRun, RunExecutor, type RunToPlay } from "./RunExecutor.js"
export { LiveEvent, RunNotLive, type RunObserver } from "./LiveRun.js"
export { LiveRuns } from "./LiveRuns.js"
export { ClaimedScenario, type Persona, RunScript, type Scenario, scenarioOf } from "./RunScript.js"
export { type SimulationConfig, Simulations } from "./Simulations.js"
export {
  begin,
  type Choices,
  choices,
  matchByWords,
  MAX_UNMATCHED,
  type Move,
  perform,
  type Performance,
  type PerformedMarker,
  type Step,
  step,
  type TestingAgentState,
  type Utterance
} from "./TestingAgent.js"
export { layer as textExecutor, type TextExecutorConfig } from "./TextExecutor.js"
export { make as makeVoiceExecutor, type VoiceExecutorConfig } from "./VoiceExecutor.js"
export { VoiceCheckInProgress, VoiceChecks } from "./VoiceChecks.js"
