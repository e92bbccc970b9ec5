import * as Either from "effect/Either"
import { type AudioError, MalformedAudio, UnsupportedAudio } from "./AudioErrors.js"
import { byteAt, hasText, sameBytes, viewOf } from "./Bytes.js"
import { mergeRanges, type AudioRange } from "./MuteRanges.js"

/** The clock of every Opus stream. */
export const OPUS_RATE = 48_000

/** A part of a packet on one page; a packet that crosses a page's end has one on each. */
interface Piece {
  readonly packet: number
  readonly from: number
  readonly to: number
  readonly isLast: boolean
}

interface Page {
  readonly offset: number
  readonly length: number
  readonly bodyOffset: number
  readonly pieces: ReadonlyArray<Piece>
}

/** A packet of sound. Times are samples at 48 kHz since the first sample of the decoder's output, pre-skip included. */
export interface OpusPacket {
  /** Its bytes in the file, one range per page. */
  readonly spans: ReadonlyArray<AudioRange>
  readonly bytes: number
  readonly toc: number
  readonly samples: number
  /** Its start when packets are decoded in sequence. */
  readonly position: number
  /** Its start by the pages' granule positions, which account for gaps in the stream. */
  readonly granule: number
}

/** One Opus stream in an Ogg file (RFC 3533, 6716, 7845). */
export interface OpusLayout {
  readonly channels: number
  readonly preSkip: number
  readonly pages: ReadonlyArray<Page>
  /** The packets of sound, without headers. Pieces refer to them by index, and to headers by negative numbers. */
  readonly packets: ReadonlyArray<OpusPacket>
  /** Bytes of complete pages; a truncated last page, which decoders ignore, follows them. */
  readonly end: number
  /** Audible samples at 48 kHz: without the pre-skip and the end trimmed by the last page. */
  readonly length: number
  /** Samples at 48 kHz to the end of the longer clock; ranges are clipped to it. */
  readonly reach: number
}

const malformed = (reason: string): MalformedAudio => new MalformedAudio({ format: "opus", reason })

export const isOgg = (bytes: Uint8Array): boolean => hasText(bytes, 0, "OggS")

const HEADER = 27
const CONTINUED = 1
const FIRST = 2
const LAST = 4

/** Samples at 48 kHz in a packet; undefined if its first bytes are invalid (RFC 6716, 3.1 and 3.2). */
const packetSamples = (bytes: Uint8Array, first: AudioRange, second: AudioRange | undefined): number | undefined => {
  const toc = byteAt(bytes, first.from)
  const config = toc >> 3
  const frame =
    config < 12
      ? [480, 960, 1920, 2880][config & 3]
      : config < 16
        ? [480, 960][config & 1]
        : [120, 240, 480, 960][config & 3]
  const countAt = first.to - first.from > 1 ? first.from + 1 : second?.from
  const code = toc & 3
  const count = code === 0 ? 1 : code < 3 ? 2 : countAt === undefined ? 0 : byteAt(bytes, countAt) & 0x3f
  const samples = (frame ?? 0) * count
  return samples > 0 && samples <= 5760 ? samples : undefined
}

interface Head {
  readonly channels: number
  readonly preSkip: number
}

/** A page with sound: which packets end on it, its granule position, and whether it is the last. */
interface PageEnd {
  readonly first: number
  readonly to: number
  readonly granule: number
  readonly isLast: boolean
}

/** Bytes of the page that starts at an offset; undefined where the file ends within it. */
const pageLength = (bytes: Uint8Array, at: number): number | undefined => {
  const segments = byteAt(bytes, at + 26)
  if (at + HEADER + segments > bytes.length) return undefined
  let length = HEADER + segments
  for (let i = 0; i < segments; i++) length += byteAt(bytes, at + HEADER + i)
  return at + length > bytes.length ? undefined : length
}

