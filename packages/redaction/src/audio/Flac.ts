/** Decodes FLAC (RFC 9639) to WAV. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { createHash } from "node:crypto"
import { runYielding, type Steps } from "../Steps.js"
import { type AudioError, MalformedAudio, UnsupportedAudio } from "./AudioErrors.js"
import { hasText, viewOf } from "./Bytes.js"
import { crc16, crc8, FlacBits } from "./FlacBits.js"
import { WAV_HEADER_BYTES, writeWavHeader } from "./WavHeader.js"

/**
 * The most bytes of samples that are decoded, which are in memory several times while they are muted: a file of a few
 * kilobytes may hold days of silence.
 */
const MAX_BYTES = 2 ** 28

/** Samples of all channels that are decoded before other work may run: a few milliseconds. */
const SAMPLES_PER_STEP = 25_000

/** The stream information, which is the first block of metadata. */
interface StreamInfo {
  /** Samples a second. */
  readonly sampleRate: number
  readonly channels: number
  readonly bitsPerSample: number
  /** Samples of each channel; 0 where the writer did not know. */
  readonly samples: number
  /** MD5 of the samples in hexadecimal; undefined where the writer did not know. */
  readonly md5: string | undefined
  /** Offset of the first frame. */
  readonly offset: number
}

const malformed = (reason: string): MalformedAudio => new MalformedAudio({ format: "flac", reason })

const tooLarge = (maxBytes: number): UnsupportedAudio =>
  new UnsupportedAudio({ reason: `FLAC of more than ${maxBytes} bytes of samples` })

/** Whether bytes are a FLAC file in its own container. */
export const isFlac = (bytes: Uint8Array): boolean => hasText(bytes, 0, "fLaC")

const LAST_BLOCK = 0x80
const INFO_BYTES = 34

const readInfo = (bytes: Uint8Array): Either.Either<StreamInfo, AudioError> => {
  const view = viewOf(bytes)
  let offset = 4
  let isLast = false
  while (!isLast) {
    if (offset + 4 > bytes.length) return Either.left(malformed("metadata without an end"))
    const head = view.getUint32(offset)
    // Only the first block is stream information, and its kind is 0.
    if (offset === 4 && (((head >>> 24) & ~LAST_BLOCK) !== 0 || (head & 0xffffff) !== INFO_BYTES)) {
      return Either.left(malformed("no stream information"))
    }
    isLast = head >>> 24 >= LAST_BLOCK
    offset += 4 + (head & 0xffffff)
  }
  if (offset > bytes.length) return Either.left(malformed("metadata without an end"))
  const bits = new FlacBits(bytes, 18)
  const sampleRate = bits.unsigned(20)
  const channels = bits.unsigned(3) + 1
  const bitsPerSample = bits.unsigned(5) + 1
  const samples = bits.unsigned(36)
  const md5 = Buffer.from(bytes.subarray(26, 42)).toString("hex")
  if (sampleRate === 0) return Either.left(new UnsupportedAudio({ reason: "FLAC without a sample rate" }))
  if (bitsPerSample < 4) return Either.left(malformed(`samples of ${bitsPerSample} bits`))
  return Either.right({
    sampleRate,
    channels,
    bitsPerSample,
    samples,
    md5: /^0*$/.test(md5) ? undefined : md5,
    offset
  })
}

const BLOCK_SIZES = [0, 192, 576, 1152, 2304, 4608, 0, 0, 256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768]

const SAMPLE_RATES = [undefined, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000]

const SAMPLE_BITS = [0, 8, 12, 0, 16, 20, 24, 32]

const LEFT_SIDE = 8
const SIDE_RIGHT = 9
const MID_SIDE = 10

interface FrameHeader {
  /** Samples of each channel. */
  readonly size: number
  /** One less than the number of independent channels, or one of three kinds of stereo. */
  readonly assignment: number
}

const readSize = (bits: FlacBits, code: number): number => {
  if (code === 6) return bits.unsigned(8) + 1
  return code === 7 ? bits.unsigned(16) + 1 : (BLOCK_SIZES[code] ?? 0)
}

/** Undefined for the rate of the stream. */
const readRate = (bits: FlacBits, code: number): number | undefined => {
  if (code === 12) return bits.unsigned(8) * 1000
  if (code === 13) return bits.unsigned(16)
  if (code === 14) return bits.unsigned(16) * 10
  return SAMPLE_RATES[code]
}

