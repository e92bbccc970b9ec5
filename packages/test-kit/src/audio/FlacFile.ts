/** FLAC files for tests: an encoder that makes any choice the format allows, and none to save space. */
import * as fc from "fast-check"
import { createHash } from "node:crypto"

/** How a channel of a frame is coded. */
export type FlacSubframe =
  | { readonly kind: "verbatim"; readonly wasted: boolean }
  | { readonly kind: "fixed"; readonly order: number; readonly parameter: number; readonly partitions: number }
  | {
      readonly kind: "lpc"
      readonly coefficients: ReadonlyArray<number>
      readonly shift: number
      readonly isEscaped: boolean
    }

export interface FlacFrame {
  /** Samples by channel. */
  readonly channels: ReadonlyArray<ReadonlyArray<number>>
  readonly stereo: "independent" | "left-side" | "side-right" | "mid-side"
  readonly subframe: FlacSubframe
}

export interface FlacFile {
  readonly sampleRate: number
  readonly bitsPerSample: number
  readonly frames: ReadonlyArray<FlacFrame>
  /** Whether the totals and the checksum of the samples are written, as by a writer that can seek. */
  readonly isSeekable: boolean
}

/** A checksum by its polynomial without the highest bit, bit by bit. */
const checksum = (bytes: ReadonlyArray<number>, width: 8 | 16, polynomial: number): number =>
  bytes.reduce((sum, byte) => {
    let value = sum ^ (byte << (width - 8))
    for (let bit = 0; bit < 8; bit++) {
      value = (value & (1 << (width - 1))) === 0 ? value << 1 : (value << 1) ^ polynomial
    }
    return value & ((1 << width) - 1)
  }, 0)

/** Adds the checksum of a header. */
const withHeaderSum = (bytes: ReadonlyArray<number>): Array<number> => [...bytes, checksum(bytes, 8, 0x07)]

/** Adds the checksum of a frame. */
const withFrameSum = (bytes: ReadonlyArray<number>): Array<number> => {
  const sum = checksum(bytes, 16, 0x8005)
  return [...bytes, sum >> 8, sum & 0xff]
}

class BitWriter {
  readonly #bits: Array<number> = []

  write(value: number, count: number): void {
    const unsigned = value < 0 ? value + 2 ** count : value
    for (let i = count - 1; i >= 0; i--) this.#bits.push(Math.floor(unsigned / 2 ** i) % 2)
  }

  unary(zeros: number): void {
    for (let i = 0; i < zeros; i++) this.#bits.push(0)
    this.#bits.push(1)
  }

  bytes(): Array<number> {
    const bytes: Array<number> = []
    for (let at = 0; at < this.#bits.length; at += 8) {
      bytes.push(Array.from({ length: 8 }, (_, i) => this.#bits[at + i] ?? 0).reduce((sum, bit) => sum * 2 + bit, 0))
    }
    return bytes
  }
}

const FIXED = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]]

const residual = (samples: ReadonlyArray<number>, coefficients: ReadonlyArray<number>, shift: number) =>
  samples.flatMap((sample, at) =>
    at < coefficients.length
      ? []
      : [sample - Math.floor(coefficients.reduce((sum, c, i) => sum + c * (samples[at - 1 - i] ?? 0), 0) / 2 ** shift)]
  )

const writeRice = (out: BitWriter, values: ReadonlyArray<number>, parameter: number): void => {
  for (const value of values) {
    const folded = value < 0 ? -2 * value - 1 : 2 * value
    out.unary(Math.floor(folded / 2 ** parameter))
    out.write(folded % 2 ** parameter, parameter)
  }
}

/** Bits that hold every number in two's complement. */
const widthOf = (values: ReadonlyArray<number>): number =>
  Math.ceil(Math.log2(Math.max(1, ...values.map(Math.abs)))) + 2

/** A parameter above which no number has thousands of zeros. */
const atLeast = (values: ReadonlyArray<number>): number => Math.max(0, widthOf(values) - 8)

const writeVerbatim = (out: BitWriter, samples: ReadonlyArray<number>, bits: number, wasted: number): void => {
  out.write(1, 7)
  out.write(wasted > 0 ? 1 : 0, 1)
  if (wasted > 0) out.unary(wasted - 1)
  for (const sample of samples) out.write(sample / 2 ** wasted, bits - wasted)
}

