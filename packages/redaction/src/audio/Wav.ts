import * as Either from "effect/Either"
import { type AudioError, MalformedAudio, UnsupportedAudio } from "./AudioErrors.js"
import { byteAt, hasText, sameBytes, viewOf } from "./Bytes.js"
import { allRanges, type ChannelRanges, type AudioRange } from "./MuteRanges.js"

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

export type Fill = "silence" | "tone"

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

/** The byte of silence: zero is one repeated byte in every encoding. G.711: mu-law +0 is 0xff, A-law +0 is 0xd5. */
const silentByte = (layout: WavLayout): number =>
  layout.encoding === "mulaw"
    ? 0xff
    : layout.encoding === "alaw"
      ? 0xd5
      : layout.encoding === "pcm" && layout.bytesPerSample === 1
        ? 0x80
        : 0

const TONE_HERTZ = 1000
/** 20 dB below full scale: audible, and no louder than speech. */
const TONE_AMPLITUDE = 0.1

/** The tone at a sample frame. Its phase depends only on the position, so muting twice gives the same bytes. */
const toneAt = (frame: number, sampleRate: number): number => {
  const hertz = Math.min(TONE_HERTZ, sampleRate / 4)
  return TONE_AMPLITUDE * Math.sin(2 * Math.PI * (((frame * hertz) / sampleRate) % 1))
}

/** Writes one sample of -1 to 1. */
const writeSample = (view: DataView, at: number, layout: WavLayout, value: number): void => {
  switch (layout.encoding) {
    case "mulaw":
      view.setUint8(at, toMuLaw(Math.round(value * 32_767)))
      break
    case "alaw":
      view.setUint8(at, toALaw(Math.round(value * 32_767)))
      break
    case "float":
      if (layout.bytesPerSample === 8) view.setFloat64(at, value, true)
      else view.setFloat32(at, value, true)
      break
    case "pcm": {
      if (layout.bytesPerSample === 1) {
        view.setUint8(at, 128 + Math.round(value * 127))
        break
      }
      const whole = Math.round(value * (2 ** (8 * layout.bytesPerSample - 1) - 1))
      for (let i = 0; i < layout.bytesPerSample; i++) view.setUint8(at + i, (whole >> (8 * i)) & 0xff)
    }
  }
}

/** Reads one sample as -1 to 1. */
const readSample = (view: DataView, at: number, layout: WavLayout): number => {
  switch (layout.encoding) {
    case "mulaw":
      return fromMuLaw(view.getUint8(at)) / 32_768
    case "alaw":
      return fromALaw(view.getUint8(at)) / 32_768
    case "float":
      return layout.bytesPerSample === 8 ? view.getFloat64(at, true) : view.getFloat32(at, true)
    case "pcm": {
      if (layout.bytesPerSample === 1) return (view.getUint8(at) - 128) / 128
      let whole = view.getInt8(at + layout.bytesPerSample - 1)
      for (let i = layout.bytesPerSample - 2; i >= 0; i--) whole = whole * 256 + view.getUint8(at + i)
      return whole / 2 ** (8 * layout.bytesPerSample - 1)
    }
  }
}

/** ITU-T G.711 mu-law of a 16-bit sample. */
const toMuLaw = (sample: number): number => {
  const sign = sample < 0 ? 0x80 : 0
  const magnitude = Math.min(Math.abs(sample), 32_635) + 0x84
  const exponent = Math.max(0, 31 - Math.clz32(magnitude) - 7)
  return ~(sign | (exponent << 4) | ((magnitude >> (exponent + 3)) & 0x0f)) & 0xff
}

const fromMuLaw = (code: number): number => {
  const plain = ~code & 0xff
  const magnitude = ((((plain & 0x0f) << 3) + 0x84) << ((plain >> 4) & 7)) - 0x84
  return plain & 0x80 ? -magnitude : magnitude
}

/** ITU-T G.711 A-law of a 16-bit sample. */
const toALaw = (sample: number): number => {
  const magnitude = Math.min(sample < 0 ? -sample - 1 : sample, 32_767) >> 3
  const exponent = Math.max(0, 31 - Math.clz32(Math.max(magnitude, 1)) - 4)
  const mantissa = (exponent === 0 ? magnitude >> 1 : magnitude >> exponent) & 0x0f
  return ((sample < 0 ? 0 : 0x80) | (exponent << 4) | mantissa) ^ 0x55
}

const fromALaw = (code: number): number => {
  const plain = code ^ 0x55
  const exponent = (plain >> 4) & 7
  const mantissa = ((plain & 0x0f) << 4) + 8
  const magnitude = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1)
  return plain & 0x80 ? magnitude : -magnitude
}

/** Whether both channels of a stereo file hold identical samples, so that neither belongs to one speaker. */
export const isDualMono = (bytes: Uint8Array, layout: WavLayout): boolean => {
  if (layout.channels !== 2 || layout.frames === 0) return false
  const width = layout.bytesPerSample
  const end = layout.offset + layout.frames * width * 2
  for (let at = layout.offset; at < end; at += 2 * width) {
    for (let i = at; i < at + width; i++) if (bytes[i] !== bytes[i + width]) return false
  }
  return true
}

/** Samples after which a fill repeats. Below 4 kHz, the tone is a quarter of the sample rate. */
const periodOf = (layout: WavLayout, fill: Fill): number =>
  fill === "silence"
    ? 1
    : layout.sampleRate < 4 * TONE_HERTZ
      ? 4
      : layout.sampleRate / commonDivisor(layout.sampleRate, TONE_HERTZ)

