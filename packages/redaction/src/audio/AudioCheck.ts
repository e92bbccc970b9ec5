import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { yieldToEventLoop } from "../Steps.js"
import { type AudioError, MutingNotProven } from "./AudioErrors.js"
import { convertAudio } from "./ConvertAudio.js"
import { type Decoded, mp3Decoder, opusDecoder } from "./Decoders.js"
import { isEmptyFrame } from "./Mp3Frame.js"
import type { Mp3Layout } from "./Mp3.js"
import { mp3Lateness } from "./MuteMp3.js"
import { mp3Objection } from "./CheckMutedMp3.js"
import { type MutedAudio, muteAudio, type MuteOptions, type MutingSummary, parseAudio } from "./MuteAudio.js"
import { allRanges, type ChannelRanges, mergeRanges, type MuteRange, type AudioRange } from "./MuteRanges.js"
import { opusObjection } from "./CheckMutedOpus.js"
import { OPUS_RATE, packetBytes, parseOpus } from "./OggOpus.js"
import { type OpusMuting, runsOf } from "./MuteOpus.js"
import { wavObjection } from "./CheckMutedWav.js"
import { withoutTags } from "./Tags.js"

/** Muted audio that was decoded again and verified to be silent in every range; safe to store. */
export interface RedactedAudio extends MutingSummary {
  readonly _tag: "RedactedAudio"
  readonly bytes: Uint8Array
}

/** The loudest sample that counts as silence: one step of 16-bit audio. */
const SILENCE = 1 / 32_768

/** Frames or packets decoded before a muted run, so that the decoder enters it with real state. */
const LEAD = 6

/**
 * Seconds decoded at either end of a muted run. The frames in between are only compared byte for byte with the decoded
 * ones: the same empty frame or silent packet leaves a settled decoder silent.
 */
const EDGE_SECONDS = 1

/** Frames or packets decoded before other fibers may run. */
const BATCH = 64

const notProven = (format: string, reason: string) => new MutingNotProven({ format, reason })

/**
 * Decodes muted audio and compares it with the original: every muted range must be silent, and every byte outside must be
 * unchanged. WAV is decoded by its parser, MP3 by mpg123 and Opus by libopus, both compiled to WebAssembly and loaded on
 * first use. Only muted ranges and a few frames before them are decoded. Yields to other fibers regularly.
 */
export const checkMuted = (original: Uint8Array, muted: MutedAudio): Effect.Effect<RedactedAudio, MutingNotProven> => {
  const { _tag, bytes, plan, ...summary } = muted
  const proven: RedactedAudio = { _tag: "RedactedAudio", bytes, ...summary }
  const found = (objection: string | undefined): Effect.Effect<RedactedAudio, MutingNotProven> =>
    objection === undefined ? Effect.succeed(proven) : Effect.fail(notProven(plan.format, objection))
  switch (plan.format) {
    case "wav":
      return Effect.suspend(() => found(wavObjection(original, bytes, plan.spans, muted.fill)))
    case "mp3":
      return Effect.suspend(() => found(mp3Objection(original, bytes, plan.flags, plan.touched))).pipe(
        Effect.zipLeft(
          plan.flags.some((flag) => flag !== 0) ? checkMp3Silence(bytes, plan.layout, plan.spans) : Effect.void
        )
      )
    case "opus":
      return muted.bytes === original
        ? Effect.succeed(proven)
        : Effect.suspend(() => found(opusObjection(original, plan.layout, bytes, plan.muting.replaced))).pipe(
            Effect.zipLeft(checkOpusSilence(bytes, plan.layout.channels, plan.muting))
          )
  }
}

/**
 * Converts audio where its format needs it, removes its tags, mutes it and verifies the result. After any failure, the audio
 * must not be stored. See `convertAudio` for the formats, `withoutTags` for what is removed, `muteAudio` for the ranges and
 * `checkMuted` for the verification.
 */
export const redactAudio = Effect.fn("redactAudio")(function* (
  bytes: Uint8Array,
  ranges: ReadonlyArray<MuteRange>,
  options: MuteOptions = {}
): Effect.fn.Return<RedactedAudio, AudioError> {
  const converted = yield* convertAudio(bytes)
  const audio = yield* withoutTags(converted, yield* parseAudio(converted))
  const muted = yield* muteAudio(audio, ranges, options)
  return yield* checkMuted(audio, muted)
})

/** The largest absolute sample; NaN counts as infinite. */
const peakOf = (samples: Float32Array, from: number, to: number): number => {
  let peak = 0
  for (let i = from; i < to; i++) {
    const loudness = Math.abs(samples[i] ?? 0)
    if (!(loudness <= peak)) peak = Number.isNaN(loudness) ? Number.POSITIVE_INFINITY : loudness
  }
  return peak
}

/** Frames or packets to decode and check, by position. */
interface DecodeRequest {
  readonly format: "mp3" | "opus"
  /** Runs of positions to decode. */
  readonly runs: ReadonlyArray<AudioRange>
  /** Whether a position holds the empty frame or silent packet, which is the same bytes at every such position. */
  readonly isEmpty: (position: number) => boolean
  /** Number of frames or packets in `EDGE_SECONDS`. */
  readonly edge: number
  readonly decode: (position: number) => Decoded
  /** Why a decoded frame or packet fails verification; undefined if it passes. */
  readonly objection: (position: number, decoded: Decoded) => string | undefined
}

