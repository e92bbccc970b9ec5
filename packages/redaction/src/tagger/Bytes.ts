/** Writes the bytes of a model. */
export class ByteWriter {
  readonly #bytes: Array<number> = []

  byte(value: number): void {
    this.#bytes.push(value & 255)
  }

  /** A whole number from 0 to 2^31 - 1, in groups of seven bits. */
  varint(value: number): void {
    let rest = value
    while (rest > 127) {
      this.#bytes.push((rest & 127) | 128)
      rest >>>= 7
    }
    this.#bytes.push(rest)
  }

  bytes(values: Uint8Array): void {
    for (const byte of values) this.#bytes.push(byte)
  }

  floats(values: Float32Array): void {
    this.bytes(new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
  }

  done(): Uint8Array {
    return Uint8Array.from(this.#bytes)
  }
}

/** Reads what a `ByteWriter` wrote. */
export class ByteReader {
  readonly #all: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    // A copy: a part of a Buffer shares its memory.
    this.#all = Uint8Array.from(bytes)
  }

  signed(): number {
    return ((this.#all[this.#at++] ?? 0) << 24) >> 24
  }

  varint(): number {
    let value = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#all[this.#at++] ?? 0
      value |= (byte & 127) << shift
      if (byte < 128) break
    }
    return value
  }

  bytes(count: number): Uint8Array {
    const bytes = this.#all.slice(this.#at, this.#at + count)
    this.#at += count
    return bytes
  }

  floats(count: number): Float32Array {
    return new Float32Array(this.bytes(count * 4).buffer)
  }
}
