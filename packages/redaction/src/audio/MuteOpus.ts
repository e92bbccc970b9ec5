import { byteAt, joinBytes, viewOf } from "./Bytes.js"
import { type AudioRange, mergeRanges } from "./MuteRanges.js"
import type { OpusLayout, OpusPacket, Page } from "./OggOpus.js"
import { pageChecksum, CONTINUED_PAGE, PAGE_HEADER_BYTES } from "./OggPage.js"

/** Extra samples of silence on either side, for decoders to settle: 20 ms. */
const SETTLING = 960

export interface OpusMuting {
  /** Which packets to replace. */
  readonly replaced: Uint8Array
  /** Which of them must decode to silence in every sample; the others lead in and out. */
  readonly silent: Uint8Array
}

/**
 * The packets that hold a sample of the ranges on either clock, plus 20 ms and at least one packet on both sides: the one
 * before gives the decoder time to fall silent, and the one after may repeat the last one's sound (in-band error
 * correction).
 */
export const mutedPackets = (layout: OpusLayout, spans: ReadonlyArray<AudioRange>): OpusMuting => {
  const count = layout.packets.length
  const replaced = new Uint8Array(count)
  const silent = new Uint8Array(count)
  for (const clock of ["position", "granule"] as const) {
    let next = 0
    const reached = spans.map(({ from, to }) => ({ from: from + layout.preSkip, to: to + layout.preSkip }))
    layout.packets.forEach((packet, i) => {
      const from = packet[clock]
      const to = from + packet.samples
      // Packet times increase, so a range that ended far enough before this packet is finished.
      while (next < reached.length && (reached[next]?.to ?? 0) + SETTLING <= from) next++
      for (let j = next; j < reached.length && (reached[j]?.from ?? 0) - SETTLING < to; j++) {
        const span = reached[j]
        if (span === undefined) continue
        replaced[i] = 1
        if (span.from < to && from < span.to) silent[i] = 1
      }
    })
  }
  // A packet of up to 120 ms may fill the whole margin, so one more on each side of every silent one is replaced.
  for (let i = 0; i < count; i++) {
    if (silent[i] !== 1) continue
    if (i > 0) replaced[i - 1] = 1
    if (i + 1 < count) replaced[i + 1] = 1
  }
  return { replaced, silent }
}

/**
 * A packet of silence with the same duration: frames of the CELT layer whose first bit says "silence", the same for
 * every muted packet of a duration, so that packet sizes reveal nothing about the speech (RFC 6716, 4.3).
 */
export const silentPacket = (packet: OpusPacket): Uint8Array => {
  const size = [960, 480, 240, 120].find((samples) => packet.samples % samples === 0) ?? 120
  const frames = packet.samples / size
  const config = 28 + Math.log2(size / 120)
  const toc = (config << 3) | (packet.toc & 0x04)
  const frame = [0xff, 0xfe]
  return frames === 1
    ? Uint8Array.from([toc, ...frame])
    : Uint8Array.from([toc | 3, frames, ...Array.from({ length: frames }, () => frame).flat()])
}

/**
 * A copy in which the named packets are silent. Their pages get new lacing and checksums; page numbers, granule
 * positions and every other packet stay. A truncated last page is dropped: it may hold sound.
 */
export const muteOpus = (bytes: Uint8Array, layout: OpusLayout, replaced: Uint8Array): Uint8Array => {
  const parts: Array<Uint8Array> = []
  let kept = 0
  for (const page of layout.pages) {
    if (!page.pieces.some(({ packet }) => replaced[packet] === 1)) continue
    parts.push(bytes.subarray(kept, page.offset), mutePage(bytes, layout, page, replaced))
    kept = page.offset + page.length
  }
  parts.push(bytes.subarray(kept, layout.end))
  return joinBytes(parts)
}

const mutePage = (bytes: Uint8Array, layout: OpusLayout, page: Page, replaced: Uint8Array): Uint8Array => {
  const lacing: Array<number> = []
  const bodies: Array<Uint8Array> = []
  for (const piece of page.pieces) {
    const packet = layout.packets[piece.packet]
    if (packet === undefined || replaced[piece.packet] !== 1) {
      const length = piece.to - piece.from
      for (let left = length; left >= 255; left -= 255) lacing.push(255)
      if (piece.isLast) lacing.push(length % 255)
      bodies.push(bytes.subarray(piece.from, piece.to))
    } else if (piece.isLast) {
      // On the page where the old one ended, so that this page's granule position still states its end.
      const silence = packet.bytes === 0 ? new Uint8Array(0) : silentPacket(packet)
      lacing.push(silence.length)
      bodies.push(silence)
    }
  }
  const body = bodies.reduce((sum, part) => sum + part.length, 0)
  const muted = new Uint8Array(PAGE_HEADER_BYTES + lacing.length + body)
  muted.set(bytes.subarray(page.offset, page.offset + PAGE_HEADER_BYTES))
  const first = page.pieces[0]
  if (first !== undefined && replaced[first.packet] === 1) muted[5] = byteAt(muted, 5) & ~CONTINUED_PAGE
  muted[26] = lacing.length
  muted.set(lacing, PAGE_HEADER_BYTES)
  let at = PAGE_HEADER_BYTES + lacing.length
  for (const part of bodies) {
    muted.set(part, at)
    at += part.length
  }
  viewOf(muted).setUint32(22, pageChecksum(muted, 0, muted.length), true)
  return muted
}

/** Joins consecutive replaced packets into runs of packet positions. */
export const runsOf = (flags: Uint8Array): ReadonlyArray<AudioRange> =>
  mergeRanges(Array.from(flags, (flag, i) => (flag === 0 ? { from: i, to: i } : { from: i, to: i + 1 })))