/** Assembles the packets of one stream from its pages. */
class OpusReader {
  readonly #view: DataView
  readonly #pages: Array<Page> = []
  readonly #packetRanges: Array<Array<AudioRange>> = []
  readonly #ends: Array<PageEnd> = []
  #serial: number | undefined
  #head: Head | undefined
  /** Whether the last packet continues on the next page. */
  #open = false
  /** The packet that is being read; the two headers are -2 and -1. */
  #packet = -2

  constructor(readonly bytes: Uint8Array) {
    this.#view = viewOf(bytes)
  }

  /** Adds a complete page; returns why it cannot belong to this stream. */
  addPage(at: number, length: number): AudioError | undefined {
    const error = this.#pageError(at, length)
    if (error !== undefined) return error
    this.#serial = this.#view.getUint32(at + 14, true)
    const firstPacket = this.#packet
    const pieces = this.#piecesOf(at)
    if (Either.isLeft(pieces)) return pieces.left
    const segments = byteAt(this.bytes, at + 26)
    this.#pages.push({ offset: at, length, bodyOffset: at + HEADER + segments, pieces: pieces.right })
    if (this.#packet > 0 && this.#packet > firstPacket)
      this.#ends.push({
        first: Math.max(0, firstPacket),
        to: this.#packet,
        granule: readGranule(this.#view, at + 6),
        isLast: (byteAt(this.bytes, at + 5) & LAST) !== 0
      })
    return undefined
  }

