import * as Effect from "effect/Effect"
import { type AudioFault, MutingNotProven } from "./AudioErrors.js"
import { type Mp3Layout, mp3Lateness, mp3Objection } from "./Mp3.js"
import { type MutedAudio, muteAudio, type MuteOptions, type MutingSummary } from "./MuteAudio.js"
import { allSpans, type ChannelSpans, type MuteRange, type Span } from "./MuteRanges.js"
import { opusObjection, OPUS_RATE, type OpusLayout, type OpusMuting, packetBytes, parseOpus, runsOf } from "./OggOpus.js"
import { wavObjection } from "./Wav.js"
import * as Either from "effect/Either"

/** Audio that was muted, decoded again and found silent where it has to be: fit to be stored. */
export interface RedactedAudio extends MutingSummary {
  readonly _tag: "RedactedAudio"
  readonly bytes: Uint8Array
}

/** The loudest sample that counts as silence: one step of 16-bit audio. */
const SILENCE = 1 / 32_768

/** Frames or packets decoded before a muted stretch, so that the decoder comes to it with sound in its memory. */
const LEAD = 6

/** Frames or packets decoded between two pauses in which other fibers run. */
const BATCH = 256

const notProven = (format: string, reason: string) => new MutingNotProven({ format, reason })

/**
 * Decodes muted audio and compares it with the original: every muted stretch has to be silent, and everything that
 * muting may not touch has to be the same bytes. WAV is decoded by its parser, MP3 by mpg123 and Opus by libopus, both
 * compiled to WebAssembly and loaded when first needed. Only muted stretches and a little before them are decoded.
 * Long checks let other fibers run in between.
 */
export const checkMuted = (
  original: Uint8Array,
  muted: MutedAudio
): Effect.Effect<RedactedAudio, MutingNotProven> => {
  const { _tag, bytes, plan, ...summary } = muted
  const proven: RedactedAudio = { _tag: "RedactedAudio", bytes, ...summary }
  const found = (objection: string | undefined): Effect.Effect<RedactedAudio, MutingNotProven> =>
    objection === undefined ? Effect.succeed(proven) : Effect.fail(notProven(plan.format, objection))
  switch (plan.format) {
    case "wav":
      return Effect.suspend(() => found(wavObjection(original, bytes, plan.spans, muted.fill)))
    case "mp3":
      return Effect.suspend(() => found(mp3Objection(original, bytes, plan.flags, plan.touched))).pipe(
        Effect.zipLeft(plan.flags.some((flag) => flag !== 0) ? hearMp3(bytes, plan.layout, plan.spans) : Effect.void)
      )
    case "opus":
      return muted.bytes === original
        ? Effect.succeed(proven)
        : Effect.suspend(() => found(opusObjection(original, plan.layout, bytes, plan.muting.replaced))).pipe(
            Effect.zipLeft(hearOpus(bytes, plan.layout, plan.muting))
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
): Effect.fn.Return<RedactedAudio, AudioFault> {
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

const hearMp3 = (
  bytes: Uint8Array,
  layout: Mp3Layout,
  spans: ChannelSpans
): Effect.Effect<void, MutingNotProven> =>
  Effect.gen(function* () {
    const per = layout.samplesPerFrame
    const decodable = layout.offsets.length - (layout.isCut ? 1 : 0)
    // From its first sample to where the latest player would have it end, a muted span is silence.
    const late = mp3Lateness(layout)
    const silent = spans.map((list) => list.map(({ from, to }) => ({ from, to: to + late })))
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
    const frameOf = (span: Span): Span => ({
      from: Math.floor(span.from / per),
      to: Math.min(decodable, Math.ceil(span.to / per))
    })
    let next = 0
    for (const run of allSpans(silent).map(frameOf)) {
      for (let frame = Math.max(next, run.from - LEAD); frame < run.to; frame++) {
        const at = layout.offsets[frame] ?? 0
        const decoded = yield* Effect.try({
          try: () => decoder.decodeFrame(bytes.subarray(at, at + (layout.sizes[frame] ?? 0))),
          catch: () => notProven("mp3", `frame ${frame} does not decode`)
        })
        next = frame + 1
        if (frame % BATCH === 0) yield* Effect.yieldNow()
        if (frame < run.from) continue
        if (decoded.samplesDecoded !== per) return yield* notProven("mp3", `frame ${frame} does not decode`)
        for (const [channel, list] of silent.entries()) {
          const samples = decoded.channelData[channel]
          if (samples === undefined) return yield* notProven("mp3", `frame ${frame} lacks a channel`)
          for (const { from, to } of list) {
            if (to <= frame * per || from >= (frame + 1) * per) continue
            const peak = peakOf(samples, Math.max(0, from - frame * per), Math.min(per, to - frame * per))
            if (peak > SILENCE) return yield* notProven("mp3", `sound in frame ${frame}`)
          }
        }
      }
    }
  }).pipe(Effect.scoped)

const hearOpus = (
  bytes: Uint8Array,
  before: OpusLayout,
  muting: OpusMuting
): Effect.Effect<void, MutingNotProven> =>
  Effect.gen(function* () {
    const parsed = parseOpus(bytes)
    if (Either.isLeft(parsed)) return yield* notProven("opus", "it no longer parses")
    const layout = parsed.right
    const decoder = yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: async () => {
          const { OpusDecoder } = await import("opus-decoder")
          const made = new OpusDecoder({ channels: before.channels, preSkip: 0, sampleRate: OPUS_RATE })
          await made.ready
          return made
        },
        catch: () => notProven("opus", "no decoder")
      }),
      (made) => Effect.sync(() => made.free())
    )
    let next = 0
    for (const run of runsOf(muting.replaced)) {
      for (let i = Math.max(next, run.from - LEAD); i < run.to; i++) {
        const packet = layout.packets[i]
        if (packet === undefined || packet.samples === 0) continue
        const decoded = yield* Effect.try({
          try: () => decoder.decodeFrame(packetBytes(bytes, packet)),
          catch: () => notProven("opus", `packet ${i} does not decode`)
        })
        next = i + 1
        if (i % BATCH === 0) yield* Effect.yieldNow()
        if (muting.silent[i] !== 1) continue
        if (decoded.samplesDecoded !== packet.samples) return yield* notProven("opus", `packet ${i} does not decode`)
        if (decoded.channelData.some((samples) => peakOf(samples, 0, packet.samples) > SILENCE)) {
          return yield* notProven("opus", `sound in packet ${i}`)
        }
      }
    }
  }).pipe(Effect.scoped)
