/**
 * Telephone audio: mu-law (ITU-T G.711) at 8 kHz, one byte a sample. Positions in a call are counted in samples from its
 * start, eight to a millisecond.
 */
import { fromMulaw, toMulaw } from "@earshot/redaction/audio"

export const SAMPLE_RATE = 8000
export const SAMPLES_PER_MILLI = SAMPLE_RATE / 1000

/** Milliseconds of audio in a frame, as Twilio Media Streams send it. */
export const FRAME_MILLIS = 20
export const FRAME_SAMPLES = FRAME_MILLIS * SAMPLES_PER_MILLI

/** The mu-law code of silence. */
export const SILENCE = 0xff

/** The 16-bit sample of each mu-law code. */
const SAMPLES = Int16Array.from({ length: 256 }, (_, code) => fromMulaw(code))

/** The 16-bit sample of a mu-law code. */
export const sampleOf = (code: number): number => SAMPLES[code] ?? 0

// Loops: the mapping of `from` iterates, which takes ten times as long.
export const encodeMulaw = (samples: ArrayLike<number>): Uint8Array => {
  const codes = new Uint8Array(samples.length)
  for (let at = 0; at < codes.length; at++) codes[at] = toMulaw(samples[at] ?? 0)
  return codes
}

export const decodeMulaw = (codes: Uint8Array): Int16Array => {
  const samples = new Int16Array(codes.length)
  for (let at = 0; at < samples.length; at++) samples[at] = sampleOf(codes[at] ?? 0)
  return samples
}

export const silenceOf = (samples: number): Uint8Array => new Uint8Array(samples).fill(SILENCE)

export const millisOf = (samples: number): number => samples / SAMPLES_PER_MILLI

export const samplesOf = (millis: number): number => Math.round(millis * SAMPLES_PER_MILLI)