  #pageError(at: number, length: number): AudioError | undefined {
    const flags = byteAt(this.bytes, at + 5)
    const isOther = this.#view.getUint32(at + 14, true) !== this.#serial || (flags & FIRST) !== 0
    if (this.#serial !== undefined && isOther) return new UnsupportedAudio({ reason: "Ogg with more than one stream" })
    if (checksum(this.bytes, at, at + length) !== this.#view.getUint32(at + 22, true))
      return malformed("a page whose checksum is wrong")
    const isContinued = (flags & CONTINUED) !== 0
    return isContinued !== this.#open && byteAt(this.bytes, at + 26) > 0
      ? malformed("a packet without its end")
      : undefined
  }

  /** The parts of packets on a page. */
  #piecesOf(at: number): Either.Either<ReadonlyArray<Piece>, AudioError> {
    const pieces: Array<Piece> = []
    const segments = byteAt(this.bytes, at + 26)
    let from = at + HEADER + segments
    let to = from
    for (let i = 0; i < segments; i++) {
      const lacing = byteAt(this.bytes, at + HEADER + i)
      to += lacing
      if (lacing === 255 && i < segments - 1) continue
      const piece = { packet: this.#packet, from, to, isLast: lacing < 255 }
      const error = this.#addPiece(piece)
      if (error !== undefined) return Either.left(error)
      pieces.push(piece)
      from = to
    }
    return Either.right(pieces)
  }

  #addPiece(piece: Piece): AudioError | undefined {
    if (this.#packet >= 0) (this.#packetRanges[this.#packet] ??= []).push(piece)
    if (this.#packet === -2 && piece.isLast) {
      const head = readHead(this.bytes, piece.from, piece.to)
      if (Either.isLeft(head)) return head.left
      this.#head = head.right
    }
    if (piece.isLast) this.#packet++
    this.#open = !piece.isLast
    return undefined
  }

  /** The samples of every packet. */
  #durations(): Either.Either<ReadonlyArray<number>, AudioError> {
    const durations: Array<number> = []
    for (let i = 0; i < this.#packet; i++) {
      const [first, second] = (this.#packetRanges[i] ?? []).filter((range) => range.from < range.to)
      const samples = first === undefined ? 0 : packetSamples(this.bytes, first, second)
      if (samples === undefined) return Either.left(malformed("a packet that is no Opus"))
      durations.push(samples)
    }
    return Either.right(durations)
  }

  /** The contents of all pages; `end` is the offset after the last complete one. */
  layout(end: number): Either.Either<OpusLayout, AudioError> {
    const head = this.#head
    if (head === undefined) return Either.left(malformed("no header"))
    return Either.map(this.#durations(), (durations) => {
      const clock = byGranules(durations, this.#ends)
      const packets: Array<OpusPacket> = []
      let position = 0
      for (const [i, samples] of durations.entries()) {
        const spans = this.#packetRanges[i] ?? []
        const size = spans.reduce((sum, span) => sum + span.to - span.from, 0)
        const toc = byteAt(this.bytes, spans.find((span) => span.from < span.to)?.from ?? -1)
        packets.push({ spans, bytes: size, toc, samples, position, granule: clock.starts[i] ?? position })
        position += samples
      }
      return {
        ...head,
        pages: this.#pages,
        packets,
        end,
        length: Math.max(0, Math.min(position, clock.audibleEnd) - head.preSkip),
        reach: Math.max(position, clock.end)
      }
    })
  }
}

/**
 * Reads pages and packets. Anything that a player would skip or guess (a wrong checksum, bytes between pages, an
 * incomplete packet) is an error, because players then differ; only a truncated last page is ignored.
 */
export const parseOpus = (bytes: Uint8Array): Either.Either<OpusLayout, AudioError> => {
  const reader = new OpusReader(bytes)
  let hasEnded = false
  let at = 0
  while (at + HEADER <= bytes.length) {
    if (!hasText(bytes, at, "OggS") || bytes[at + 4] !== 0) {
      if (hasEnded) break
      return Either.left(malformed("bytes between the pages"))
    }
    const length = pageLength(bytes, at)
    if (length === undefined) break
    const error = reader.addPage(at, length)
    if (error !== undefined) return Either.left(error)
    hasEnded ||= (byteAt(bytes, at + 5) & LAST) !== 0
    at += length
  }
  return reader.layout(at)
}

const readHead = (bytes: Uint8Array, from: number, to: number): Either.Either<Head, AudioError> => {
  if (!hasText(bytes, from, "OpusHead")) return Either.left(new UnsupportedAudio({ reason: "Ogg that holds no Opus" }))
  if (to - from < 19 || byteAt(bytes, from + 8) >> 4 !== 0) return Either.left(malformed("a header of an unknown kind"))
  const channels = byteAt(bytes, from + 9)
  if (byteAt(bytes, from + 18) !== 0)
    return Either.left(new UnsupportedAudio({ reason: "Opus with a channel mapping" }))
  if (channels !== 1 && channels !== 2) return Either.left(malformed(`${channels} channels`))
  return Either.right({ channels, preSkip: byteAt(bytes, from + 10) | (byteAt(bytes, from + 11) << 8) })
}

/** A page's granule position as a number; negative if no packet ends on it. Loses precision beyond 2^53. */
const readGranule = (view: DataView, at: number): number =>
  view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true)

/**
 * Places packets on the clock of the granule positions, which starts with the first packet and ends at `end`. Samples from
 * `audibleEnd` on are trimmed by the last page.
 */