/** One period of a fill as bytes. */
const fillOf = (layout: WavLayout, fill: Fill): Uint8Array => {
  const width = layout.bytesPerSample
  const period = new Uint8Array(width * periodOf(layout, fill))
  if (fill === "silence") return period.fill(silentByte(layout))
  const view = viewOf(period)
  for (let i = 0; i < period.length / width; i++) writeSample(view, i * width, layout, toneAt(i, layout.sampleRate))
  return period
}

const commonDivisor = (a: number, b: number): number => (b === 0 ? a : commonDivisor(b, a % b))

/** A copy with silence or a tone in the ranges, one list per channel; no other byte differs. */
export const muteWav = (bytes: Uint8Array, layout: WavLayout, spans: ChannelRanges, fill: Fill): Uint8Array => {
  const muted = bytes.slice()
  const width = layout.bytesPerSample
  const block = width * layout.channels
  if (fill === "silence" && isEveryChannel(spans)) {
    for (const { from, to } of spans[0] ?? []) {
      muted.fill(silentByte(layout), layout.offset + from * block, layout.offset + to * block)
    }
    return muted
  }
  const period = fillOf(layout, fill)
  spans.forEach((list, channel) => {
    for (const { from, to } of list) {
      // The phase depends only on the position in the file, so that muting twice gives the same bytes.
      let of = (from * width) % period.length
      for (let at = layout.offset + from * block + channel * width; at < layout.offset + to * block; at += block) {
        for (let i = 0; i < width; i++) muted[at + i] = byteAt(period, of + i)
        of = of + width === period.length ? 0 : of + width
      }
    }
  })
  return muted
}

const isEveryChannel = (spans: ChannelRanges): boolean => {
  const first = spans[0] ?? []
  const isSame = (span: AudioRange, i: number): boolean => span.from === first[i]?.from && span.to === first[i].to
  return spans.every((list) => list.length === first.length && list.every(isSame))
}

/** A-law has no zero: its smallest step decodes to 8 of 32,768. Every other encoding must be exactly silent. */
const silenceTolerance = (layout: WavLayout): number => (layout.encoding === "alaw" ? 8 / 32_768 : 0)
/** Two steps of 8-bit samples. */
const TONE_TOLERANCE = 1 / 64

/**
 * Why a muted WAV fails verification, or undefined: parsed and decoded again, it must be silent (or the tone) in every
 * range, and byte for byte equal to the original everywhere else.
 */
export const wavObjection = (
  original: Uint8Array,
  muted: Uint8Array,
  spans: ChannelRanges,
  fill: Fill
): string | undefined => {
  const parsed = parseWav(muted)
  if (Either.isLeft(parsed)) return "it no longer parses"
  const layout = parsed.right
  if (original.length !== muted.length) return "its length changed"
  const block = layout.bytesPerSample * layout.channels
  const everywhere = isEveryChannel(spans)
  let kept = 0
  for (const { from, to } of allRanges(spans)) {
    const begin = layout.offset + from * block
    const end = layout.offset + to * block
    if (!sameBytes(original, muted, kept, begin)) return "bytes outside the ranges changed"
    kept = end
    if (everywhere && fill === "silence") {
      // If all frames are equal, decoding the first one is enough.
      const first = muted.subarray(begin, end - block)
      const second = muted.subarray(begin + block, end)
      if (Buffer.compare(first, second) !== 0 || !soundsRight(muted, layout, from, from + 1, spans, fill)) {
        return "sound in a muted range"
      }
    } else if (!soundsRight(muted, layout, from, to, spans, fill)) return "sound in a muted range"
    if (!everywhere && !keepsOthers(original, muted, layout, from, to, spans)) return "the other channel changed"
  }
  return sameBytes(original, muted, kept, muted.length) ? undefined : "bytes outside the ranges changed"
}

/**
 * Whether the muted samples of some frames decode to the fill. The first period is decoded; every later sample must equal
 * the bytes of the one a period before.
 */
const soundsRight = (
  muted: Uint8Array,
  layout: WavLayout,
  begin: number,
  end: number,
  spans: ChannelRanges,
  fill: Fill
): boolean => {
  const view = viewOf(muted)
  const width = layout.bytesPerSample
  const block = width * layout.channels
  const period = periodOf(layout, fill)
  const tolerance = fill === "tone" ? TONE_TOLERANCE : silenceTolerance(layout)
  return spans.every((list, channel) =>
    list.every(({ from, to }) => {
      const first = Math.max(from, begin)
      const last = Math.min(to, end)
      for (let frame = first; frame < Math.min(last, first + period); frame++) {
        const wanted = fill === "tone" ? toneAt(frame, layout.sampleRate) : 0
        const off = Math.abs(readSample(view, layout.offset + frame * block + channel * width, layout) - wanted)
        // Negated, so that NaN counts as sound.
        if (!(off <= tolerance)) return false
      }
      const back = period * block
      const stop = layout.offset + last * block
      for (let at = layout.offset + (first + period) * block + channel * width; at < stop; at += block) {
        for (let i = at; i < at + width; i++) if (muted[i] !== muted[i - back]) return false
      }
      return true
    })
  )
}

/** Whether the samples of some frames outside all ranges are unchanged. */
const keepsOthers = (
  original: Uint8Array,
  muted: Uint8Array,
  layout: WavLayout,
  begin: number,
  end: number,
  spans: ChannelRanges
): boolean => {
  const width = layout.bytesPerSample
  const block = width * layout.channels
  return spans.every((list, channel) => {
    let frame = begin
    const isKept = (to: number): boolean => {
      for (; frame < to; frame++) {
        const at = layout.offset + frame * block + channel * width
        for (let i = at; i < at + width; i++) if (original[i] !== muted[i]) return false
      }
      return true
    }
    for (const { from, to } of list) {
      if (to <= begin || from >= end) continue
      if (!isKept(Math.max(begin, from))) return false
      frame = to
    }
    return isKept(end)
  })
}
