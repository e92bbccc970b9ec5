import * as Either from "effect/Either"
import { type AudioError, MalformedAudio, UnsupportedAudio } from "./AudioErrors.js"
import { byteAt, hasText, readBits, sameBytes, writeBits } from "./Bytes.js"
import { type ChannelRanges, mergeRanges, type AudioRange } from "./MuteRanges.js"

/**
 * The frames of an MPEG audio Layer III stream (ISO/IEC 11172-3, 13818-3, and the unofficial MPEG 2.5), without the
 * Xing, Info or VBRI frame at its start, which holds no sound.
 */
export interface Mp3Layout {
  readonly sampleRate: number
  readonly channels: number
  /** Samples a frame and channel: 1152 in MPEG 1, 576 in MPEG 2 and 2.5. */
  readonly samplesPerFrame: number
  /** Offset of each frame's header. */
  readonly offsets: ReadonlyArray<number>
  /** Bytes of each frame, header included; the last frame may be truncated. */
  readonly sizes: ReadonlyArray<number>
  /** Position of each frame's own main data in the stream that all frames' main data form (the bit reservoir). */
  readonly positions: ReadonlyArray<number>
  /** Length of that stream. */
  readonly mainLength: number
  /** Offset from which frames may start: after any ID3v2 tag and the information frame. */
  readonly start: number
  readonly hasInfoFrame: boolean
  /** Whether the last frame is truncated, so that decoders skip it. */
  readonly isCut: boolean
  /** Sample frames that the encoder added at the start and the end, if the file states them (LAME tag). */
  readonly delay: number
  readonly trailing: number
}

const malformed = (reason: string): MalformedAudio => new MalformedAudio({ format: "mp3", reason })

const MPEG1 = 3
const BIT_RATES_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const BIT_RATES_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
const SAMPLE_RATES = [44_100, 48_000, 32_000]

/** Bytes of the frame whose header is at this offset; 0 without a Layer III header. The free format is not supported. */
const frameSize = (bytes: Uint8Array, at: number): number => {
  if (bytes[at] !== 0xff || at + 4 > bytes.length) return 0
  const second = byteAt(bytes, at + 1)
  const third = byteAt(bytes, at + 2)
  // Sync, Layer III, and no reserved version.
  if ((second & 0xe6) !== 0xe2 || (second & 0x18) === 0x08) return 0
  const isMpeg1 = ((second >> 3) & 3) === MPEG1
  const bitRate = (isMpeg1 ? BIT_RATES_1 : BIT_RATES_2)[third >> 4] ?? 0
  const sampleRate = sampleRateAt(bytes, at)
  if (bitRate === 0 || sampleRate === 0) return 0
  return Math.floor(((isMpeg1 ? 144_000 : 72_000) * bitRate) / sampleRate) + ((third >> 1) & 1)
}

const sampleRateAt = (bytes: Uint8Array, at: number): number => {
  const version = (byteAt(bytes, at + 1) >> 3) & 3
  const base = SAMPLE_RATES[(byteAt(bytes, at + 2) >> 2) & 3] ?? 0
  return version === MPEG1 ? base : version === 2 ? base / 2 : base / 4
}

/** Whether two headers may be of one stream: the same version, layer and sample rate. */
const isAlike = (bytes: Uint8Array, a: number, b: number): boolean =>
  ((byteAt(bytes, a + 1) ^ byteAt(bytes, b + 1)) & 0xfe) === 0 &&
  ((byteAt(bytes, a + 2) ^ byteAt(bytes, b + 2)) & 0x0c) === 0

const isMono = (bytes: Uint8Array, at: number): boolean => byteAt(bytes, at + 3) >> 6 === 3

/** Bytes of header, checksum and side information: what comes before a frame's main data. */
const headLength = (bytes: Uint8Array, at: number): number => {
  const isMpeg1 = ((byteAt(bytes, at + 1) >> 3) & 3) === MPEG1
  const side = isMpeg1 ? (isMono(bytes, at) ? 17 : 32) : isMono(bytes, at) ? 9 : 17
  return sideOffset(bytes, at) - at + side
}

const hasChecksum = (bytes: Uint8Array, at: number): boolean => (byteAt(bytes, at + 1) & 1) === 0

const sideOffset = (bytes: Uint8Array, at: number): number => at + (hasChecksum(bytes, at) ? 6 : 4)

/** Consecutive frames that must fit for a sync pattern to count as a frame. */
const CHAIN = 3

/**
 * Whether three frames of one stream follow each other, or at least `least` of them up to the end of the file or a tag at
 * its end.
 */
