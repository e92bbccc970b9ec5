import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { yieldToEventLoop } from "../Steps.js"
import { type AudioError, MutingNotProven } from "./AudioErrors.js"
import { isEmptyFrame, type Mp3Layout, mp3Lateness, mp3Objection } from "./Mp3.js"
import { type MutedAudio, muteAudio, type MuteOptions, type MutingSummary } from "./MuteAudio.js"
import { allRanges, type ChannelRanges, mergeRanges, type MuteRange, type AudioRange } from "./MuteRanges.js"
import { opusObjection, OPUS_RATE, type OpusMuting, packetBytes, parseOpus, runsOf } from "./OggOpus.js"
import { wavObjection } from "./Wav.js"

/** Audio that was muted, decoded again and found silent where it has to be: fit to be stored. */
export interface RedactedAudio extends MutingSummary {
  readonly _tag: "RedactedAudio"
  readonly bytes: Uint8Array
}

/** The loudest sample that counts as silence: one step of 16-bit audio. */
const SILENCE = 1 / 32_768

/** Frames or packets decoded before a muted stretch, so that the decoder comes to it with sound in its memory. */
const LEAD = 6

/**
 * Seconds decoded at either end of a muted run. What lies between is compared byte for byte with what was heard there:
 * the same empty frame or silent packet again, to a decoder that has come to rest.
 */
const EDGE_SECONDS = 1

/** Frames or packets decoded between two pauses in which other fibers run. */
const BATCH = 64

const notProven = (format: string, reason: string) => new MutingNotProven({ format, reason })

/**
 * Decodes muted audio and compares it with the original: every muted stretch has to be silent, and everything that
 * muting may not touch has to be the same bytes. WAV is decoded by its parser, MP3 by mpg123 and Opus by libopus, both
 * compiled to WebAssembly and loaded when first needed. Only muted stretches and a little before them are decoded.
 * Long checks let other fibers run in between.
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
 * Mutes and checks: the way to redacted audio. Whatever fails, the audio must not be stored. See `muteAudio` for the
 * ranges and `checkMuted` for what is checked.
 */
export const redactAudio = Effect.fn("redactAudio")(function* (
  bytes: Uint8Array,
  ranges: ReadonlyArray<MuteRange>,
  options: MuteOptions = {}
): Effect.fn.Return<RedactedAudio, AudioError> {
  const muted = yield* muteAudio(bytes, ranges, options)
  return yield* checkMuted(bytes, muted)
})

/** The loudest sample, with NaN louder than any. */
const peakOf = (samples: Float32Array, from: number, to: number): number => {
  let peak = 0
  for (let i = from; i < to; i++) {
    const loudness = Math.abs(samples[i] ?? 0)
    if (!(loudness <= peak)) peak = Number.isNaN(loudness) ? Number.POSITIVE_INFINITY : loudness
  }
  return peak
}

/** A decoded frame or packet, as the decoders give it. */
interface Decoded {
  readonly samplesDecoded: number
  readonly channelData: ReadonlyArray<Float32Array>
}

/** Frames or packets to listen to, by position. */
interface DecodeRequest {
  readonly format: "mp3" | "opus"
  /** Runs of positions to decode. */
  readonly runs: ReadonlyArray<AudioRange>
  /** Whether a position holds the one empty frame (packet) that every other such position holds, too. */
  readonly isEmpty: (position: number) => boolean
  /** How many of them make `HEARD_SECONDS`. */
  readonly edge: number
  readonly decode: (position: number) => Decoded
  /** What speaks against a decoded frame or packet. */
  readonly objection: (position: number, decoded: Decoded) => string | undefined
}

/** Decodes runs, each from a little before its start, and stops at the first objection. */
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
        // The decoders are WebAssembly: on bytes that break them they trap.
        catch: () => notProven(to.format, "it does not decode")
      })
      if (objection !== undefined) return yield* notProven(to.format, objection)
      yield* yieldToEventLoop
    }
  })

/** What to decode, in order: every run with its lead, without the middles of long empty stretches. */
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
    // From its first sample to where the latest player would have it end, a muted span is silence.
    const late = mp3Lateness(layout)
    const silent = spans.map((list) => mergeRanges(list.map(({ from, to }) => ({ from, to: to + late }))))
    const firstOpen = silent.map(() => 0)
    const decoder = yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: async () => {
          const { MPEGDecoder } = await import("mpg123-decoder")
          const made = new MPEGDecoder({ enableGapless: false })
          await made.ready
          return made
        },
        catch: () => notProven("mp3", "no decoder")
      }),
      (made) => Effect.sync(() => made.free())
    )
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
    const decoder = yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: async () => {
          const { OpusDecoder } = await import("opus-decoder")
          const made = new OpusDecoder({ channels, preSkip: 0, sampleRate: OPUS_RATE })
          await made.ready
          return made
        },
        catch: () => notProven("opus", "no decoder")
      }),
      (made) => Effect.sync(() => made.free())
    )
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
