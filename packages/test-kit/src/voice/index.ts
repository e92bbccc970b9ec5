export {
  type AgentSide,
  type AgentStep,
  type ScriptedAgent,
  scriptedAgent,
  scriptedLine,
  scriptedLines
} from "./ScriptedAgent.js"
export { readTones, speakTones, TONE_MILLIS, toneTextToSpeech } from "./ToneVoice.js"
export { makeVirtualClock, withVirtualClock } from "./VirtualClock.js"
