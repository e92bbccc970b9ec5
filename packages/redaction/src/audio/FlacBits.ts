import { byteAt } from "./Bytes.js"

const CUT_OFF = "the last frame is cut off"

/** Reads bits, most significant first. After the first error all that it reads is 0. */
export class FlacBits {
  /** The next bit. */
  #bit: number
  #error: string | undefined

  /** @param offset the byte at which reading begins */
  constructor(
    readonly bytes: Uint8Array,
    offset: number
  ) {
    this.#bit = offset * 8
  }

  /** The byte of the next bit, which has to be the first of it. */
  get offset(): number {
    return this.#bit >> 3
  }

  /** What is wrong with the bits that were read. */
  get error(): string | undefined {
    return this.#error
  }

  /** Notes what is wrong, unless something was before. */
  fail(reason: string): void {
    this.#error ??= reason
  }

  /** An unsigned number of up to 25 bits. */
  #short(count: number): number {
    const at = this.#bit >> 3
    const { bytes } = this
    if (this.#bit + count > bytes.length * 8) this.fail(CUT_OFF)
    if (this.#error !== undefined) return 0
    const word =
      (byteAt(bytes, at) << 24) | (byteAt(bytes, at + 1) << 16) | (byteAt(bytes, at + 2) << 8) | byteAt(bytes, at + 3)
    const value = count === 0 ? 0 : (word << (this.#bit & 7)) >>> (32 - count)
    this.#bit += count
    return value
  }

  /** An unsigned number of up to 48 bits. */
  unsigned(count: number): number {
    return count <= 24 ? this.#short(count) : this.#short(count - 24) * 2 ** 24 + this.#short(24)
  }

  /** A number in two's complement of up to 48 bits. */
  signed(count: number): number {
    const value = this.unsigned(count)
    return count > 0 && value >= 2 ** (count - 1) ? value - 2 ** count : value
  }

  /** The number of zeros before the next one, which is read as well. */
  zeros(): number {
    if (this.#error !== undefined) return 0
    const { bytes } = this
    const begin = this.#bit
    let at = begin >> 3
    let rest = byteAt(bytes, at) & (0xff >> (begin & 7))
    while (rest === 0) {
      at++
      if (at >= bytes.length) {
        this.fail(CUT_OFF)
        return 0
      }
      rest = byteAt(bytes, at)
    }
    const one = at * 8 + Math.clz32(rest) - 24
    this.#bit = one + 1
    return one - begin
  }

  /** Skips to the start of the next byte; whether the bits in between are 0. */
  align(): boolean {
    const count = (8 - (this.#bit & 7)) & 7
    return this.unsigned(count) === 0
  }
}

/** The checksum of a polynomial over bytes, without the highest bit of the polynomial. */
const tableOf = (width: 8 | 16, polynomial: number): Uint16Array =>
  Uint16Array.from({ length: 256 }, (_, byte) => {
    let value = byte << (width - 8)
    for (let bit = 0; bit < 8; bit++) value = value & (1 << (width - 1)) ? (value << 1) ^ polynomial : value << 1
    return value & ((1 << width) - 1)
  })

const CRC8 = tableOf(8, 0x07)
const CRC16 = tableOf(16, 0x8005)

/** CRC-8 of [from, to), by which a frame's header is checked. */
export const crc8 = (bytes: Uint8Array, from: number, to: number): number => {
  let value = 0
  for (let at = from; at < to; at++) value = CRC8[value ^ byteAt(bytes, at)] ?? 0
  return value
}

/** CRC-16 of [from, to), by which a frame is checked. */
export const crc16 = (bytes: Uint8Array, from: number, to: number): number => {
  let value = 0
  for (let at = from; at < to; at++) value = ((value << 8) & 0xffff) ^ (CRC16[(value >> 8) ^ byteAt(bytes, at)] ?? 0)
  return value
}