const readHeader = (bits: FlacBits, info: StreamInfo): FrameHeader => {
  const begin = bits.offset
  if (bits.unsigned(15) !== 0x7ffc) bits.fail(`no frame at byte ${begin}`)
  bits.unsigned(1)
  const sizeCode = bits.unsigned(4)
  const rateCode = bits.unsigned(4)
  const assignment = bits.unsigned(4)
  const bitsCode = bits.unsigned(3)
  if (sizeCode === 0 || rateCode === 15 || assignment > MID_SIDE || bits.unsigned(1) !== 0) {
    bits.fail(`a reserved value in the frame at byte ${begin}`)
  }
  // The number of the frame or sample, in as many bytes as its first one has ones in front.
  const first = bits.unsigned(8)
  const more = first < 0x80 ? 0 : Math.clz32(~(first << 24)) - 1
  if (first >= 0x80 && (more < 1 || more > 6)) bits.fail(`no number in the frame at byte ${begin}`)
  for (let i = 0; i < more; i++) bits.unsigned(8)
  const size = readSize(bits, sizeCode)
  const rate = readRate(bits, rateCode) ?? info.sampleRate
  const end = bits.offset
  if (crc8(bits.bytes, begin, end) !== bits.unsigned(8)) bits.fail(`a wrong checksum at byte ${end}`)
  const channels = assignment < LEFT_SIDE ? assignment + 1 : 2
  const sampleBits = bitsCode === 0 ? info.bitsPerSample : SAMPLE_BITS[bitsCode]
  if (channels !== info.channels || sampleBits !== info.bitsPerSample || rate !== info.sampleRate) {
    bits.fail(`another format in the frame at byte ${begin}`)
  }
  return { size, assignment }
}

/** Adds the residual of a prediction to the samples from `order` on, which are 0. */
const readResidual = (bits: FlacBits, samples: Float64Array, order: number): void => {
  const method = bits.unsigned(2)
  if (method > 1) bits.fail("an unknown coding of a residual")
  const parameterBits = method === 0 ? 4 : 5
  const escape = method === 0 ? 15 : 31
  const partitions = 2 ** bits.unsigned(4)
  const perPartition = samples.length / partitions
  if (!Number.isInteger(perPartition) || perPartition < order) bits.fail("partitions that do not fit")
  let at = order
  for (let partition = 1; partition <= partitions; partition++) {
    const end = partition * perPartition
    const parameter = bits.unsigned(parameterBits)
    if (parameter === escape) {
      const width = bits.unsigned(5)
      for (; at < end; at++) samples[at] = bits.signed(width)
    } else {
      const scale = 2 ** parameter
      for (; at < end; at++) {
        const folded = bits.zeros() * scale + bits.unsigned(parameter)
        samples[at] = folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2
      }
    }
  }
}

/** Coefficients of the fixed predictors by order, the one of the last sample first. */
const FIXED: ReadonlyArray<ReadonlyArray<number>> = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]]

/** Replaces residuals by samples. All sums are below 2 ** 53, and so exact. */
const predict = (samples: Float64Array, coefficients: ReadonlyArray<number>, shift: number): void => {
  const order = coefficients.length
  const factors = Float64Array.from(coefficients)
  const scale = 2 ** -shift
  for (let at = order; at < samples.length; at++) {
    let sum = 0
    for (let i = 0; i < order; i++) sum += (factors[i] ?? 0) * (samples[at - 1 - i] ?? 0)
    samples[at] = (samples[at] ?? 0) + Math.floor(sum * scale)
  }
}

const LPC = 32
const FIXED_KIND = 8
const CONSTANT = 0
const VERBATIM = 1

/** The samples of one channel of a frame. */
const readSubframe = (bits: FlacBits, size: number, frameBits: number): Float64Array => {
  if (bits.unsigned(1) !== 0) bits.fail("a reserved bit in a subframe")
  const kind = bits.unsigned(6)
  const wasted = bits.unsigned(1) === 0 ? 0 : bits.zeros() + 1
  const width = frameBits - wasted
  if (width < 1) bits.fail("samples without bits")
  const samples = new Float64Array(size)
  const warmUp = (order: number): void => {
    if (order > size) bits.fail("a predictor longer than its frame")
    for (let at = 0; at < order; at++) samples[at] = bits.signed(width)
  }
  if (kind === CONSTANT) samples.fill(bits.signed(width))
  else if (kind === VERBATIM) warmUp(size)
  else if (kind >= LPC) {
    const order = kind - LPC + 1
    warmUp(order)
    const precision = bits.unsigned(4) + 1
    const shift = bits.signed(5)
    if (precision === 16 || shift < 0) bits.fail("a predictor without precision")
    const coefficients = Array.from({ length: order }, () => bits.signed(precision))
    readResidual(bits, samples, order)
    predict(samples, coefficients, shift)
  } else {
    const coefficients = FIXED[kind - FIXED_KIND] ?? []
    if (kind < FIXED_KIND || kind >= FIXED_KIND + FIXED.length) bits.fail("an unknown kind of subframe")
    warmUp(coefficients.length)
    readResidual(bits, samples, coefficients.length)
    predict(samples, coefficients, 0)
  }
  if (wasted > 0) for (let at = 0; at < size; at++) samples[at] = (samples[at] ?? 0) * 2 ** wasted
  return samples
}