/** The kind of a subframe with a predictor, and the samples that it begins from. */
const writeWarmUp = (out: BitWriter, kind: number, samples: ReadonlyArray<number>, bits: number): void => {
  out.write(kind, 7)
  out.write(0, 1)
  for (const sample of samples) out.write(sample, bits)
}

const writeFixed = (
  out: BitWriter,
  samples: ReadonlyArray<number>,
  bits: number,
  { order, parameter, partitions }: Extract<FlacSubframe, { kind: "fixed" }>
): void => {
  const per = samples.length / 2 ** partitions
  const count = Number.isInteger(per) && per > order ? partitions : 0
  writeWarmUp(out, 8 + order, samples.slice(0, order), bits)
  const left = residual(samples, FIXED[order] ?? [], 0)
  const needed = Math.max(parameter, atLeast(left))
  out.write(needed > 14 ? 1 : 0, 2)
  out.write(count, 4)
  const size = samples.length / 2 ** count
  for (let partition = 0; partition < 2 ** count; partition++) {
    out.write(needed, needed > 14 ? 5 : 4)
    writeRice(out, left.slice(Math.max(0, partition * size - order), (partition + 1) * size - order), needed)
  }
}

const writeLinear = (
  out: BitWriter,
  samples: ReadonlyArray<number>,
  bits: number,
  { coefficients, isEscaped, shift }: Extract<FlacSubframe, { kind: "lpc" }>
): void => {
  writeWarmUp(out, 32 + coefficients.length - 1, samples.slice(0, coefficients.length), bits)
  out.write(8, 4)
  out.write(shift, 5)
  for (const coefficient of coefficients) out.write(coefficient, 9)
  const left = residual(samples, coefficients, shift)
  const width = widthOf(left)
  const escapes = isEscaped && width < 32
  out.write(escapes ? 0 : 1, 2)
  out.write(0, 4)
  if (escapes) {
    out.write(15, 4)
    out.write(width, 5)
    for (const value of left) out.write(value, width)
  } else {
    out.write(atLeast(left), 5)
    writeRice(out, left, atLeast(left))
  }
}

const writeSubframe = (out: BitWriter, samples: ReadonlyArray<number>, bits: number, subframe: FlacSubframe): void => {
  // Frames shorter than a predictor have none.
  if (subframe.kind === "fixed" && samples.length > 8) writeFixed(out, samples, bits, subframe)
  else if (subframe.kind === "lpc" && samples.length > 8) writeLinear(out, samples, bits, subframe)
  else {
    const isWasted = subframe.kind === "verbatim" && subframe.wasted && samples.every((sample) => sample % 4 === 0)
    writeVerbatim(out, samples, bits, isWasted ? 2 : 0)
  }
}

const sidesOf = ({ channels, stereo }: FlacFrame): ReadonlyArray<ReadonlyArray<number>> => {
  const [left = [], right = []] = channels
  const side = left.map((sample, at) => sample - (right[at] ?? 0))
  if (channels.length !== 2 || stereo === "independent") return channels
  if (stereo === "left-side") return [left, side]
  if (stereo === "side-right") return [side, right]
  return [left.map((sample, at) => Math.floor((sample + (right[at] ?? 0)) / 2)), side]
}

const ASSIGNMENTS = { "left-side": 8, "side-right": 9, "mid-side": 10 }

const frameBytes = (file: FlacFile, frame: FlacFrame, number: number): Array<number> => {
  const isJoint = frame.channels.length === 2 && frame.stereo !== "independent"
  const head = new BitWriter()
  head.write(0x7ffc, 15)
  head.write(0, 1)
  head.write(7, 4)
  head.write(13, 4)
  head.write(isJoint ? ASSIGNMENTS[frame.stereo] : frame.channels.length - 1, 4)
  head.write(0, 4)
  head.write(number, 8)
  head.write((frame.channels[0]?.length ?? 0) - 1, 16)
  head.write(file.sampleRate, 16)
  const body = new BitWriter()
  const sideAt = isJoint ? (frame.stereo === "side-right" ? 0 : 1) : -1
  sidesOf(frame).forEach((samples, channel) => {
    writeSubframe(body, samples, file.bitsPerSample + (channel === sideAt ? 1 : 0), frame.subframe)
  })
  return withFrameSum([...withHeaderSum(head.bytes()), ...body.bytes()])
}