const byGranules = (
  durations: ReadonlyArray<number>,
  pages: ReadonlyArray<{
    readonly first: number
    readonly to: number
    readonly granule: number
    readonly isLast: boolean
  }>
): { readonly starts: ReadonlyArray<number>; readonly end: number; readonly audibleEnd: number } => {
  const starts: Array<number> = []
  let clock = 0
  let audibleEnd: number | undefined
  let origin: number | undefined
  for (const page of pages) {
    let samples = 0
    for (let i = page.first; i < page.to; i++) samples += durations[i] ?? 0
    const stated = page.granule < 0 ? undefined : page.granule
    // A last page that states less than it holds is trimmed at its end; any other first page defines the clock's start.
    origin ??= stated === undefined || page.isLast ? 0 : stated - samples
    // A gap, if any, is before the page's packets.
    if (stated !== undefined) clock = Math.max(clock, stated - origin - samples)
    for (let i = page.first; i < page.to; i++) {
      starts.push(clock)
      clock += durations[i] ?? 0
    }
    if (page.isLast && stated !== undefined) audibleEnd = Math.min(clock, Math.max(0, stated - origin))
  }
  return { starts, end: clock, audibleEnd: audibleEnd ?? clock }
}

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
const silentPacket = (packet: OpusPacket): Uint8Array => {
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
  const muted = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    muted.set(part, at)
    at += part.length
  }
  return muted
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
  const muted = new Uint8Array(HEADER + lacing.length + body)
  muted.set(bytes.subarray(page.offset, page.offset + HEADER))
  const first = page.pieces[0]
  if (first !== undefined && replaced[first.packet] === 1) muted[5] = byteAt(muted, 5) & ~CONTINUED
  muted[26] = lacing.length
  muted.set(lacing, HEADER)
  let at = HEADER + lacing.length
  for (const part of bodies) {
    muted.set(part, at)
    at += part.length
  }
  viewOf(muted).setUint32(22, checksum(muted, 0, muted.length), true)
  return muted
}

/** The page checksum of RFC 3533: CRC-32, polynomial 0x04c11db7, not reflected, its own field taken as zeros. */
const checksum = (bytes: Uint8Array, from: number, to: number): number => {
  let crc = 0
  for (let i = from; i < to; i++) {
    const byte = i >= from + 22 && i < from + 26 ? 0 : byteAt(bytes, i)
    crc = ((crc << 8) ^ (CHECKSUMS[(crc >>> 24) ^ byte] ?? 0)) >>> 0
  }
  return crc
}

const CHECKSUMS = Uint32Array.from({ length: 256 }, (_, i) => {
  let crc = i << 24
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000_0000 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1
  return crc >>> 0
})

/** The bytes of a packet. */
export const packetBytes = (bytes: Uint8Array, packet: OpusPacket): Uint8Array => {
  const [only] = packet.spans
  if (packet.spans.length === 1 && only !== undefined) return bytes.subarray(only.from, only.to)
  const joined = new Uint8Array(packet.bytes)
  let at = 0
  for (const { from, to } of packet.spans) {
    joined.set(bytes.subarray(from, to), at)
    at += to - from
  }
  return joined
}

/**
 * Why a muted Opus file fails verification without decoding, or undefined: it must have the same number of packets with
 * the same durations and times; replaced ones are silent packets, all others are unchanged, headers included.
 */
export const opusObjection = (
  original: Uint8Array,
  before: OpusLayout,
  muted: Uint8Array,
  replaced: Uint8Array
): string | undefined => {
  const parsed = parseOpus(muted)
  if (Either.isLeft(parsed)) return "it no longer parses"
  const after = parsed.right
  if (after.packets.length !== before.packets.length || after.length !== before.length) return "its packets changed"
  const sound = before.pages.findIndex(({ pieces }) => pieces.some(({ packet }) => packet >= 0))
  const headers = sound < 0 ? before.end : (before.pages[sound]?.offset ?? 0)
  if (!sameBytes(original, muted, 0, headers)) return "its headers changed"
  for (let i = 0; i < before.packets.length; i++) {
    const old = before.packets[i]
    const now = after.packets[i]
    if (old === undefined || now === undefined) return "its packets changed"
    if (now.samples !== old.samples || now.position !== old.position || now.granule !== old.granule) {
      return `packet ${i} moved`
    }
    const wanted = replaced[i] === 1 && old.bytes > 0 ? silentPacket(old) : packetBytes(original, old)
    if (Buffer.compare(wanted, packetBytes(muted, now)) !== 0) return `packet ${i} is not what it has to be`
  }
  return undefined
}

/** Joins consecutive replaced packets into runs of packet positions. */
export const runsOf = (flags: Uint8Array): ReadonlyArray<AudioRange> =>
  mergeRanges(Array.from(flags, (flag, i) => (flag === 0 ? { from: i, to: i } : { from: i, to: i + 1 })))