/** Turns the two channels of a frame that codes their difference into left and right. */
const toLeftAndRight = (first: Float64Array, second: Float64Array, assignment: number): void => {
  for (let at = 0; at < first.length; at++) {
    const a = first[at] ?? 0
    const b = second[at] ?? 0
    if (assignment === LEFT_SIDE) second[at] = a - b
    else if (assignment === SIDE_RIGHT) first[at] = a + b
    else {
      // The lowest bit of the sum is that of the difference.
      const left = a + Math.floor(b / 2) + Math.abs(b % 2)
      first[at] = left
      second[at] = left - b
    }
  }
}

/** The channels of the frame at which the bits stand. */
const readFrame = (bits: FlacBits, info: StreamInfo): ReadonlyArray<Float64Array> => {
  const begin = bits.offset
  const { assignment, size } = readHeader(bits, info)
  const channels = Array.from({ length: info.channels }, (_, channel) => {
    const isSide = (assignment === SIDE_RIGHT ? 0 : 1) === channel && assignment >= LEFT_SIDE
    return readSubframe(bits, size, info.bitsPerSample + (isSide ? 1 : 0))
  })
  const isPadded = bits.align()
  const end = bits.offset
  if (!isPadded || crc16(bits.bytes, begin, end) !== bits.unsigned(16)) {
    bits.fail(`a wrong checksum at byte ${end}`)
  }
  const [first, second] = channels
  if (assignment >= LEFT_SIDE && first !== undefined && second !== undefined) toLeftAndRight(first, second, assignment)
  return channels
}

/** Samples of all channels in turn, as little-endian integers. */
const interleave = (channels: ReadonlyArray<Float64Array>, width: number, shift: number, bias: number): Buffer => {
  const size = channels[0]?.length ?? 0
  const bytes = Buffer.allocUnsafe(size * channels.length * width)
  channels.forEach((samples, channel) => {
    let to = channel * width
    for (let at = 0; at < size; at++, to += channels.length * width) {
      const value = ((samples[at] ?? 0) << shift) + bias
      bytes[to] = value
      if (width > 1) bytes[to + 1] = value >> 8
      if (width > 2) bytes[to + 2] = value >> 16
      if (width > 3) bytes[to + 3] = value >> 24
    }
  })
  return bytes
}

const wavOf = (info: StreamInfo, width: number, frames: ReadonlyArray<Buffer>): Uint8Array => {
  const bytes = Buffer.concat([Buffer.alloc(WAV_HEADER_BYTES), ...frames])
  writeWavHeader(bytes, { channels: info.channels, sampleRate: info.sampleRate, bytesPerSample: width })
  return bytes
}

function* decode(bytes: Uint8Array, info: StreamInfo, maxBytes: number): Steps<Either.Either<Uint8Array, AudioError>> {
  const width = Math.ceil(info.bitsPerSample / 8)
  // Samples that do not fill their bytes have zeros below them in WAV, and nothing in the checksum.
  const shift = width * 8 - info.bitsPerSample
  if (info.samples * info.channels * width > maxBytes) return Either.left(tooLarge(maxBytes))
  const md5 = info.md5 === undefined ? undefined : createHash("md5")
  const frames: Array<Buffer> = []
  let total = 0
  let size = 0
  let sinceStep = 0
  const bits = new FlacBits(bytes, info.offset)
  // What lies behind the last frame, such as a tag, is no sound.
  while (bits.offset < bytes.length && (info.samples === 0 || total < info.samples)) {
    const channels = readFrame(bits, info)
    if (bits.error !== undefined) return Either.left(malformed(bits.error))
    const length = channels[0]?.length ?? 0
    total += length
    size += length * info.channels * width
    if (size > maxBytes) return Either.left(tooLarge(maxBytes))
    const frame = interleave(channels, width, shift, width === 1 ? 0x80 : 0)
    frames.push(frame)
    md5?.update(shift === 0 && width > 1 ? frame : interleave(channels, width, 0, 0))
    sinceStep += length * info.channels
    if (sinceStep >= SAMPLES_PER_STEP) {
      sinceStep = 0
      yield
    }
  }
  if (info.samples !== 0 && total !== info.samples) {
    return Either.left(malformed(`${total} samples where ${info.samples} are stated`))
  }
  if (md5 !== undefined && md5.digest("hex") !== info.md5)
    return Either.left(malformed("a wrong checksum of the samples"))
  return Either.right(wavOf(info, width, frames))
}

/**
 * FLAC as WAV with the same samples, decoded in steps between which the event loop runs. All checksums are verified, so that
 * a damaged file is `MalformedAudio`. Tags and pictures are left out.
 *
 * @param maxBytes the most bytes of samples; a file of more is `UnsupportedAudio`
 */
export const flacToWav = (bytes: Uint8Array, maxBytes = MAX_BYTES): Effect.Effect<Uint8Array, AudioError> =>
  Effect.flatMap(readInfo(bytes), (info) => Effect.flatten(runYielding(() => decode(bytes, info, maxBytes))))
