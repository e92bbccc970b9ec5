/** Removes what an audio file holds besides sound: titles, comments, pictures, which can name people and numbers. */
import * as Either from "effect/Either"
import { type AudioError, MalformedAudio } from "./AudioErrors.js"
import { hasText, joinBytes, viewOf } from "./Bytes.js"
import type { Mp3Layout } from "./Mp3.js"
import type { AudioLayout } from "./MuteAudio.js"
import type { OpusLayout } from "./OggOpus.js"
import { PAGE_HEADER_BYTES, pageChecksum } from "./OggPage.js"
import type { WavLayout } from "./Wav.js"

/**
 * Audio with the same sound and without anything else: of WAV the format and the samples, of MP3 the frames (no ID3, APE or
 * Lyrics3 tag), of Opus the pages of sound behind an empty comment header. Returned as it is if there is nothing to
 * remove.
 */
export const withoutTags = (bytes: Uint8Array, audio: AudioLayout): Either.Either<Uint8Array, AudioError> => {
  switch (audio.format) {
    case "wav":
      return Either.right(wavWithoutTags(bytes, audio.layout))
    case "mp3":
      return Either.right(mp3WithoutTags(bytes, audio.layout))
    case "opus":
      return opusWithoutTags(bytes, audio.layout)
  }
}

const isSame = (bytes: Uint8Array, other: Uint8Array): boolean => Buffer.compare(bytes, other) === 0

/** The most bytes of a chunk that describes samples; the rest of a longer one is none of WAV's. */
const MAX_FORMAT = 40
const FACT_BYTES = 4

/** A chunk of a WAV file, padded to an even length. */
const chunk = (name: string, body: Uint8Array): Uint8Array => {
  const all = new Uint8Array(8 + body.length + (body.length & 1))
  all.set(Buffer.from(name, "latin1"))
  viewOf(all).setUint32(4, body.length, true)
  all.set(body, 8)
  return all
}

const wavWithoutTags = (bytes: Uint8Array, { bytesPerSample, channels, frames, offset }: WavLayout): Uint8Array => {
  const view = viewOf(bytes)
  const kept: Array<Uint8Array> = []
  for (let at = 12; at + 8 <= offset;) {
    const size = view.getUint32(at + 4, true)
    const most = hasText(bytes, at, "fmt ") ? MAX_FORMAT : hasText(bytes, at, "fact") ? FACT_BYTES : 0
    if (most > 0) {
      const name = String.fromCharCode(...bytes.subarray(at, at + 4))
      kept.push(chunk(name, bytes.subarray(at + 8, at + 8 + Math.min(size, most))))
    }
    at += 8 + size + (size & 1)
  }
  const samples = bytes.subarray(offset, offset + frames * bytesPerSample * channels)
  const head = new Uint8Array(12)
  const all = joinBytes([head, ...kept, chunk("data", samples)])
  all.set(Buffer.from("RIFF____WAVE", "latin1"))
  viewOf(all).setUint32(4, all.length - 8, true)
  return isSame(bytes, all) ? bytes : all
}

const mp3WithoutTags = (bytes: Uint8Array, { first, hasInfoFrame, offsets, sizes, start }: Mp3Layout): Uint8Array => {
  const all = joinBytes([
    ...(hasInfoFrame ? [bytes.subarray(first, start)] : []),
    ...offsets.map((at, i) => bytes.subarray(at, at + (sizes[i] ?? 0)))
  ])
  return all.length === bytes.length ? bytes : all
}

const VENDOR = "Earshot"

/** A comment header without comments (RFC 7845, 5.2). */
const EMPTY_TAGS = Buffer.concat([
  Buffer.from("OpusTags", "latin1"),
  Uint8Array.of(VENDOR.length, 0, 0, 0),
  Buffer.from(VENDOR, "latin1"),
  Uint8Array.of(0, 0, 0, 0)
])

const SERIAL_AT = 14
const NUMBER_AT = 18
const CHECKSUM_AT = 22

/** A page of an Ogg file with another number in the sequence of pages, and its checksum. */
const numbered = (page: Uint8Array, number: number): Uint8Array => {
  const copy = page.slice()
  const view = viewOf(copy)
  view.setUint32(NUMBER_AT, number, true)
  view.setUint32(CHECKSUM_AT, pageChecksum(copy, 0, copy.length), true)
  return copy
}

const opusWithoutTags = (bytes: Uint8Array, { end, pages }: OpusLayout): Either.Either<Uint8Array, AudioError> => {
  const [head] = pages
  const last = pages.findIndex(({ pieces }) => pieces.some(({ isLast, packet }) => packet === -1 && isLast))
  const isApart = (packet: number, page: (typeof pages)[number] | undefined) =>
    page?.pieces.every((piece) => piece.packet === packet) === true
  if (head === undefined || last < 1 || !isApart(-2, head) || !isApart(-1, pages[last])) {
    return Either.left(new MalformedAudio({ format: "opus", reason: "headers that share a page" }))
  }
  const tags = new Uint8Array(PAGE_HEADER_BYTES + 1 + EMPTY_TAGS.length)
  tags.set(Buffer.from("OggS", "latin1"))
  tags.set(bytes.subarray(head.offset + SERIAL_AT, head.offset + SERIAL_AT + 4), SERIAL_AT)
  tags.set([1, EMPTY_TAGS.length], PAGE_HEADER_BYTES - 1)
  tags.set(EMPTY_TAGS, PAGE_HEADER_BYTES + 1)
  const all = joinBytes([
    bytes.subarray(head.offset, head.offset + head.length),
    numbered(tags, 1),
    ...pages.slice(last + 1).map(({ length, offset }, i) => numbered(bytes.subarray(offset, offset + length), i + 2))
  ])
  return Either.right(end === bytes.length && isSame(bytes, all) ? bytes : all)
}