/** Samples of all channels in turn. */
export const flacSamplesOf = ({ frames }: FlacFile): ReadonlyArray<number> =>
  frames.flatMap(({ channels }) => (channels[0] ?? []).flatMap((_, at) => channels.map((samples) => samples[at] ?? 0)))

export const flacFileOf = (file: FlacFile): Uint8Array => {
  const width = Math.ceil(file.bitsPerSample / 8)
  const samples = flacSamplesOf(file)
  const raw = Buffer.alloc(samples.length * width)
  samples.forEach((sample, i) => raw.writeIntLE(sample, i * width, width))
  const channels = file.frames[0]?.channels.length ?? 1
  const info = new BitWriter()
  info.write(16, 16)
  info.write(65_535, 16)
  info.write(0, 48)
  info.write(file.sampleRate, 20)
  info.write(channels - 1, 3)
  info.write(file.bitsPerSample - 1, 5)
  info.write(file.isSeekable ? samples.length / channels : 0, 36)
  const md5 = file.isSeekable ? createHash("md5").update(raw).digest() : Buffer.alloc(16)
  // A block of padding follows the stream information.
  return Uint8Array.from([
    ...Buffer.from("fLaC"),
    ...[0, 0, 0, 34],
    ...info.bytes(),
    ...md5,
    ...[0x81, 0, 0, 5, 0, 0, 0, 0, 0],
    ...file.frames.flatMap((frame, number) => frameBytes(file, frame, number))
  ])
}

const subframe: fc.Arbitrary<FlacSubframe> = fc.oneof(
  fc.record({ kind: fc.constant("verbatim" as const), wasted: fc.boolean() }),
  fc.record({
    kind: fc.constant("fixed" as const),
    order: fc.nat(4),
    parameter: fc.nat(14),
    partitions: fc.nat(3)
  }),
  fc.record({
    kind: fc.constant("lpc" as const),
    coefficients: fc.array(fc.integer({ min: -256, max: 255 }), { minLength: 1, maxLength: 8 }),
    shift: fc.integer({ min: 4, max: 10 }),
    isEscaped: fc.boolean()
  })
)

/** FLAC files of up to four frames of up to 40 samples. */
export const anyFlacFile: fc.Arbitrary<FlacFile> = fc
  .record({
    sampleRate: fc.integer({ min: 1, max: 65_535 }),
    bitsPerSample: fc.constantFrom(4, 8, 12, 16, 20, 24),
    channels: fc.constantFrom(1, 2, 2, 3),
    isSeekable: fc.boolean()
  })
  .chain(({ bitsPerSample, channels, isSeekable, sampleRate }) => {
    const limit = 2 ** (bitsPerSample - 1)
    const loud = fc.integer({ min: -limit, max: limit - 1 })
    // Multiples of four have bits that need not be written.
    const sample = fc.oneof(loud, fc.integer({ min: -8, max: 7 }), fc.constantFrom(-limit, limit - 1, 0, 4))
    const samples = (size: number) => {
      const bounds = { minLength: size, maxLength: size }
      return fc.oneof(fc.array(sample, bounds), fc.array(fc.constantFrom(-limit, 0, 4), bounds))
    }
    return fc
      .array(
        fc.integer({ min: 1, max: 40 }).chain((size) =>
          fc.record({
            channels: fc.array(samples(size), { minLength: channels, maxLength: channels }),
            stereo: fc.constantFrom<FlacFrame["stereo"]>("independent", "left-side", "side-right", "mid-side"),
            subframe
          })
        ),
        { minLength: 1, maxLength: 4 }
      )
      .map((frames) => ({ sampleRate, bitsPerSample, isSeekable, frames }))
  })

/** A frame of 65,536 samples of silence in each channel, in a few bytes, for a file of 16 bits. */
export const silentFlacFrame = (channels: number): Uint8Array => {
  const head = new BitWriter()
  head.write(0x7ffc, 15)
  head.write(0, 1)
  head.write(7, 4)
  head.write(0, 4)
  head.write(channels - 1, 4)
  head.write(0, 4)
  head.write(0, 8)
  head.write(65_535, 16)
  const silence = Array.from({ length: channels }, () => [0, 0, 0]).flat()
  return Uint8Array.from(withFrameSum([...withHeaderSum(head.bytes()), ...silence]))
}
