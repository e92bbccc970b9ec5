import { byteAt, readBits } from "./Bytes.js"
import type { Mp3Layout } from "./Mp3.js"
import { headLength, isMono, MPEG1, sideOffset } from "./Mp3Header.js"

interface Granule {
  /** Bit offset of the granule's and channel's side information. */
  readonly side: number
  readonly channel: number
  /** Bits of its main data. */
  readonly length: number
}

export interface Frame {
  readonly at: number
  readonly isMpeg1: boolean
  readonly isMono: boolean
  /** Whether left and right are coded independently, so that one can be muted alone. */
  readonly isSplit: boolean
  readonly granules: ReadonlyArray<Granule>
  /** Where its main data begins and ends in the stream of main data; it may begin before its own frame. */
  readonly from: number
  readonly to: number
}

const PART_LENGTH_BITS = 12

export const frameAt = (bytes: Uint8Array, layout: Mp3Layout, index: number): Frame => {
  const at = layout.offsets[index] ?? 0
  const isMpeg1 = ((byteAt(bytes, at + 1) >> 3) & 3) === MPEG1
  const mono = isMono(bytes, at)
  const mode = byteAt(bytes, at + 3) >> 6
  const channels = mono ? 1 : 2
  const side = sideOffset(bytes, at) * 8
  const begin = readBits(bytes, side, isMpeg1 ? 9 : 8)
  const width = isMpeg1 ? 59 : 63
  const start = side + granulesStart(isMpeg1, mono)
  const granules: Array<Granule> = []
  let bits = 0
  for (let i = 0; i < (isMpeg1 ? 2 : 1) * channels; i++) {
    const length = readBits(bytes, start + i * width, PART_LENGTH_BITS)
    granules.push({ side: start + i * width, channel: i % channels, length })
    bits += length
  }
  const from = (layout.positions[index] ?? 0) - begin
  return {
    at,
    isMpeg1,
    isMono: mono,
    isSplit: !mono && (mode !== 1 || (byteAt(bytes, at + 3) & 0x30) === 0),
    granules,
    from,
    to: from + Math.ceil(bits / 8)
  }
}

/** Bits of side information before the first granule: main_data_begin, private bits, scfsi. */
const granulesStart = (isMpeg1: boolean, mono: boolean): number =>
  isMpeg1 ? (mono ? 9 + 5 + 4 : 9 + 3 + 8) : mono ? 8 + 1 : 8 + 2

/** Whether a frame is empty: all of its side information except main_data_begin is zero. */
export const isEmptyFrame = (bytes: Uint8Array, layout: Mp3Layout, index: number): boolean => {
  const at = layout.offsets[index] ?? 0
  const end = Math.min(at + (layout.sizes[index] ?? 0), at + headLength(bytes, at))
  const isMpeg1 = layout.samplesPerFrame === 1152
  const side = sideOffset(bytes, at)
  if (isMpeg1 && (byteAt(bytes, side + 1) & 0x7f) !== 0) return false
  for (let i = side + (isMpeg1 ? 2 : 1); i < end; i++) if (bytes[i] !== 0) return false
  return true
}
