/** A recording for a call that nobody made: tones in place of voices. */
import { WAV_HEADER_BYTES, writeWavHeader } from "@earshot/redaction/audio"

/** A turn as Retell has it; times are seconds of the call. */
interface TimedTurn {
  readonly role: "agent" | "user"
  readonly content: string
  readonly words: ReadonlyArray<{ readonly word: string; readonly start: number; readonly end: number }>
}

/** A turn whose words take as long as they are, with short pauses between them. */
export const timedTurn = (role: TimedTurn["role"], content: string, start: number, end: number): TimedTurn => {
  const texts = content.split(" ")
  const perCharacter = (end - start) / (content.length + 1)
  let at = start
  const words = texts.map((word) => {
    const from = at
    at += perCharacter * (word.length + 1)
    return { word, start: from, end: at - perCharacter }
  })
  return { role, content, words }
}

const SAMPLE_RATE = 8000
const BYTES_PER_SAMPLE = 2
const LOUDNESS = 26_000

/** The caller is on the left channel, the agent on the right one, as telephone recordings have them. */
const VOICES = {
  user: { channel: 0, hertz: 210 },
  agent: { channel: 1, hertz: 140 }
} as const
const CHANNELS = 2

/** A stereo WAV in which each word is one tone. */
export const toneRecording = (turns: ReadonlyArray<TimedTurn>): Uint8Array => {
  const spoken = turns.flatMap(({ role, words }) => words.map((word) => ({ role, ...word })))
  const seconds = Math.max(0, ...spoken.map(({ end }) => end)) + 0.5
  const frame = CHANNELS * BYTES_PER_SAMPLE
  const bytes = new Uint8Array(WAV_HEADER_BYTES + Math.round(seconds * SAMPLE_RATE) * frame)
  writeWavHeader(bytes, { channels: CHANNELS, sampleRate: SAMPLE_RATE, bytesPerSample: BYTES_PER_SAMPLE })
  const samples = new DataView(bytes.buffer, WAV_HEADER_BYTES)
  for (const { end, role, start } of spoken) {
    const { channel, hertz } = VOICES[role]
    const first = Math.round(start * SAMPLE_RATE)
    const last = Math.round(end * SAMPLE_RATE)
    for (let at = first; at < last; at++) {
      const phase = (2 * Math.PI * hertz * at) / SAMPLE_RATE
      const swell = Math.sin((Math.PI * (at - first)) / (last - first))
      const tone = Math.sin(phase) + 0.5 * Math.sin(2 * phase) + 0.25 * Math.sin(3 * phase)
      samples.setInt16(at * frame + channel * BYTES_PER_SAMPLE, Math.round((tone * swell * LOUDNESS) / 1.75), true)
    }
  }
  return bytes
}
