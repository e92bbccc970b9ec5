/** The waveform of a recording: the lowest and the highest sample of short stretches of it, for display. */
import * as Effect from "effect/Effect"
import { runYielding, type Steps } from "../Steps.js"
import { type AudioError, MalformedAudio } from "./AudioErrors.js"
import { viewOf } from "./Bytes.js"
import { convertAudio } from "./ConvertAudio.js"
import { type Decoded, mp3Decoder, opusDecoder, type OpusOutputRate } from "./Decoders.js"
import type { Mp3Layout } from "./Mp3.js"
import { type AudioLayout, infoOf, parseAudio } from "./MuteAudio.js"
import { OPUS_RATE, type OpusLayout, packetBytes } from "./OggOpus.js"
import type { WavLayout } from "./Wav.js"
import { readSample } from "./WavSamples.js"

export interface PeaksOptions {
  /** The most points of a channel. */
  readonly maxPoints: number
  /** The most points a second of sound. */
  readonly maxPointsPerSecond: number
  /** Channels from here on are left out. */
  readonly maxChannels: number
}

export interface AudioPeaks {
  /** Seconds of sound. */
  readonly durationSeconds: number
  /** Channels of the recording, which may be more than there are peaks of. */
  readonly channels: number
  /** Point `i` of a channel is the sound from `i / pointsPerSecond` seconds on. */
  readonly pointsPerSecond: number
  /** For each channel the lowest and highest sample of every point in turn, from -127 to 127. */
  readonly peaks: ReadonlyArray<Int8Array>
}

/** Samples of all channels that are decoded before other work may run: about two milliseconds. */
const SAMPLES_PER_STEP = 100_000

/** Frames or packets decoded before other work may run: about two milliseconds. */
const FRAMES_PER_STEP = 16

/** libopus decodes to this rate in half the time that 48 kHz take; a waveform shows no difference. */
const OPUS_OUTPUT_RATE: OpusOutputRate = 16_000

/** Collects the lowest and highest samples of stretches of equal length. */
class PeakWriter {
  readonly #lows: ReadonlyArray<Float32Array>
  readonly #highs: ReadonlyArray<Float32Array>
  readonly points: number

  /**
   * @param frames length of the recording in sample frames
   * @param perPoint sample frames of a point
   */
  constructor(
    readonly channels: number,
    readonly frames: number,
    readonly perPoint: number
  ) {
    this.points = Math.ceil(frames / perPoint)
    this.#lows = Array.from({ length: channels }, () => new Float32Array(this.points))
    this.#highs = Array.from({ length: channels }, () => new Float32Array(this.points))
  }

  /** Adds one channel's samples that begin at a sample frame; those outside the recording are ignored. */
  add(channel: number, position: number, samples: Float32Array, count: number): void {
    const lows = this.#lows[channel]
    const highs = this.#highs[channel]
    if (lows === undefined || highs === undefined) return
    const end = Math.min(count, this.frames - position)
    for (let at = Math.max(0, -position); at < end;) {
      const point = Math.floor((position + at) / this.perPoint)
      const until = Math.min(end, (point + 1) * this.perPoint - position)
      let low = lows[point] ?? 0
      let high = highs[point] ?? 0
      for (; at < until; at++) {
        const sample = samples[at] ?? 0
        if (sample < low) low = sample
        else if (sample > high) high = sample
      }
      lows[point] = low
      highs[point] = high
    }
  }

  /** The pairs of each channel. Louder samples than 1 are cut off. */
  pairs(): ReadonlyArray<Int8Array> {
    return this.#lows.map((lows, channel) => {
      const highs = this.#highs[channel]
      const pairs = new Int8Array(lows.length * 2)
      lows.forEach((low, point) => {
        pairs[2 * point] = toInt8(low)
        pairs[2 * point + 1] = toInt8(highs?.[point] ?? 0)
      })
      return pairs
    })
  }
}

const toInt8 = (sample: number): number => Math.round(Math.max(-1, Math.min(1, sample)) * 127)

/** Sample frames of a point, so that there are at most as many points as the options say. */
const framesPerPoint = (frames: number, rate: number, options: PeaksOptions): number =>
  Math.max(1, Math.ceil(rate / options.maxPointsPerSecond), Math.ceil(frames / options.maxPoints))

/** Reads the samples of one channel of a WAV file into `into`; returns how many there were. */
const wavReader = (bytes: Uint8Array, layout: WavLayout) => {
  const view = viewOf(bytes)
  const { bytesPerSample, channels, encoding, frames, offset } = layout
  const stride = bytesPerSample * channels
  const is16Bit = encoding === "pcm" && bytesPerSample === 2
  // Samples of one byte have few values.
  const table =
    bytesPerSample === 1
      ? Float32Array.from({ length: 256 }, (_, code) => readSample(new DataView(Uint8Array.of(code).buffer), 0, layout))
      : undefined
  return (channel: number, from: number, into: Float32Array): number => {
    const count = Math.min(into.length, frames - from)
    let at = offset + from * stride + channel * bytesPerSample
    if (is16Bit) for (let i = 0; i < count; i++, at += stride) into[i] = view.getInt16(at, true) / 32_768
    else if (table !== undefined) for (let i = 0; i < count; i++, at += stride) into[i] = table[bytes[at] ?? 0] ?? 0
    else for (let i = 0; i < count; i++, at += stride) into[i] = readSample(view, at, layout)
    return count
  }
}