const isChain = (bytes: Uint8Array, start: number, least: number): boolean => {
  let at = start
  for (let i = 0; i < CHAIN; i++) {
    const size = frameSize(bytes, at)
    if (size === 0 || !isAlike(bytes, start, at)) return i >= least && (at >= bytes.length || isTrailingTag(bytes, at))
    at += size
  }
  return true
}

const isTrailingTag = (bytes: Uint8Array, at: number): boolean =>
  hasText(bytes, at, "TAG") || hasText(bytes, at, "APETAGEX") || hasText(bytes, at, "LYRICSBEGIN")

/** Offset after any ID3v2 tags at the start (sizes are four times seven bits). */
const behindId3 = (bytes: Uint8Array): number => {
  let at = 0
  while (hasText(bytes, at, "ID3") && at + 10 <= bytes.length) {
    const size = [6, 7, 8, 9].reduce((sum, i) => sum * 128 + (byteAt(bytes, at + i) & 0x7f), 0)
    const footer = (byteAt(bytes, at + 5) & 0x10) === 0 ? 0 : 10
    at += 10 + size + footer
  }
  return at
}

/** Bytes after the tags that are searched for the first frame. */
const SYNC_LIMIT = 65_536

const firstFrame = (bytes: Uint8Array): number => {
  const start = behindId3(bytes)
  for (let at = start; at < Math.min(bytes.length, start + SYNC_LIMIT); at++) {
    if (bytes[at] === 0xff && isChain(bytes, at, 2)) return at
  }
  return -1
}

/** Whether bytes hold an MPEG Layer III stream: consecutive frames after tags and a few other bytes. */
export const isMp3 = (bytes: Uint8Array): boolean => firstFrame(bytes) >= 0

/** Bytes tolerated between frames; with more, decoders differ. */
const MAX_GAPS = 65_536

/** Finds every frame. A stream that changes its version or sample rate is rejected: its clock is unknown. */
export const parseMp3 = (bytes: Uint8Array): Either.Either<Mp3Layout, AudioError> => {
  const first = firstFrame(bytes)
  if (first < 0) return Either.left(malformed("no frames"))
  const info = readInfoFrame(bytes, first)
  const offsets: Array<number> = []
  const sizes: Array<number> = []
  const positions: Array<number> = []
  let mainLength = 0
  let gaps = 0
  let channels = 0
  let isCut = false
  let at = info === undefined ? first : first + frameSize(bytes, first)
  while (at < bytes.length) {
    const size = frameSize(bytes, at)
    if (size !== 0 && isAlike(bytes, first, at)) {
      const held = Math.min(size, bytes.length - at)
      isCut = held < size
      channels = Math.max(channels, isMono(bytes, at) ? 1 : 2)
      offsets.push(at)
      sizes.push(held)
      positions.push(mainLength)
      mainLength += Math.max(0, held - headLength(bytes, at))
      at += size
      continue
    }
    let next = at + 1
    while (next < bytes.length && !(bytes[next] === 0xff && isChain(bytes, next, 1))) next++
    if (next >= bytes.length) break
    if (!isAlike(bytes, first, next)) {
      return Either.left(new UnsupportedAudio({ reason: "MP3 whose sample rate or version changes on the way" }))
    }
    gaps += next - at
    if (gaps > MAX_GAPS) return Either.left(malformed("too much between the frames"))
    at = next
  }
  if (offsets.length === 0) return Either.left(malformed("no frames of sound"))
  return Either.right({
    sampleRate: sampleRateAt(bytes, first),
    channels,
    samplesPerFrame: samplesPerFrameAt(bytes, first),
    offsets,
    sizes,
    positions,
    mainLength,
    start: info === undefined ? behindId3(bytes) : first + frameSize(bytes, first),
    hasInfoFrame: info !== undefined,
    isCut,
    delay: info?.delay ?? 0,
    trailing: info?.trailing ?? 0
  })
}

const samplesPerFrameAt = (bytes: Uint8Array, at: number): number =>
  ((byteAt(bytes, at + 1) >> 3) & 3) === MPEG1 ? 1152 : 576

