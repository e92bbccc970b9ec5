/**
 * Conversion of sample rates: a low-pass of windowed sinc (Kaiser), which passes what lies below 85 % of half the lower rate and
 * attenuates what lies above it by 70 dB, so that nothing is folded into the band. Pure, but for the state of a stream.
 */
import { SAMPLE_RATE } from "./Audio.js"

/** Sample rates in Hz that can be converted. */
export const MIN_RATE = 4000
export const MAX_RATE = 48_000

/** Middle and width in Hz of the band between what passes and what does not, for telephone audio; other rates have its multiple. */
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

export interface Filter {
  /** Filters of equal length, one for each position between two input samples. */
  readonly phases: ReadonlyArray<Float32Array>
  /** Input samples before and after the position of an output sample that its filter covers. */
  readonly reach: number
}

/** The filter from one sample rate to another, both in the range above. */
export const makeFilter = (from: number, to: number): Filter => {
  // Sound of less than the target rate has nothing above half its rate, and its images begin there.
  const scale = Math.min(from, to) / SAMPLE_RATE
  const cutoff = (CUTOFF * scale) / from
  const reach = Math.ceil((ATTENUATION - 8) / (2.285 * 2 * Math.PI * ((TRANSITION * scale) / from)) / 2)
  const count = Math.min(to / divisor(to, from), MAX_PHASES)
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

/**
 * The value at a position of the input, in input samples; beyond its ends, the input is silent.
 *
 * @param start the position of the first sample of `input`
 */
export const valueAt = (
  { phases, reach }: Filter,
  input: ArrayLike<number>,
  start: number,
  position: number
): number => {
  const step = Math.round((position - Math.floor(position)) * phases.length)
  const isNext = step === phases.length
  const taps = phases[isNext ? 0 : step]
  if (taps === undefined) return 0
  const first = Math.floor(position) + (isNext ? 1 : 0) - reach - start
  let sum = 0
  for (let tap = Math.max(0, -first); tap < taps.length && first + tap < input.length; tap++) {
    sum += (taps[tap] ?? 0) * (input[first + tap] ?? 0)
  }
  return sum
}

export const toInt16 = (sample: number): number => Math.max(-32_768, Math.min(Math.round(sample), 32_767))

const filters = new Map<string, Filter>()

/** Filters of the rates that agents use are made once. */
const filterOf = (from: number, to: number): Filter => {
  const key = `${from}/${to}`
  const known = filters.get(key)
  if (known !== undefined) return known
  const filter = makeFilter(from, to)
  // Rates come from outside; those of calls are few.
  if (filters.size < 16) filters.set(key, filter)
  return filter
}

/** Converts the samples of a stream that follow, 16 bits each. */
export type Resampler = (samples: Int16Array) => Int16Array

/**
 * Converts a stream in parts of any size; joined, they are the whole converted at once. A part is returned as far as the samples
 * after it are known, so that up to 4 ms of 8 kHz and above remain until the next part.
 *
 * @param isDelayed begins with so much silence that every part has its whole length, later by that
 */
export const makeResampler = (from: number, to: number, isDelayed = false): Resampler => {
  if (from === to) return (samples) => samples
  const filter = filterOf(from, to)
  const { reach } = filter
  /** The input from the position `start` on. */
  let kept = new Int16Array(isDelayed ? reach : 0)
  let start = 0
  let next = 0
  return (samples) => {
    const input = new Int16Array(kept.length + samples.length)
    input.set(kept)
    input.set(samples, kept.length)
    const end = start + input.length
    // As far as filters end within the input.
    const count = Math.max(0, Math.ceil(((end - reach) * to) / from) - next)
    const output = new Int16Array(count)
    for (let at = 0; at < count; at++) {
      output[at] = toInt16(valueAt(filter, input, start, ((next + at) * from) / to))
    }
    next += count
    const needed = Math.max(start, Math.floor((next * from) / to) - reach)
    kept = input.slice(needed - start)
    start = needed
    return output
  }
}
