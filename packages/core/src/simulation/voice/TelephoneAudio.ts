/** Converts sound of any sample rate to telephone audio. Pure. */
import { encodeMulaw, SAMPLE_RATE } from "./Audio.js"
import { makeFilter, toInt16, valueAt } from "./Resampling.js"

/** Sound of one channel. */
export interface Sound {
  /** Samples a second. */
  readonly sampleRate: number
  /** Samples. */
  readonly length: number
  /** Samples of -1 to 1 from one position to before another; both within the sound. */
  readonly read: (from: number, to: number) => Float32Array
}

/** Telephone audio that is converted in parts, so that other work can run between them. */
export interface TelephoneAudio {
  /** Samples of 8 kHz. */
  readonly length: number
  /** 16-bit samples from one position to before another. The parts of a sound joined are the whole. */
  readonly convert: (from: number, to: number) => Int16Array
  /** The same as mu-law. */
  readonly encode: (from: number, to: number) => Uint8Array
}

/** A sound as telephone audio. Its sample rate has to be in the range of `Resampling`. */
export const telephoneAudio = (sound: Sound): TelephoneAudio => {
  const { sampleRate: rate } = sound
  const length = Math.round((sound.length * SAMPLE_RATE) / rate)
  const filter = rate === SAMPLE_RATE ? undefined : makeFilter(rate, SAMPLE_RATE)
  const convert = (from: number, to: number): Int16Array => {
    const output = new Int16Array(to - from)
    if (filter === undefined) {
      sound.read(from, to).forEach((sample, at) => {
        output[at] = toInt16(sample * 32_767)
      })
      return output
    }
    const { reach } = filter
    const start = Math.max(0, Math.floor((from * rate) / SAMPLE_RATE) - reach)
    const end = Math.min(sound.length, Math.ceil((to * rate) / SAMPLE_RATE) + reach + 2)
    const input = sound.read(start, Math.max(start, end))
    for (let at = 0; at < output.length; at++) {
      output[at] = toInt16(valueAt(filter, input, start, ((from + at) * rate) / SAMPLE_RATE) * 32_767)
    }
    return output
  }
  return { length, convert, encode: (from, to) => encodeMulaw(convert(from, to)) }
}