/** The information frame of Xing and LAME (with the encoder's delay where it has one) or of Fraunhofer. */
const readInfoFrame = (
  bytes: Uint8Array,
  at: number
): { readonly delay: number; readonly trailing: number } | undefined => {
  // Some writers omit the checksum and others leave room for it: both offsets are tried.
  for (const tag of [at + headLength(bytes, at), at + headLength(bytes, at) - (hasChecksum(bytes, at) ? 2 : 0)]) {
    if (hasText(bytes, tag, "Xing") || hasText(bytes, tag, "Info")) {
      const flags = byteAt(bytes, tag + 7)
      const lame = tag + 8 + (flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0)
      const hasDelay = hasText(bytes, lame, "LAME") || hasText(bytes, lame, "Lavc") || hasText(bytes, lame, "Lavf")
      return hasDelay && lame + 24 <= bytes.length
        ? { delay: readBits(bytes, (lame + 21) * 8, 12), trailing: readBits(bytes, (lame + 21) * 8 + 12, 12) }
        : { delay: 0, trailing: 0 }
    }
  }
  return hasText(bytes, at + 36, "VBRI") ? { delay: 0, trailing: 0 } : undefined
}

/** Seconds of sound, without the encoder's stated additions. */
export const mp3Duration = (layout: Mp3Layout): number => {
  const samples = (layout.offsets.length - (layout.isCut ? 1 : 0)) * layout.samplesPerFrame
  const added = layout.delay + layout.trailing
  return (added < samples ? samples - added : samples) / layout.sampleRate
}

/** Length of a layout in sample frames, the encoder's additions included; ranges are cut to it. */
export const mp3Length = (layout: Mp3Layout): number => layout.offsets.length * layout.samplesPerFrame

/** Samples that every Layer III decoder adds to the encoder's delay: 528 + 1. */
const DECODER_DELAY = 529
/** Delay of encoders that do not state theirs (LAME's; others have up to 1105, the decoder's included). */
const ENCODER_DELAY = 576
/** Earlier samples that a sample depends on: one granule of overlapping transforms and the synthesis window of 512. */
const REACH = 576 + 512

/**
 * How much later than its word time a sound can occur, in samples. Players that honor the LAME tag remove the delay,
 * others play it, and some play the information frame as silence; a range covers all of these.
 */
export const mp3Lateness = (layout: Mp3Layout): number =>
  Math.max(layout.delay, ENCODER_DELAY) + DECODER_DELAY + (layout.hasInfoFrame ? layout.samplesPerFrame : 0)

/** Flags of every frame to mute: one bit per channel. */
export const mutedFrames = (layout: Mp3Layout, spans: ChannelRanges): Uint8Array => {
  const flags = new Uint8Array(layout.offsets.length)
  const per = layout.samplesPerFrame
  spans.forEach((list, channel) => {
    for (const { from, to } of list) {
      const last = Math.min(flags.length - 1, Math.floor((to + mp3Lateness(layout)) / per))
      for (let frame = Math.max(0, Math.floor((from - REACH) / per)); frame <= last; frame++) {
        flags[frame] = byteAt(flags, frame) | (spans.length === 1 ? 3 : 1 << channel)
      }
    }
  })
  return flags
}

interface Granule {
  /** Bit offset of the granule's and channel's side information. */
  readonly side: number
  readonly channel: number
  /** Bits of its main data. */
  readonly length: number
}

interface Frame {
  readonly at: number
  readonly isMpeg1: boolean
  readonly isMono: boolean
  /** Whether left and right are coded independently, so that one can be muted alone. */
  readonly isSplit: boolean
  readonly granules: ReadonlyArray<Granule>
  /** Where its main data begins and ends in the stream of main data; it may begin before its own frame. */
  readonly from: number
  readonly to: number
}

const PART_LENGTH_BITS = 12

const frameAt = (bytes: Uint8Array, layout: Mp3Layout, index: number): Frame => {
  const at = layout.offsets[index] ?? 0
  const isMpeg1 = ((byteAt(bytes, at + 1) >> 3) & 3) === MPEG1
  const mono = isMono(bytes, at)
  const mode = byteAt(bytes, at + 3) >> 6
  const channels = mono ? 1 : 2
  const side = sideOffset(bytes, at) * 8
  const begin = readBits(bytes, side, isMpeg1 ? 9 : 8)
  const width = isMpeg1 ? 59 : 63
  const start = side + granulesStart(isMpeg1, mono)
  const granules: Array<Granule> = []
  let bits = 0
  for (let i = 0; i < (isMpeg1 ? 2 : 1) * channels; i++) {
    const length = readBits(bytes, start + i * width, PART_LENGTH_BITS)
    granules.push({ side: start + i * width, channel: i % channels, length })
    bits += length
  }
  const from = (layout.positions[index] ?? 0) - begin
  return {
    at,
    isMpeg1,
    isMono: mono,
    isSplit: !mono && (mode !== 1 || (byteAt(bytes, at + 3) & 0x30) === 0),
    granules,
    from,
    to: from + Math.ceil(bits / 8)
  }
}

