export type { DecodeContext, Decoder } from "./Decoder.js"
export * as TranscriptLimits from "./Limits.js"
export { ServicePayload, ServiceTurn, ServiceTurns } from "./Service.js"
export * as StoredTranscript from "./StoredTranscript.js"
export {
  type RawTranscript,
  type RedactedTranscript,
  roleNames,
  Speaker,
  type ToolCall,
  type Turn,
  type Word
} from "./Transcript.js"
export * as TranscriptFormat from "./TranscriptFormat.js"
export { TranscriptType } from "./TranscriptFormat.js"
export * as TranscriptView from "./TranscriptView.js"
export * as TurnTimings from "./TurnTiming.js"
export type { StageTiming, TimingStage, TurnTiming } from "./TurnTiming.js"
