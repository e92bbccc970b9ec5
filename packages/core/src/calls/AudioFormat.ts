/** Detects the format of an audio file by its signature. The content type that a client declares is not trusted. */

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

export interface AudioFormat {
  readonly contentType: AudioType
  /** Seconds, for WAV files whose header states it; otherwise null. */
  readonly durationSeconds: number | null
}

/** Bytes from the start of a file that `detectAudioFormat` reads. */
export const AUDIO_HEAD_BYTES = 65_536

export const NOT_AUDIO =
  "The file is not in a supported audio format (WAV, MP3, Ogg, WebM, FLAC, M4A, AAC, AMR, AIFF or AU)."

const ascii = (head: Uint8Array, at: number, text: string): boolean => {
  if (head.length < at + text.length) return false
  for (let i = 0; i < text.length; i++) if (head[at + i] !== text.charCodeAt(i)) return false
  return true
}

/**
 * The format of an audio file, and the duration of a WAV file. `head` is the first `AUDIO_HEAD_BYTES` bytes or the whole
 * file if it is shorter; `sizeBytes` is the size of the whole file. Undefined when the format is not supported.
 */
export const detectAudioFormat = (head: Uint8Array, sizeBytes: number): AudioFormat | undefined => {
  const contentType = typeOf(head)
  return contentType === undefined
    ? undefined
    : { contentType, durationSeconds: contentType === "audio/wav" ? wavSeconds(head, sizeBytes) : null }
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

/**
 * Duration of a WAV file in seconds: the size of its data chunk divided by its byte rate; null when the header has none.
 * Streaming writers leave the data size 0 or 0xFFFFFFFF; such a size, and one larger than the file, means that the data
 * extends to the end of the file.
 */
const wavSeconds = (head: Uint8Array, sizeBytes: number): number | null => {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  let bytesPerSecond = 0
  for (let at = 12; at + 8 <= head.length;) {
    const size = view.getUint32(at + 4, true)
    if (ascii(head, at, "fmt ") && at + 24 <= head.length) bytesPerSecond = view.getUint32(at + 16, true)
    if (ascii(head, at, "data")) {
      const present = Math.max(0, sizeBytes - at - 8)
      const bytes = size === 0 || size > present ? present : size
      return bytesPerSecond > 0 ? bytes / bytesPerSecond : null
    }
    at += 8 + size + (size % 2)
  }
  return null
}
