/** Audio of calls as WAV: 16-bit PCM, 8 kHz. Pure. */
import { WAV_HEADER_BYTES, writeWavHeader } from "@earshot/redaction/audio"
import { SAMPLE_RATE, sampleOf } from "./Audio.js"
import type { PlayedAudio } from "./Playback.js"

const SAMPLE_BYTES = 2

type Track = ReadonlyArray<PlayedAudio>

/** A channel for each track, of so many samples; what lies behind them is cut. */
const wavOf = (tracks: ReadonlyArray<Track>, samples: number): Uint8Array<ArrayBuffer> => {
  const block = tracks.length * SAMPLE_BYTES
  const bytes = new Uint8Array(WAV_HEADER_BYTES + samples * block)
  const view = new DataView(bytes.buffer)
  writeWavHeader(bytes, { channels: tracks.length, sampleRate: SAMPLE_RATE, bytesPerSample: SAMPLE_BYTES })
  for (const [channel, track] of tracks.entries()) {
    for (const { at, audio } of track) {
      const length = Math.min(audio.length, samples - at)
      for (let i = 0; i < length; i++) {
        const offset = WAV_HEADER_BYTES + (at + i) * block + channel * SAMPLE_BYTES
        view.setInt16(offset, sampleOf(audio[i] ?? 0), true)
      }
    }
  }
  return bytes
}

/** The recording of a call of so many samples: the caller left and the agent right. */
export const stereoWav = (caller: Track, agent: Track, samples: number): Uint8Array<ArrayBuffer> =>
  wavOf([caller, agent], samples)

/** Audio of one side. */
export const monoWav = (audio: Uint8Array): Uint8Array<ArrayBuffer> => wavOf([[{ at: 0, audio }]], audio.length)
