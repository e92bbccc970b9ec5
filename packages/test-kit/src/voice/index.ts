export {
  type AgentSide,
  type AgentStep,
  type ScriptedAgent,
  scriptedAgent,
  scriptedConnection,
  scriptedConnections
} from "./ScriptedAgent.js"
export { type AgentWire, agentWire, type Received } from "./AgentWires.js"
export { readTones, speakTones, TONE_MILLIS, toneTextToSpeech, toneTranscriber } from "./ToneVoice.js"
export { makeVirtualClock, withVirtualClock } from "./VirtualClock.js"
