/** Audio of agents that speak linear PCM or mu-law at any rate, in both directions of a call. */
import * as Either from "effect/Either"
import { decodeMulaw, encodeMulaw, FRAME_MILLIS, millisOf, SAMPLE_RATE } from "./Audio.js"
import { makeResampler, MAX_RATE, MIN_RATE, type Resampler } from "./Resampling.js"

/** How audio is encoded: 16-bit PCM, little-endian, one channel; or mu-law. */
export interface AudioFormat {
  readonly encoding: "pcm" | "mulaw"
  /** Samples a second. */
  readonly rate: number
}

const SAMPLE_BYTES = 2

export const readPcm = (bytes: Uint8Array): Int16Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const samples = new Int16Array(Math.floor(bytes.length / SAMPLE_BYTES))
  for (let at = 0; at < samples.length; at++) samples[at] = view.getInt16(at * SAMPLE_BYTES, true)
  return samples
}

export const writePcm = (samples: Int16Array): Uint8Array => {
  const bytes = new Uint8Array(samples.length * SAMPLE_BYTES)
  const view = new DataView(bytes.buffer)
  for (let at = 0; at < samples.length; at++) view.setInt16(at * SAMPLE_BYTES, samples[at] ?? 0, true)
  return bytes
}

const isTelephone = ({ encoding, rate }: AudioFormat): boolean => encoding === "mulaw" && rate === SAMPLE_RATE

/** Encodes the caller's frames for an agent; of another rate, 4 ms later. */
export const makeEncoder = (format: AudioFormat): ((frame: Uint8Array) => Uint8Array) => {
  if (isTelephone(format)) return (frame) => frame
  const convert = makeResampler(SAMPLE_RATE, format.rate, true)
  const encode = format.encoding === "mulaw" ? encodeMulaw : writePcm
  return (frame) => encode(convert(decodeMulaw(frame)))
}

/** A pause after which audio is a stream of its own: it is as long as a pause in speech. */
const PAUSE_MILLIS = 100

export interface Decoder {
  /** Audio of an agent as mu-law of 8 kHz; left is a predicate. Bytes of half a sample wait for the next part. */
  readonly decode: (bytes: Uint8Array, format: AudioFormat, at: number) => Either.Either<Uint8Array, string>
  /** Ends a stream: its rest is dropped. */
  readonly reset: () => void
}

/** Decodes the audio of an agent. */
export const makeDecoder = (): Decoder => {
  let rest = new Uint8Array()
  let rate = 0
  let convert: Resampler = (samples) => samples
  /** When the audio so far has played, in milliseconds of the clock. */
  let until = Number.NEGATIVE_INFINITY
  const reset = (): void => {
    rate = 0
    rest = new Uint8Array()
  }
  return {
    reset,
    decode: (bytes, format, at) => {
      if (!(format.rate >= MIN_RATE && format.rate <= MAX_RATE)) {
        return Either.left(`has audio of ${format.rate} Hz; ${MIN_RATE} to ${MAX_RATE} Hz can be read`)
      }
      if (isTelephone(format)) return Either.right(bytes)
      if (at - until > PAUSE_MILLIS) reset()
      if (format.rate !== rate) {
        ;({ rate } = format)
        convert = makeResampler(rate, SAMPLE_RATE)
      }
      const whole = Buffer.concat([rest, bytes])
      const odd = format.encoding === "pcm" ? whole.length % SAMPLE_BYTES : 0
      rest = Uint8Array.from(whole.subarray(whole.length - odd))
      const samples = format.encoding === "pcm" ? readPcm(whole) : decodeMulaw(whole)
      const audio = encodeMulaw(convert(samples))
      until = Math.max(at, until) + millisOf(audio.length)
      return Either.right(audio)
    }
  }
}

/** Most frames that wait until the agent has stated its format: a second. */
const MAX_WAITING = 1000 / FRAME_MILLIS

export interface CallerAudio {
  /** The bytes to be sent with the next frame; null if they wait for the format. */
  readonly next: (frame: Uint8Array) => Uint8Array | null
  /** The format that the agent has stated; the bytes that waited for it, or null. */
  readonly format: (format: AudioFormat) => Uint8Array | null
}

/** The caller's audio to an agent that states its format. After a second without one, the agent has the usual format. */
export const makeCallerAudio = (usual: AudioFormat): CallerAudio => {
  let waiting: Array<Uint8Array> | null = []
  let current = usual
  let encode = makeEncoder(usual)
  const flush = (): Uint8Array | null => {
    const frames = waiting ?? []
    waiting = null
    return frames.length === 0 ? null : Buffer.concat(frames.map(encode))
  }
  return {
    next: (frame) => {
      if (waiting === null) return encode(frame)
      waiting.push(frame)
      return waiting.length > MAX_WAITING ? flush() : null
    },
    format: (format) => {
      if (format.encoding !== current.encoding || format.rate !== current.rate) {
        current = format
        encode = makeEncoder(format)
      }
      return waiting === null ? null : flush()
    }
  }
}
