export {
  decodeMulaw,
  encodeMulaw,
  FRAME_MILLIS,
  FRAME_SAMPLES,
  millisOf,
  SAMPLE_RATE,
  sampleOf,
  samplesOf,
  SILENCE,
  silenceOf
} from "./Audio.js"
export {
  type Backchannel,
  backchannelsOf,
  type Interruption,
  interruptionOf,
  millisOfWords,
  seeded,
  seedOf,
  silenceBefore
} from "./BehaviorRules.js"
export { chance } from "./Chance.js"
export { impaired, type ImpairedLine, noTransit, SECOND_TALKER, type Transit, transmit } from "./Impairments.js"
export { frameDueAt, framesDue, framesOf } from "./Frames.js"
export { mediaStream, type StreamIds, streamIdsOf } from "./protocols/MediaStream.js"
export { protocolOf } from "./protocols/Protocols.js"
export { type AgentMessage, MAX_MESSAGE, type VoiceProtocol, type WireMessage } from "./VoiceProtocol.js"
export { type AudioFormat, type Decoder, makeDecoder, makeEncoder, readPcm, writePcm } from "./PcmAudio.js"
export { makeResampler, MAX_RATE, MIN_RATE, type Resampler } from "./Resampling.js"
export {
  clearQueue,
  emptyPlayback,
  type PlayedAudio,
  isOverfull,
  type Playback,
  playUntil,
  queueAudio,
  queuedSamples,
  queueMark
} from "./Playback.js"
export { addFrame, isLate, type Lateness, MAX_LATENESS_MILLIS, noLateness } from "./Lateness.js"
export { type Sound, type TelephoneAudio, telephoneAudio } from "./TelephoneAudio.js"
export { type Speak, SpeechFailed, TextToSpeech, type Utterance, wholeSpeech } from "./TextToSpeech.js"
export { monoWav, stereoWav } from "./CallWav.js"
export { otherEncoding } from "./AudioEncodingRules.js"
export {
  checkVoice,
  encodeVoiceCheck,
  type Finding,
  findingOf,
  FIRST_AUDIO_MILLIS,
  type ObservedCall,
  VoiceCheck,
  VoiceProblem
} from "./VoiceCheck.js"
export { type VoiceAddress, voiceAddressOf } from "./VoiceAddressRules.js"
export { type Activity, type ActivityOptions, listen, noActivity, type TimeSpan, spansOf } from "./VoiceActivity.js"
export {
  type Answer,
  type BargeIn,
  type CallerTurn,
  DEAD_AIR_MILLIS,
  type MeasuredCall,
  measureCall,
  type VoiceMeasures
} from "./VoiceMeasures.js"
export {
  type ConnectionEvent,
  ConnectionProblem,
  VoiceFailed,
  type VoiceConnection,
  VoiceConnections
} from "./VoiceConnection.js"
export {
  type CallEnd,
  type VoiceCallRecord,
  type AgentTurn,
  startCall,
  type VoiceCall,
  type VoiceCallConfig
} from "./VoiceCall.js"
