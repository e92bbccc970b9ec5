import { byteAt, readBits, writeBits } from "./Bytes.js"
import { type AudioRange, type ChannelRanges, mergeRanges } from "./MuteRanges.js"
import type { Mp3Layout } from "./Mp3.js"
import { type Frame, frameAt } from "./Mp3Frame.js"
import { hasChecksum, headLength, sideOffset } from "./Mp3Header.js"

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
