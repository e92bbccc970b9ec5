import { byteAt } from "./Bytes.js"

export const MPEG1 = 3

const BIT_RATES_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]

const BIT_RATES_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]

const SAMPLE_RATES = [44_100, 48_000, 32_000]

/** Bytes of the frame whose header is at this offset; 0 without a Layer III header. The free format is not supported. */
export const frameSize = (bytes: Uint8Array, at: number): number => {
  if (bytes[at] !== 0xff || at + 4 > bytes.length) return 0
  const second = byteAt(bytes, at + 1)
  const third = byteAt(bytes, at + 2)
  // Sync, Layer III, and no reserved version.
  if ((second & 0xe6) !== 0xe2 || (second & 0x18) === 0x08) return 0
  const isMpeg1 = ((second >> 3) & 3) === MPEG1
  const bitRate = (isMpeg1 ? BIT_RATES_1 : BIT_RATES_2)[third >> 4] ?? 0
  const sampleRate = sampleRateAt(bytes, at)
  if (bitRate === 0 || sampleRate === 0) return 0
  return Math.floor(((isMpeg1 ? 144_000 : 72_000) * bitRate) / sampleRate) + ((third >> 1) & 1)
}

export const sampleRateAt = (bytes: Uint8Array, at: number): number => {
  const version = (byteAt(bytes, at + 1) >> 3) & 3
  const base = SAMPLE_RATES[(byteAt(bytes, at + 2) >> 2) & 3] ?? 0
  return version === MPEG1 ? base : version === 2 ? base / 2 : base / 4
}

/** Whether two headers may be of one stream: the same version, layer and sample rate. */
export const isAlike = (bytes: Uint8Array, a: number, b: number): boolean =>
  ((byteAt(bytes, a + 1) ^ byteAt(bytes, b + 1)) & 0xfe) === 0 &&
  ((byteAt(bytes, a + 2) ^ byteAt(bytes, b + 2)) & 0x0c) === 0

export const isMono = (bytes: Uint8Array, at: number): boolean => byteAt(bytes, at + 3) >> 6 === 3

/** Bytes of header, checksum and side information: what comes before a frame's main data. */
export const headLength = (bytes: Uint8Array, at: number): number => {
  const isMpeg1 = ((byteAt(bytes, at + 1) >> 3) & 3) === MPEG1
  const side = isMpeg1 ? (isMono(bytes, at) ? 17 : 32) : isMono(bytes, at) ? 9 : 17
  return sideOffset(bytes, at) - at + side
}

export const hasChecksum = (bytes: Uint8Array, at: number): boolean => (byteAt(bytes, at + 1) & 1) === 0

export const sideOffset = (bytes: Uint8Array, at: number): number => at + (hasChecksum(bytes, at) ? 6 : 4)

export const samplesPerFrameAt = (bytes: Uint8Array, at: number): number =>
  ((byteAt(bytes, at + 1) >> 3) & 3) === MPEG1 ? 1152 : 576
