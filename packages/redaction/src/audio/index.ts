export { AudioAnswer, type AudioPiece, type AudioQuestion } from "./AudioQuestions.js"
export { type AudioError, MalformedAudio, MutingNotProven, UnsupportedAudio, UnusableRanges } from "./AudioErrors.js"
export { checkMuted, redactAudio, type RedactedAudio } from "./AudioCheck.js"
export { convertAudio } from "./ConvertAudio.js"
export {
  type AudioFormat,
  type AudioInfo,
  describeAudio,
  durationOf,
  muteAudio,
  type MutedAudio,
  type MuteOptions,
  type MutingSummary
} from "./MuteAudio.js"
export { fromMulaw, toMulaw } from "./Mulaw.js"
export { DEFAULT_PADDING_SECONDS, type MuteRange } from "./MuteRanges.js"
export { type AudioPeaks, audioPeaks, type PeaksOptions } from "./Peaks.js"
export type { Fill } from "./MuteWav.js"
export { readWav, type WavSound } from "./ReadWav.js"
export { isWav, parseWav } from "./Wav.js"
export { WAV_HEADER_BYTES, type WavHeader, writeWavHeader } from "./WavHeader.js"
