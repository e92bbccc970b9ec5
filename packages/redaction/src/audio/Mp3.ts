import * as Either from "effect/Either"
import { type AudioError, MalformedAudio, UnsupportedAudio } from "./AudioErrors.js"
import { byteAt, hasText, readBits } from "./Bytes.js"
import { frameSize, hasChecksum, headLength, isAlike, isMono, sampleRateAt, samplesPerFrameAt } from "./Mp3Header.js"

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
  /** Offset of the first frame, the information frame included. */
  readonly first: number
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
    first,
    start: info === undefined ? behindId3(bytes) : first + frameSize(bytes, first),
    hasInfoFrame: info !== undefined,
    isCut,
    delay: info?.delay ?? 0,
    trailing: info?.trailing ?? 0
  })
}

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
