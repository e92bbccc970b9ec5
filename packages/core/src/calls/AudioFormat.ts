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

/** The longest duration that is believed, a week, and the most channels. */
export const MAX_AUDIO_SECONDS = 604_800
export const MAX_AUDIO_CHANNELS = 255

/** Duration and channels are known of WAV files whose header states them. */
export interface AudioFormat extends AudioFacts {
  readonly contentType: AudioType
  /** Whether this is all that can be known; if not, the file has to be probed. */
  readonly isFinal: boolean
}

const formatToProbe = (contentType: AudioType): AudioFormat => ({ contentType, ...UNKNOWN_AUDIO, isFinal: false })

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
  return contentType === "audio/wav" ? wavFormat(head, sizeBytes) : Either.right(formatToProbe(contentType))
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

/** The header of a WAV file, as far as it is within the head of the file. */
interface WavHeader {
  readonly tag: number
  readonly channels: number
  readonly rate: number
  readonly bytesPerSecond: number
  readonly blockAlign: number
  readonly bits: number
  /** Of compressed formats in blocks. */
  readonly samplesPerBlock: number
  /** The samples of a channel by the `fact` chunk; 0 without one. */
  readonly samples: number
}

const noHeader: WavHeader = {
  tag: 0,
  channels: 0,
  rate: 0,
  bytesPerSecond: 0,
  blockAlign: 0,
  bits: 0,
  samplesPerBlock: 0,
  samples: 0
}

/** Integers, floating point, A-law and mu-law, and whatever an extensible header says: they have no frames. */
const SAMPLE_TAGS: ReadonlySet<number> = new Set([1, 3, 6, 7, 0xfffe])

/** Microsoft and IMA ADPCM: blocks of equal size with a number of samples that the header states. */
const BLOCK_TAGS: ReadonlySet<number> = new Set([2, 0x11])

/** The bytes of a second of samples; 0 if the header does not say. Of two different statements the one that agrees with the sample size is right. */
const sampleBytesPerSecond = ({ bits, blockAlign, bytesPerSecond, channels, rate }: WavHeader): number =>
  blockAlign > 0 && rate > 0 && (bytesPerSecond === 0 || blockAlign === channels * Math.ceil(bits / 8))
    ? rate * blockAlign
    : bytesPerSecond

/** The duration of a number of bytes in seconds; undefined if it takes more than the header to know it. */
const wavSeconds = (header: WavHeader, bytes: number): number | undefined => {
  const { blockAlign, rate, samples, samplesPerBlock, tag } = header
  if (SAMPLE_TAGS.has(tag)) {
    const perSecond = sampleBytesPerSecond(header)
    return perSecond > 0 ? bytes / perSecond : undefined
  }
  if (!BLOCK_TAGS.has(tag) || blockAlign === 0 || samplesPerBlock === 0 || rate === 0) return undefined
  const most = Math.ceil(bytes / blockAlign) * samplesPerBlock
  // Streaming writers state the samples that they had written with the header. The last block may not be full.
  return (samples > most - samplesPerBlock && samples <= most ? samples : most) / rate
}

/**
 * What the header of a WAV file says. Streaming writers leave the size of the data 0 or 0xFFFFFFFF; such a size, and one larger
 * than the file, means that the data extends to the end of the file. Of compressed data without a size nothing is known: other
 * numbers of such a header are not of the whole file either.
 */
const wavFormat = (head: Uint8Array, sizeBytes: number): Either.Either<AudioFormat, string> => {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  let header = noHeader
  let at = 12
  while (at + 8 <= head.length) {
    const size = view.getUint32(at + 4, true)
    if (ascii(head, at, "fmt ") && at + 24 <= head.length) {
      header = {
        ...header,
        tag: view.getUint16(at + 8, true),
        channels: view.getUint16(at + 10, true),
        rate: view.getUint32(at + 12, true),
        bytesPerSecond: view.getUint32(at + 16, true),
        blockAlign: view.getUint16(at + 20, true),
        bits: view.getUint16(at + 22, true),
        samplesPerBlock: size >= 20 && at + 28 <= head.length ? view.getUint16(at + 26, true) : 0
      }
    }
    if (ascii(head, at, "fact") && at + 12 <= head.length) header = { ...header, samples: view.getUint32(at + 8, true) }
    if (ascii(head, at, "data")) {
      const present = Math.max(0, sizeBytes - at - 8)
      return present === 0 ? Either.left(WAV_WITHOUT_DATA) : Either.right(wavFacts(header, size, present))
    }
    at += 8 + size + (size % 2)
  }
  // Data that begins beyond the head may be there.
  return at + 8 > sizeBytes ? Either.left(WAV_WITHOUT_DATA) : Either.right(formatToProbe("audio/wav"))
}

/** @param size of the data chunk as it states it, of which `present` bytes are there */
const wavFacts = (header: WavHeader, size: number, present: number): AudioFormat => {
  const isStated = size > 0 && size <= present
  const seconds = wavSeconds(header, isStated ? size : present)
  return {
    contentType: "audio/wav",
    durationSeconds: seconds !== undefined && seconds <= MAX_AUDIO_SECONDS ? seconds : null,
    channels: header.channels > 0 && header.channels <= MAX_AUDIO_CHANNELS ? header.channels : null,
    isFinal: seconds !== undefined || (!isStated && !SAMPLE_TAGS.has(header.tag))
  }
}
