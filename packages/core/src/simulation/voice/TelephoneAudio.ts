/**
 * Converts sound of any sample rate to telephone audio: a low-pass of windowed sinc (Kaiser), which passes what lies below
 * 3.4 kHz and attenuates what lies above 4 kHz by 70 dB, so that nothing of it is folded into the telephone's band. Pure.
 */
import { encodeMulaw, SAMPLE_RATE } from "./Audio.js"

/** Sound of one channel. */
export interface Sound {
  /** Samples a second. */
  readonly sampleRate: number
  /** Samples. */
  readonly length: number
  /** Samples of -1 to 1 from one position to before another; both within the sound. */
  readonly read: (from: number, to: number) => Float32Array
}

/** Sample rates in Hz that can be converted. */
export const MIN_INPUT_RATE = 4000
export const MAX_INPUT_RATE = 48_000

/** Middle and width in Hz of the band between what passes and what does not, for telephone audio. */
const CUTOFF = 3700
const TRANSITION = 600
/** Attenuation in dB beyond that band. */
const ATTENUATION = 70
/** Kaiser's parameter for that attenuation. */
const BETA = 0.1102 * (ATTENUATION - 8.7)
/** Positions between two input samples that have a filter of their own: as many as 11,025 Hz needs to be exact. */
const MAX_PHASES = 320

/** The modified Bessel function of the first kind and order 0, by its series. */
const bessel = (x: number): number => {
  let sum = 1
  let term = 1
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b))

interface Filter {
  /** Filters of equal length, one for each position between two input samples. */
  readonly phases: ReadonlyArray<Float32Array>
  /** Input samples before the position of an output sample that its filter covers. */
  readonly reach: number
}

const makeFilter = (rate: number): Filter => {
  // Sound of less than 8 kHz has nothing above half its rate, and its images begin there.
  const scale = Math.min(rate, SAMPLE_RATE) / SAMPLE_RATE
  const cutoff = (CUTOFF * scale) / rate
  const reach = Math.ceil((ATTENUATION - 8) / (2.285 * 2 * Math.PI * ((TRANSITION * scale) / rate)) / 2)
  const count = Math.min(SAMPLE_RATE / divisor(SAMPLE_RATE, rate), MAX_PHASES)
  const phases = Array.from({ length: count }, (_, phase) => {
    const taps = new Float32Array(2 * reach + 1)
    let sum = 0
    for (let tap = 0; tap < taps.length; tap++) {
      const distance = tap - reach - phase / count
      const x = 2 * Math.PI * cutoff * distance
      const ratio = distance / (reach + 1)
      const window = bessel(BETA * Math.sqrt(Math.max(0, 1 - ratio * ratio)))
      const value = window * (x === 0 ? 1 : Math.sin(x) / x)
      taps[tap] = value
      sum += value
    }
    return taps.map((value) => value / sum)
  })
  return { phases, reach }
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

/** A sound as telephone audio. The sample rate has to lie in the range above. */
export const telephoneAudio = (sound: Sound): TelephoneAudio => {
  const { sampleRate: rate } = sound
  const length = Math.round((sound.length * SAMPLE_RATE) / rate)
  const filter = rate === SAMPLE_RATE ? undefined : makeFilter(rate)
  const convert = (from: number, to: number): Int16Array => {
    const output = new Int16Array(to - from)
    if (filter === undefined) {
      sound.read(from, to).forEach((sample, at) => {
        output[at] = toInt16(sample)
      })
      return output
    }
    const { phases, reach } = filter
    const start = Math.max(0, Math.floor((from * rate) / SAMPLE_RATE) - reach)
    const end = Math.min(sound.length, Math.ceil((to * rate) / SAMPLE_RATE) + reach + 2)
    const input = sound.read(start, Math.max(start, end))
    for (let at = 0; at < output.length; at++) {
      const position = ((from + at) * rate) / SAMPLE_RATE
      const step = Math.round((position - Math.floor(position)) * phases.length)
      const isNext = step === phases.length
      const taps = phases[isNext ? 0 : step]
      if (taps === undefined) continue
      const first = Math.floor(position) + (isNext ? 1 : 0) - reach - start
      let sum = 0
      for (let tap = Math.max(0, -first); tap < taps.length && first + tap < input.length; tap++) {
        sum += (taps[tap] ?? 0) * (input[first + tap] ?? 0)
      }
      output[at] = toInt16(sum)
    }
    return output
  }
  return { length, convert, encode: (from, to) => encodeMulaw(convert(from, to)) }
}

const toInt16 = (sample: number): number => Math.max(-32_768, Math.min(Math.round(sample * 32_767), 32_767))
