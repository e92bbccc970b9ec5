/** Detects the format of an audio file by its signature. The content type that a client declares is not trusted. */

import * as Either from "effect/Either"

/** The supported audio formats, by content type. */
export type AudioType =
  | "audio/wav"
  | "audio/mpeg"
  | "audio/ogg"
  | "audio/webm"
  | "audio/flac"
  | "audio/mp4"
  | "audio/aac"
  | "audio/amr"
  | "audio/aiff"
  | "audio/basic"

/** What a recording says of itself; null for what it does not say. */
export interface AudioFacts {
  readonly durationSeconds: number | null
  readonly channels: number | null
}

export const UNKNOWN_AUDIO: AudioFacts = { durationSeconds: null, channels: null }

/** Duration and channels are known of WAV files of samples, whose header states them. */
export interface AudioFormat extends AudioFacts {
  readonly contentType: AudioType
}

/** Bytes from the start of a file that `detectAudioFormat` reads. */
export const AUDIO_HEAD_BYTES = 65_536

const NOT_AUDIO = "The file is not in a supported audio format (WAV, MP3, Ogg, WebM, FLAC, M4A, AAC, AMR, AIFF or AU)."

const WAV_WITHOUT_DATA = "The WAV file has no audio data."

const ascii = (head: Uint8Array, at: number, text: string): boolean => {
  if (head.length < at + text.length) return false
  for (let i = 0; i < text.length; i++) if (head[at + i] !== text.charCodeAt(i)) return false
  return true
}

/**
 * The format of an audio file, or why it is not accepted: its format is not supported, or it is a WAV file without data.
 * `head` is the first `AUDIO_HEAD_BYTES` bytes or the whole file if it is shorter; `sizeBytes` is the size of the whole file.
 */
export const detectAudioFormat = (head: Uint8Array, sizeBytes: number): Either.Either<AudioFormat, string> => {
  const contentType = typeOf(head)
  if (contentType === undefined) return Either.left(NOT_AUDIO)
  return contentType === "audio/wav"
    ? Either.map(wavFacts(head, sizeBytes), (facts) => ({ contentType, ...facts }))
    : Either.right({ contentType, ...UNKNOWN_AUDIO })
}

const typeOf = (head: Uint8Array): AudioType | undefined => {
  if ((ascii(head, 0, "RIFF") || ascii(head, 0, "RF64")) && ascii(head, 8, "WAVE")) return "audio/wav"
  if (ascii(head, 0, "OggS")) return "audio/ogg"
  if (ascii(head, 0, "fLaC")) return "audio/flac"
  if (ascii(head, 0, "#!AMR")) return "audio/amr"
  if (ascii(head, 0, "FORM") && (ascii(head, 8, "AIFF") || ascii(head, 8, "AIFC"))) return "audio/aiff"
  if (ascii(head, 0, ".snd")) return "audio/basic"
  if (ascii(head, 4, "ftyp")) return "audio/mp4"
  // EBML: WebM and Matroska.
  if (ascii(head, 0, "\x1a\x45\xdf\xa3")) return "audio/webm"
  if (ascii(head, 0, "ID3")) return "audio/mpeg"
  return frameType(head)
}

/** MPEG audio and ADTS AAC start with a frame sync word; the layer bits distinguish them (zero in AAC). */
const frameType = (head: Uint8Array): AudioType | undefined => {
  const [first = 0, second = 0, third = 0] = head
  if (head.length < 4 || first !== 0xff) return undefined
  if ((second & 0xf6) === 0xf0) return "audio/aac"
  const version = (second >> 3) & 0b11
  const layer = (second >> 1) & 0b11
  const bitrate = third >> 4
  const rate = (third >> 2) & 0b11
  return (second & 0xe0) === 0xe0 && version !== 1 && layer !== 0 && bitrate !== 0b1111 && rate !== 0b11
    ? "audio/mpeg"
    : undefined
}

/** Integers, floating point, A-law and mu-law, and whatever an extensible header says: their byte rate is exact. */
const SAMPLE_TAGS: ReadonlySet<number> = new Set([1, 3, 6, 7, 0xfffe])

/**
 * Duration of a WAV file of samples: the size of its data chunk divided by its byte rate; null when the header has none, or
 * when it is compressed. Streaming writers leave the data size 0 or 0xFFFFFFFF; such a size, and one larger than the file,
 * means that the data extends to the end of the file.
 */
const wavFacts = (head: Uint8Array, sizeBytes: number): Either.Either<AudioFacts, string> => {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  let bytesPerSecond = 0
  let channels = 0
  let at = 12
  while (at + 8 <= head.length) {
    const size = view.getUint32(at + 4, true)
    if (ascii(head, at, "fmt ") && at + 24 <= head.length && SAMPLE_TAGS.has(view.getUint16(at + 8, true))) {
      channels = view.getUint16(at + 10, true)
      bytesPerSecond = view.getUint32(at + 16, true)
    }
    if (ascii(head, at, "data")) {
      const present = Math.max(0, sizeBytes - at - 8)
      if (present === 0) return Either.left(WAV_WITHOUT_DATA)
      const bytes = size === 0 || size > present ? present : size
      return Either.right({
        durationSeconds: bytesPerSecond > 0 ? bytes / bytesPerSecond : null,
        channels: channels > 0 ? channels : null
      })
    }
    at += 8 + size + (size % 2)
  }
  // Data that begins beyond the head may be there.
  return at + 8 > sizeBytes ? Either.left(WAV_WITHOUT_DATA) : Either.right(UNKNOWN_AUDIO)
}