function* wavPeaks(bytes: Uint8Array, layout: WavLayout, writer: PeakWriter): Steps<void> {
  const read = wavReader(bytes, layout)
  const samples = new Float32Array(Math.ceil(SAMPLES_PER_STEP / writer.channels))
  for (let from = 0; from < layout.frames; from += samples.length) {
    for (let channel = 0; channel < writer.channels; channel++) {
      writer.add(channel, from, samples, read(channel, from, samples))
    }
    yield
  }
}

/** Adds decoded samples to all channels; a decoder that returns fewer channels than the file has returns the same for each. */
const addDecoded = (writer: PeakWriter, position: number, { channelData, samplesDecoded }: Decoded): void => {
  for (let channel = 0; channel < writer.channels; channel++) {
    const samples = channelData[channel] ?? channelData[0]
    if (samples !== undefined) writer.add(channel, position, samples, samplesDecoded)
  }
}

function* mp3Peaks(
  bytes: Uint8Array,
  layout: Mp3Layout,
  decode: (frame: Uint8Array) => Decoded,
  writer: PeakWriter
): Steps<void> {
  for (const [frame, at] of layout.offsets.entries()) {
    if (frame % FRAMES_PER_STEP === FRAMES_PER_STEP - 1) yield
    const decoded = decode(bytes.subarray(at, at + (layout.sizes[frame] ?? 0)))
    addDecoded(writer, frame * layout.samplesPerFrame - layout.delay, decoded)
  }
}

function* opusPeaks(
  bytes: Uint8Array,
  layout: OpusLayout,
  decode: (packet: Uint8Array) => Decoded,
  writer: PeakWriter
): Steps<void> {
  for (const [i, packet] of layout.packets.entries()) {
    if (i % FRAMES_PER_STEP === FRAMES_PER_STEP - 1) yield
    if (packet.bytes === 0) continue
    const position = Math.round(((packet.position - layout.preSkip) * OPUS_OUTPUT_RATE) / OPUS_RATE)
    addDecoded(writer, position, decode(packetBytes(bytes, packet)))
  }
}

/** The decoders trap on some bytes; what they leave out is silent. */
const orSilence =
  (decode: (bytes: Uint8Array) => Decoded) =>
  (bytes: Uint8Array): Decoded => {
    try {
      return decode(bytes)
    } catch {
      return { samplesDecoded: 0, channelData: [] }
    }
  }

const readPeaks = (bytes: Uint8Array, audio: AudioLayout, writer: PeakWriter): Effect.Effect<void, AudioError> => {
  const failure = () => new MalformedAudio({ format: audio.format, reason: "no decoder" })
  switch (audio.format) {
    case "wav": {
      const { layout } = audio
      return runYielding(() => wavPeaks(bytes, layout, writer))
    }
    case "mp3": {
      const { layout } = audio
      return Effect.scoped(
        Effect.flatMap(mp3Decoder(failure), (decoder) =>
          runYielding(() => mp3Peaks(bytes, layout, orSilence(decoder.decodeFrame.bind(decoder)), writer))
        )
      )
    }
    case "opus": {
      const { layout } = audio
      return Effect.scoped(
        Effect.flatMap(opusDecoder(layout.channels, OPUS_OUTPUT_RATE, failure), (decoder) =>
          runYielding(() => opusPeaks(bytes, layout, orSilence(decoder.decodeFrame.bind(decoder)), writer))
        )
      )
    }
  }
}

/**
 * The waveform of WAV (integers of 8 to 32 bits, floating point, mu-law, A-law), FLAC, MPEG Layer III and Opus in Ogg, WebM
 * or MP4, decoded in steps between which the event loop runs. Anything else is `UnsupportedAudio`. A frame of MP3 or Opus
 * that cannot be decoded is silent.
 */
export const audioPeaks = (given: Uint8Array, options: PeaksOptions): Effect.Effect<AudioPeaks, AudioError> =>
  Effect.gen(function* () {
    const bytes = yield* convertAudio(given)
    const audio = yield* parseAudio(bytes)
    const info = infoOf(audio)
    const rate = audio.format === "opus" ? OPUS_OUTPUT_RATE : info.sampleRate
    const frames = Math.round(info.durationSeconds * rate)
    const perPoint = framesPerPoint(frames, rate, options)
    const writer = new PeakWriter(Math.min(info.channels, options.maxChannels), frames, perPoint)
    yield* readPeaks(bytes, audio, writer)
    return {
      durationSeconds: info.durationSeconds,
      channels: info.channels,
      pointsPerSecond: rate / perPoint,
      peaks: writer.pairs()
    }
  })
