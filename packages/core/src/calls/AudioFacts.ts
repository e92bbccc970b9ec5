/** What an audio file tells of itself in its first bytes. The declared content type is a client's guess; these decide. */

/** The kinds of audio that are kept, by the content type they are kept under. */
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

export interface AudioFacts {
  readonly contentType: AudioType
  /** Seconds, where the head tells; null elsewhere. */
  readonly durationSeconds: number | null
}

/** As many first bytes as `audioFacts` looks at. */
export const AUDIO_HEAD_BYTES = 65_536

/** Said of a file that is no audio. */
export const NOT_AUDIO =
  "The file is no audio of a known format (WAV, MP3, Ogg, WebM, FLAC, M4A, AAC, AMR, AIFF or AU)."

const ascii = (head: Uint8Array, at: number, text: string): boolean => {
  if (head.length < at + text.length) return false
  for (let i = 0; i < text.length; i++) if (head[at + i] !== text.charCodeAt(i)) return false
  return true
}

/**
 * The format of an audio file, by its signature, and a WAV file's duration. `head` is its first bytes, up to
 * `AUDIO_HEAD_BYTES`; `sizeBytes` the whole file's. Undefined for what is no audio of a known format.
 */
export const audioFacts = (head: Uint8Array, sizeBytes: number): AudioFacts | undefined => {
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
  // EBML, which WebM and Matroska are.
  if (ascii(head, 0, "\x1a\x45\xdf\xa3")) return "audio/webm"
  if (ascii(head, 0, "ID3")) return "audio/mpeg"
  return frameType(head)
}

/** MPEG audio and ADTS AAC begin with a frame's sync word; the layer bits, which AAC has zero, tell them apart. */
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
 * Seconds of a WAV file: bytes of its data chunk over its bytes a second, null where the head does not tell. A writer
 * that streams leaves the data size 0 or 0xFFFFFFFF; then, and where a size claims more than there is, the data is
 * what follows.
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
