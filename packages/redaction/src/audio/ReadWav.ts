import * as Either from "effect/Either"
import { type AudioError, MalformedAudio } from "./AudioErrors.js"
import { viewOf } from "./Bytes.js"
import { isWav, parseWav } from "./Wav.js"
import { readSample } from "./WavSamples.js"

/** The sound of a WAV file, mixed to one channel. */
export interface WavSound {
  /** Samples a second. */
  readonly sampleRate: number
  /** Samples in the file, whatever its header claims. */
  readonly length: number
  /** Samples of -1 to 1 from one position to before another; both within the file. */
  readonly read: (from: number, to: number) => Float32Array
}

/**
 * Reads the header of a WAV file: PCM, floating point, A-law or mu-law. Sizes of unknown length, which servers write that
 * stream a file, are accepted.
 */
export const readWav = (bytes: Uint8Array): Either.Either<WavSound, AudioError> => {
  if (!isWav(bytes)) return Either.left(new MalformedAudio({ format: "wav", reason: "no RIFF header" }))
  return Either.map(parseWav(bytes), (layout) => {
    const { bytesPerSample, channels, frames, offset, sampleRate } = layout
    const view = viewOf(bytes)
    const read = (from: number, to: number): Float32Array => {
      const samples = new Float32Array(to - from)
      for (let at = 0; at < samples.length; at++) {
        let sum = 0
        for (let channel = 0; channel < channels; channel++) {
          sum += readSample(view, offset + ((from + at) * channels + channel) * bytesPerSample, layout)
        }
        // Floating-point samples may be infinite or not a number.
        samples[at] = Number.isFinite(sum) ? Math.max(-1, Math.min(sum / channels, 1)) : 0
      }
      return samples
    }
    return { sampleRate, length: frames, read }
  })
}