/** Decodes runs, each from `LEAD` positions before its start, and stops at the first objection. */
const decodeRuns = (to: DecodeRequest): Effect.Effect<void, MutingNotProven> =>
  Effect.gen(function* () {
    const positions = positionsOf(to)
    for (let start = 0; start < positions.length; start += BATCH) {
      const objection = yield* Effect.try({
        try: () => {
          for (const { isInRun, position } of positions.slice(start, start + BATCH)) {
            const decoded = to.decode(position)
            const objection = isInRun ? to.objection(position, decoded) : undefined
            if (objection !== undefined) return `${objection} at ${position}`
          }
          return undefined
        },
        // The WebAssembly decoders trap on bytes that they cannot handle.
        catch: () => notProven(to.format, "it does not decode")
      })
      if (objection !== undefined) return yield* notProven(to.format, objection)
      yield* yieldToEventLoop
    }
  })

/** Positions to decode, in order: every run with its lead, without the middle of long empty runs. */
const positionsOf = ({ edge, isEmpty, runs }: DecodeRequest): ReadonlyArray<{ position: number; isInRun: boolean }> => {
  const positions: Array<{ position: number; isInRun: boolean }> = []
  let next = 0
  for (const run of runs) {
    for (let lead = Math.max(next, run.from - LEAD); lead < run.from; lead++) {
      positions.push({ position: lead, isInRun: false })
    }
    for (let at = Math.max(next, run.from); at < run.to;) {
      let end = at
      while (end < run.to && isEmpty(end)) end++
      const isLong = end - at > 2 * edge
      for (let i = at; i < (isLong ? at + edge : end); i++) positions.push({ position: i, isInRun: true })
      for (let i = isLong ? end - edge : end; i < end; i++) positions.push({ position: i, isInRun: true })
      if (end < run.to) positions.push({ position: end, isInRun: true })
      at = end + 1
    }
    next = Math.max(next, run.to)
  }
  return positions
}

const checkMp3Silence = (
  bytes: Uint8Array,
  layout: Mp3Layout,
  spans: ChannelRanges
): Effect.Effect<void, MutingNotProven> =>
  Effect.gen(function* () {
    const per = layout.samplesPerFrame
    const decodable = layout.offsets.length - (layout.isCut ? 1 : 0)
    // A muted range must be silent from its first sample to where the latest player would end it.
    const late = mp3Lateness(layout)
    const silent = spans.map((list) => mergeRanges(list.map(({ from, to }) => ({ from, to: to + late }))))
    const firstOpen = silent.map(() => 0)
    const decoder = yield* mp3Decoder(() => notProven("mp3", "no decoder"))
    yield* decodeRuns({
      format: "mp3",
      runs: mergeRanges(
        allRanges(silent).map(({ from, to }) => ({
          from: Math.floor(from / per),
          to: Math.min(decodable, Math.ceil(to / per))
        }))
      ),
      isEmpty: (frame) => isEmptyFrame(bytes, layout, frame),
      edge: Math.ceil((EDGE_SECONDS * layout.sampleRate) / per),
      decode: (frame) => {
        const at = layout.offsets[frame] ?? 0
        return decoder.decodeFrame(bytes.subarray(at, at + (layout.sizes[frame] ?? 0)))
      },
      objection: (frame, { channelData, samplesDecoded }) => {
        if (samplesDecoded !== per) return "a frame that does not decode"
        for (const [channel, list] of silent.entries()) {
          const samples = channelData[channel]
          if (samples === undefined) return "a channel is missing"
          let open = firstOpen[channel] ?? 0
          while (open < list.length && (list[open]?.to ?? 0) <= frame * per) open++
          firstOpen[channel] = open
          for (let span = list[open]; span !== undefined && span.from < (frame + 1) * per; span = list[++open]) {
            const from = Math.max(0, span.from - frame * per)
            if (peakOf(samples, from, Math.min(per, span.to - frame * per)) > SILENCE) return "sound"
          }
        }
        return undefined
      }
    })
  }).pipe(Effect.scoped)

const checkOpusSilence = (
  bytes: Uint8Array,
  channels: number,
  muting: OpusMuting
): Effect.Effect<void, MutingNotProven> =>
  Effect.gen(function* () {
    const parsed = parseOpus(bytes)
    if (Either.isLeft(parsed)) return yield* notProven("opus", "it no longer parses")
    const { packets } = parsed.right
    const decoder = yield* opusDecoder(channels, OPUS_RATE, () => notProven("opus", "no decoder"))
    yield* decodeRuns({
      format: "opus",
      runs: runsOf(muting.replaced),
      // `opusObjection` has compared every replaced packet with the silent one.
      isEmpty: (i) => muting.replaced[i] === 1,
      edge: Math.ceil((EDGE_SECONDS * OPUS_RATE) / Math.max(120, packets[0]?.samples ?? 0)),
      decode: (i) => {
        const packet = packets[i]
        return packet === undefined || packet.bytes === 0
          ? { samplesDecoded: 0, channelData: [] }
          : decoder.decodeFrame(packetBytes(bytes, packet))
      },
      objection: (i, { channelData, samplesDecoded }) =>
        muting.silent[i] !== 1
          ? undefined
          : samplesDecoded !== packets[i]?.samples
            ? "a packet that does not decode"
            : channelData.some((samples) => peakOf(samples, 0, samplesDecoded) > SILENCE)
              ? "sound"
              : undefined
    })
  }).pipe(Effect.scoped)