/** Bits of side information before the first granule: main_data_begin, private bits, scfsi. */
const granulesStart = (isMpeg1: boolean, mono: boolean): number =>
  isMpeg1 ? (mono ? 9 + 5 + 4 : 9 + 3 + 8) : mono ? 8 + 1 : 8 + 2

export interface MutedMp3 {
  readonly bytes: Uint8Array
  /** The bytes that may differ from the original, as offsets. */
  readonly touched: ReadonlyArray<AudioRange>
  /** Frames in which both channels were muted although only one was requested. */
  readonly widened: number
}

/** Offset of a frame's end in the file; for the frame before the first, the start of the first one. */
const frameEnd = (layout: Mp3Layout, index: number): number =>
  index < 0 ? layout.start : (layout.offsets[index] ?? 0) + (layout.sizes[index] ?? 0)

/** End of a frame's main data, including the bytes up to the next frame's main data. */
const mainEnd = (bytes: Uint8Array, layout: Mp3Layout, index: number): number => {
  const isLast = index + 1 >= layout.offsets.length
  const next = isLast ? layout.mainLength : frameAt(bytes, layout, index + 1).from
  return Math.min(layout.mainLength, Math.max(frameAt(bytes, layout, index).to, next))
}

/**
 * A copy in which the flagged frames are silent, without decoding: their side information gives every granule zero
 * bits, and their main data, wherever it is in the reservoir, is overwritten with zeros. Headers, frame
 * sizes and reservoir pointers stay, so the frames around them decode as before. One channel is muted alone if its frame
 * codes left and right independently; the other channel's bits are then packed to the front.
 */
export const muteMp3 = (bytes: Uint8Array, layout: Mp3Layout, flags: Uint8Array): MutedMp3 => {
  const muted = bytes.slice()
  const touched: Array<AudioRange> = []
  let widened = 0
  const touch = (from: number, to: number): void => {
    if (from < to) touched.push({ from, to })
  }
  for (let index = 0; index < layout.offsets.length; index++) {
    const flag = byteAt(flags, index)
    if (flag === 0) continue
    const frame = frameAt(bytes, layout, index)
    const end = frame.at + (layout.sizes[index] ?? 0)
    const headTo = frame.at + headLength(bytes, frame.at)
    const sideTo = Math.min(end, headTo)
    const isWhole = frame.from >= 0 && frame.to <= (layout.positions[index + 1] ?? layout.mainLength) && sideTo < end
    const only = frame.isSplit && isWhole ? flag : 3
    if (only !== flag) widened++
    const kept = only === 3 ? undefined : takeBits(bytes, layout, index, frame, only === 1 ? 1 : 0)

    silenceSide(muted, frame, only, sideOffset(bytes, frame.at), sideTo)
    if (sideTo === headTo) writeChecksum(muted, frame.at, sideTo)
    touch(frame.at + 4, sideTo)
    let taken = 0
    for (const { from, to } of mainSpans(
      bytes,
      layout,
      index,
      Math.max(0, frame.from),
      mainEnd(bytes, layout, index)
    )) {
      for (let at = from; at < to; at++) muted[at] = kept?.[taken++] ?? 0
      touch(from, to)
    }
    // Bytes between frames belong to none, but next to a muted frame they might be a broken copy of it.
    const before = frameEnd(layout, index - 1)
    const after = layout.offsets[index + 1] ?? end
    muted.fill(0, before, Math.max(before, frame.at))
    touch(before, frame.at)
    muted.fill(0, end, Math.max(end, after))
    touch(end, after)
  }
  return { bytes: muted, touched: mergeRanges(touched), widened }
}

/** Clears side information: all of it but main_data_begin, or the parts of the channels in `only`. */
const silenceSide = (muted: Uint8Array, frame: Frame, only: number, sideFrom: number, sideTo: number): void => {
  if (only === 3) {
    const begin = readBits(muted, sideFrom * 8, frame.isMpeg1 ? 9 : 8)
    muted.fill(0, sideFrom, sideTo)
    if (sideTo - sideFrom >= 2) writeBits(muted, sideFrom * 8, frame.isMpeg1 ? 9 : 8, begin)
    return
  }
  const channel = only === 1 ? 0 : 1
  if (frame.isMpeg1) writeBits(muted, sideFrom * 8 + 9 + 3 + channel * 4, 4, 0)
  for (const granule of frame.granules) {
    if (granule.channel !== channel) continue
    for (let bit = 0; bit < (frame.isMpeg1 ? 59 : 63); bit += 1) writeBits(muted, granule.side + bit, 1, 0)
  }
}

