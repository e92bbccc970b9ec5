import { byteAt } from "./Bytes.js"

export const PAGE_HEADER_BYTES = 27

export const CONTINUED_PAGE = 1

export const FIRST_PAGE = 2

export const LAST_PAGE = 4

/** Bytes of the page that starts at an offset; undefined where the file ends within it. */
export const pageLength = (bytes: Uint8Array, at: number): number | undefined => {
  const segments = byteAt(bytes, at + 26)
  if (at + PAGE_HEADER_BYTES + segments > bytes.length) return undefined
  let length = PAGE_HEADER_BYTES + segments
  for (let i = 0; i < segments; i++) length += byteAt(bytes, at + PAGE_HEADER_BYTES + i)
  return at + length > bytes.length ? undefined : length
}

/** A page's granule position as a number; negative if no packet ends on it. Loses precision beyond 2^53. */
export const readGranule = (view: DataView, at: number): number =>
  view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true)

/** The page checksum of RFC 3533: CRC-32, polynomial 0x04c11db7, not reflected, its own field taken as zeros. */
export const pageChecksum = (bytes: Uint8Array, from: number, to: number): number => {
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
