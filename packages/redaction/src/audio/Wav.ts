import * as Either from "effect/Either"
import { type AudioError, MalformedAudio, UnsupportedAudio } from "./AudioErrors.js"
import { byteAt, hasText, viewOf } from "./Bytes.js"

/** How one sample is stored. Integers are little-endian; 8-bit ones are unsigned, wider ones signed. */
export type WavEncoding = "pcm" | "float" | "alaw" | "mulaw"

/** Where the samples of a WAV file lie. */
export interface WavLayout {
  readonly encoding: WavEncoding
  readonly channels: number
  /** Sample frames a second. */
  readonly sampleRate: number
  readonly bytesPerSample: number
  /** Offset of the first sample. */
  readonly offset: number
  /** Whole sample frames present in the file, whatever its header claims. */
  readonly frames: number
}

const MAX_CHANNELS = 32

const MAX_SAMPLE_RATE = 768_000

const UNKNOWN_SIZE = 0xffff_ffff

const malformed = (reason: string): MalformedAudio => new MalformedAudio({ format: "wav", reason })

/** Whether bytes are a RIFF/WAVE file, including the 64-bit (RF64, BW64) and big-endian (RIFX) variants. */
export const isWav = (bytes: Uint8Array): boolean =>
  hasText(bytes, 8, "WAVE") && ["RIFF", "RF64", "BW64", "RIFX"].some((kind) => hasText(bytes, 0, kind))

/**
 * Finds the samples (Multimedia Programming Interface and Data Specifications 1.0; RF64: EBU Tech 3306). Sizes are
 * not trusted: a data chunk whose size exceeds the file, or that other bytes than whole chunks follow, is taken to extend
 * to the end of the file, so that no sample is missed because of a wrong size. Contradictory headers are an error.
 */
export const parseWav = (bytes: Uint8Array): Either.Either<WavLayout, AudioError> => {
  if (hasText(bytes, 0, "RIFX")) return Either.left(new UnsupportedAudio({ reason: "big-endian WAV (RIFX)" }))
  const view = viewOf(bytes)
  let format: Omit<WavLayout, "offset" | "frames"> | undefined
  let wideDataSize: number | undefined
  let at = 12
  while (at + 8 <= bytes.length) {
    const size = view.getUint32(at + 4, true)
    const body = at + 8
    if (hasText(bytes, at, "ds64") && body + 16 <= bytes.length) {
      wideDataSize = view.getUint32(body + 8, true) + view.getUint32(body + 12, true) * 2 ** 32
    } else if (hasText(bytes, at, "fmt ")) {
      if (format !== undefined) return Either.left(malformed("more than one fmt chunk"))
      const read = readFormat(bytes, body, Math.min(size, bytes.length - body))
      if (Either.isLeft(read)) return Either.left(read.left)
      format = read.right
    } else if (hasText(bytes, at, "wavl")) {
      return Either.left(new UnsupportedAudio({ reason: "WAV with a list of waves" }))
    } else if (hasText(bytes, at, "data")) {
      if (format === undefined) return Either.left(malformed("samples before their format"))
      const claimed = size === UNKNOWN_SIZE && wideDataSize !== undefined ? wideDataSize : size
      const tail = claimed <= bytes.length - body ? chunksBehind(bytes, body + claimed, claimed) : "none"
      if (tail === "data") return Either.left(new UnsupportedAudio({ reason: "WAV with more than one data chunk" }))
      const length = tail === "chunks" ? claimed : bytes.length - body
      const frames = Math.floor(length / (format.bytesPerSample * format.channels))
      return Either.right({ ...format, offset: body, frames })
    }
    at = body + size + (size & 1)
  }
  return Either.left(malformed("no data chunk"))
}

/** What follows a data chunk: whole chunks, whole chunks with another data chunk, or other bytes (`none`). */
const chunksBehind = (bytes: Uint8Array, end: number, size: number): "chunks" | "data" | "none" => {
  // Some writers omit the padding byte of an odd chunk.
  const starts = (size & 1) === 1 ? [end + 1, end] : [end]
  const answers = starts.map((start) => scanChunks(bytes, start))
  return answers.includes("data") ? "data" : answers.includes("chunks") ? "chunks" : "none"
}

const scanChunks = (bytes: Uint8Array, start: number): "chunks" | "data" | "none" => {
  const view = viewOf(bytes)
  let data = false
  let at = start
  while (at + 8 <= bytes.length) {
    for (let i = at; i < at + 4; i++) if (byteAt(bytes, i) < 0x20 || byteAt(bytes, i) > 0x7e) return "none"
    data ||= hasText(bytes, at, "data") || hasText(bytes, at, "wavl")
    const size = view.getUint32(at + 4, true)
    at += 8 + size + (size & 1)
  }
  // The last chunk may lack its padding byte, and a single stray byte holds no usable sample.
  return at > bytes.length + 1 || bytes.length - at > 1 ? "none" : data ? "data" : "chunks"
}

const PCM_TAG = 1

const FLOAT_TAG = 3

const ALAW_TAG = 6

const MULAW_TAG = 7

const EXTENSIBLE_TAG = 0xfffe

/** The last 14 bytes of every sub-format GUID that wraps a plain format tag. */
const SUBFORMAT = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]

const readFormat = (
  bytes: Uint8Array,
  at: number,
  size: number
): Either.Either<Omit<WavLayout, "offset" | "frames">, AudioError> => {
  if (size < 16) return Either.left(malformed("fmt chunk cut short"))
  const view = viewOf(bytes)
  const outer = view.getUint16(at, true)
  const channels = view.getUint16(at + 2, true)
  const sampleRate = view.getUint32(at + 4, true)
  const block = view.getUint16(at + 12, true)
  const bits = view.getUint16(at + 14, true)
  if (outer === EXTENSIBLE_TAG && (size < 40 || !SUBFORMAT.every((byte, i) => bytes[at + 26 + i] === byte))) {
    return Either.left(new UnsupportedAudio({ reason: "WAV of an unknown sub-format" }))
  }
  const tag = outer === EXTENSIBLE_TAG ? view.getUint16(at + 24, true) : outer
  if (channels === 0) return Either.left(malformed("no channels"))
  if (channels > MAX_CHANNELS) return Either.left(new UnsupportedAudio({ reason: `WAV with ${channels} channels` }))
  if (sampleRate === 0 || sampleRate > MAX_SAMPLE_RATE) return Either.left(malformed(`a sample rate of ${sampleRate}`))
  const bytesPerSample = block / channels
  const fits = (encoding: WavEncoding, ...widths: ReadonlyArray<number>) =>
    widths.includes(bytesPerSample)
      ? Either.right({ encoding, channels, sampleRate, bytesPerSample })
      : Either.left(malformed(`${bits} bits in blocks of ${block} bytes for ${channels} channels`))
  switch (tag) {
    case PCM_TAG:
      return bits > 32
        ? Either.left(new UnsupportedAudio({ reason: `WAV of ${bits} bits` }))
        : fits("pcm", Math.ceil(bits / 8))
    case FLOAT_TAG:
      return bits === 32 || bits === 64
        ? fits("float", bits / 8)
        : Either.left(malformed(`floating-point samples of ${bits} bits`))
    case ALAW_TAG:
      return fits("alaw", 1)
    case MULAW_TAG:
      return fits("mulaw", 1)
    default:
      return Either.left(new UnsupportedAudio({ reason: `WAV of format 0x${tag.toString(16).padStart(4, "0")}` }))
  }
}
