/** A view for multi-byte numbers; callers check the bounds before they read. */
export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** A byte, 0 beyond the end. */
export const byteAt = (bytes: Uint8Array, at: number): number => bytes[at] ?? 0

/** Whether ASCII text stands at an offset. */
export const hasText = (bytes: Uint8Array, at: number, text: string): boolean => {
  if (at < 0 || at + text.length > bytes.length) return false
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false
  return true
}

/** The bytes of all parts, one after the other. */
export const joinBytes = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** Whether two arrays hold the same bytes in [from, to). */
export const sameBytes = (a: Uint8Array, b: Uint8Array, from: number, to: number): boolean =>
  to <= from || (to <= a.length && to <= b.length && Buffer.compare(a.subarray(from, to), b.subarray(from, to)) === 0)

/** Reads up to 24 bits, most significant first; bits beyond the end are 0. */
export const readBits = (bytes: Uint8Array, bit: number, count: number): number => {
  let value = 0
  for (let i = bit; i < bit + count; i++) value = (value << 1) | ((byteAt(bytes, i >> 3) >> (7 - (i & 7))) & 1)
  return value
}

/** Writes up to 24 bits, most significant first. */
export const writeBits = (bytes: Uint8Array, bit: number, count: number, value: number): void => {
  for (let i = 0; i < count; i++) {
    const at = (bit + i) >> 3
    const mask = 0x80 >> ((bit + i) & 7)
    bytes[at] = (value >> (count - 1 - i)) & 1 ? byteAt(bytes, at) | mask : byteAt(bytes, at) & ~mask
  }
}
