import * as Either from "effect/Either"
import { type AudioError, MalformedAudio, UnsupportedAudio } from "./AudioErrors.js"
import { byteAt, hasText, viewOf } from "./Bytes.js"
import type { AudioRange } from "./MuteRanges.js"
import {
  pageChecksum,
  CONTINUED_PAGE,
  FIRST_PAGE,
  PAGE_HEADER_BYTES,
  LAST_PAGE,
  pageLength,
  readGranule
} from "./OggPage.js"

/** The clock of every Opus stream. */
export const OPUS_RATE = 48_000

/** A part of a packet on one page; a packet that crosses a page's end has one on each. */
interface Piece {
  readonly packet: number
  readonly from: number
  readonly to: number
  readonly isLast: boolean
}

export interface Page {
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
    this.#pages.push({ offset: at, length, bodyOffset: at + PAGE_HEADER_BYTES + segments, pieces: pieces.right })
    if (this.#packet > 0 && this.#packet > firstPacket)
      this.#ends.push({
        first: Math.max(0, firstPacket),
        to: this.#packet,
        granule: readGranule(this.#view, at + 6),
        isLast: (byteAt(this.bytes, at + 5) & LAST_PAGE) !== 0
      })
    return undefined
  }

  #pageError(at: number, length: number): AudioError | undefined {
    const flags = byteAt(this.bytes, at + 5)
    const isOther = this.#view.getUint32(at + 14, true) !== this.#serial || (flags & FIRST_PAGE) !== 0
    if (this.#serial !== undefined && isOther) return new UnsupportedAudio({ reason: "Ogg with more than one stream" })
    if (pageChecksum(this.bytes, at, at + length) !== this.#view.getUint32(at + 22, true))
      return malformed("a page whose checksum is wrong")
    const isContinued = (flags & CONTINUED_PAGE) !== 0
    return isContinued !== this.#open && byteAt(this.bytes, at + 26) > 0
      ? malformed("a packet without its end")
      : undefined
  }

  /** The parts of packets on a page. */
  #piecesOf(at: number): Either.Either<ReadonlyArray<Piece>, AudioError> {
    const pieces: Array<Piece> = []
    const segments = byteAt(this.bytes, at + 26)
    let from = at + PAGE_HEADER_BYTES + segments
    let to = from
    for (let i = 0; i < segments; i++) {
      const lacing = byteAt(this.bytes, at + PAGE_HEADER_BYTES + i)
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
  while (at + PAGE_HEADER_BYTES <= bytes.length) {
    if (!hasText(bytes, at, "OggS") || bytes[at + 4] !== 0) {
      if (hasEnded) break
      return Either.left(malformed("bytes between the pages"))
    }
    const length = pageLength(bytes, at)
    if (length === undefined) break
    const error = reader.addPage(at, length)
    if (error !== undefined) return Either.left(error)
    hasEnded ||= (byteAt(bytes, at + 5) & LAST_PAGE) !== 0
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
