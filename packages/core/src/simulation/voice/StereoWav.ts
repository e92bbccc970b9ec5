/** A call's recording: WAV, 16-bit PCM, 8 kHz, the caller left and the agent right. Pure. */
import { SAMPLE_RATE, sampleOf } from "./Audio.js"
import type { PlayedAudio } from "./Playback.js"

const HEADER_BYTES = 44
const BLOCK_BYTES = 4

/** Writes both tracks to the call's length in samples; what lies behind it is cut. */
export const stereoWav = (
  caller: ReadonlyArray<PlayedAudio>,
  agent: ReadonlyArray<PlayedAudio>,
  samples: number
): Uint8Array => {
  const bytes = new Uint8Array(HEADER_BYTES + samples * BLOCK_BYTES)
  const view = new DataView(bytes.buffer)
  const text = (at: number, value: string): void => {
    for (let i = 0; i < value.length; i++) view.setUint8(at + i, value.charCodeAt(i))
  }
  text(0, "RIFF")
  view.setUint32(4, bytes.length - 8, true)
  text(8, "WAVEfmt ")
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 2, true)
  view.setUint32(24, SAMPLE_RATE, true)
  view.setUint32(28, SAMPLE_RATE * BLOCK_BYTES, true)
  view.setUint16(32, BLOCK_BYTES, true)
  view.setUint16(34, 16, true)
  text(36, "data")
  view.setUint32(40, samples * BLOCK_BYTES, true)
  const write = (track: ReadonlyArray<PlayedAudio>, offset: number): void => {
    for (const { at, audio } of track) {
      const length = Math.min(audio.length, samples - at)
      for (let i = 0; i < length; i++) {
        view.setInt16(HEADER_BYTES + (at + i) * BLOCK_BYTES + offset, sampleOf(audio[i] ?? 0), true)
      }
    }
  }
  write(caller, 0)
  write(agent, 2)
  return bytes
}