/** The main data of one channel of a frame, packed to the front. */
const takeBits = (bytes: Uint8Array, layout: Mp3Layout, index: number, frame: Frame, channel: number): Uint8Array => {
  const spans = mainSpans(bytes, layout, index, frame.from, frame.to)
  const main = Uint8Array.from(spans.flatMap(({ from, to }) => Array.from(bytes.subarray(from, to))))
  const packed = new Uint8Array(main.length)
  let read = 0
  let write = 0
  for (const granule of frame.granules) {
    if (granule.channel === channel) {
      for (let i = 0; i < granule.length; i++) writeBits(packed, write++, 1, readBits(main, read + i, 1))
    }
    read += granule.length
  }
  return packed
}

/** Offsets in the file of a part of the main-data stream; `index` is a frame that it belongs to. */
const mainSpans = (
  bytes: Uint8Array,
  layout: Mp3Layout,
  index: number,
  from: number,
  to: number
): ReadonlyArray<AudioRange> => {
  const spans: Array<AudioRange> = []
  let at = Math.min(index, layout.positions.length - 1)
  while (at > 0 && (layout.positions[at] ?? 0) > from) at--
  for (; at < layout.positions.length && (layout.positions[at] ?? 0) < to; at++) {
    const position = layout.positions[at] ?? 0
    const length = (layout.positions[at + 1] ?? layout.mainLength) - position
    const head = (layout.offsets[at] ?? 0) + headLength(bytes, layout.offsets[at] ?? 0)
    const begin = Math.max(0, from - position)
    const end = Math.min(length, to - position)
    if (begin < end) spans.push({ from: head + begin, to: head + end })
  }
  return spans
}

/** Recomputes the CRC-16 (polynomial 0x8005, start 0xffff) over the header's last two bytes and the side information. */
const writeChecksum = (muted: Uint8Array, at: number, sideTo: number): void => {
  if (!hasChecksum(muted, at)) return
  let crc = 0xffff
  const take = (byte: number): void => {
    for (let mask = 0x80; mask > 0; mask >>= 1) {
      const carry = ((crc & 0x8000) !== 0) !== ((byte & mask) !== 0)
      crc = (crc << 1) & 0xffff
      if (carry) crc ^= 0x8005
    }
  }
  take(byteAt(muted, at + 2))
  take(byteAt(muted, at + 3))
  for (let i = at + 6; i < sideTo; i++) take(byteAt(muted, i))
  writeBits(muted, (at + 4) * 8, 16, crc)
}

/** Whether a frame is empty: all of its side information except main_data_begin is zero. */
export const isEmptyFrame = (bytes: Uint8Array, layout: Mp3Layout, index: number): boolean => {
  const at = layout.offsets[index] ?? 0
  const end = Math.min(at + (layout.sizes[index] ?? 0), at + headLength(bytes, at))
  const isMpeg1 = layout.samplesPerFrame === 1152
  const side = sideOffset(bytes, at)
  if (isMpeg1 && (byteAt(bytes, side + 1) & 0x7f) !== 0) return false
  for (let i = side + (isMpeg1 ? 2 : 1); i < end; i++) if (bytes[i] !== 0) return false
  return true
}

/**
 * Why a muted MP3 fails verification without decoding, or undefined: it must have the same frames at the same offsets, no
 * bits in the granules of a muted channel, and no changed byte outside muted frames.
 */
export const mp3Objection = (
  original: Uint8Array,
  muted: Uint8Array,
  flags: Uint8Array,
  touched: ReadonlyArray<AudioRange>
): string | undefined => {
  const parsed = parseMp3(muted)
  if (Either.isLeft(parsed)) return "it no longer parses"
  const layout = parsed.right
  if (original.length !== muted.length || layout.offsets.length !== flags.length) return "its frames changed"
  let kept = 0
  for (const { from, to } of touched) {
    if (!sameBytes(original, muted, kept, from)) return "bytes outside the muted frames changed"
    kept = to
  }
  if (!sameBytes(original, muted, kept, muted.length)) return "bytes outside the muted frames changed"
  for (let index = 0; index < flags.length; index++) {
    const flag = byteAt(flags, index)
    if (flag === 0) continue
    const { granules } = frameAt(muted, layout, index)
    if (granules.some(({ channel, length }) => (flag & (1 << channel)) !== 0 && length !== 0)) {
      return `main data left in frame ${index}`
    }
  }
  return undefined
}
