/** A call's recording: WAV, 16-bit PCM, 8 kHz, the caller left and the agent right. Pure. */
import { WAV_HEADER_BYTES, writeWavHeader } from "@earshot/redaction/audio"
import { SAMPLE_RATE, sampleOf } from "./Audio.js"
import type { PlayedAudio } from "./Playback.js"

const BLOCK_BYTES = 4

/** Writes both tracks to the call's length in samples; what lies behind it is cut. */
export const stereoWav = (
  caller: ReadonlyArray<PlayedAudio>,
  agent: ReadonlyArray<PlayedAudio>,
  samples: number
): Uint8Array => {
  const bytes = new Uint8Array(WAV_HEADER_BYTES + samples * BLOCK_BYTES)
  const view = new DataView(bytes.buffer)
  writeWavHeader(bytes, { channels: 2, sampleRate: SAMPLE_RATE, bytesPerSample: 2 })
  const write = (track: ReadonlyArray<PlayedAudio>, offset: number): void => {
    for (const { at, audio } of track) {
      const length = Math.min(audio.length, samples - at)
      for (let i = 0; i < length; i++) {
        view.setInt16(WAV_HEADER_BYTES + (at + i) * BLOCK_BYTES + offset, sampleOf(audio[i] ?? 0), true)
      }
    }
  }
  write(caller, 0)
  write(agent, 2)
  return bytes
}
