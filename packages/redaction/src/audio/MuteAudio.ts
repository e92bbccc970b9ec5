import * as Either from "effect/Either"
import { type AudioError, UnsupportedAudio } from "./AudioErrors.js"
import { hasText } from "./Bytes.js"
import { isMp3, mp3Duration, mp3Length, type Mp3Layout, parseMp3 } from "./Mp3.js"
import { muteMp3, mutedFrames } from "./MuteMp3.js"
import {
  allRanges,
  type ChannelRanges,
  DEFAULT_PADDING_SECONDS,
  framesIn,
  type MuteRange,
  type AudioRange,
  framesOf,
  validateRanges
} from "./MuteRanges.js"
import { isOgg, OPUS_RATE, type OpusLayout, parseOpus } from "./OggOpus.js"
import { mutedPackets, muteOpus, type OpusMuting } from "./MuteOpus.js"
import { type Fill, isDualMono, muteWav } from "./MuteWav.js"
import { isWav, parseWav, type WavLayout } from "./Wav.js"

/** Formats that can be muted. */
export type AudioFormat = "wav" | "mp3" | "opus"

/** Properties of audio. */
export interface AudioInfo {
  readonly format: AudioFormat
  /** Seconds of sound that the bytes hold. */
  readonly durationSeconds: number
  readonly channels: number
  /** Sample frames a second; always 48,000 for Opus. */
  readonly sampleRate: number
}

/** Audio whose samples were found. */
export type AudioLayout =
  | { readonly format: "wav"; readonly layout: WavLayout }
  | { readonly format: "mp3"; readonly layout: Mp3Layout }
  | { readonly format: "opus"; readonly layout: OpusLayout }

export interface MuteOptions {
  /** Default: silence. A 1 kHz tone is written only into WAV; other formats get silence. */
  readonly fill?: Fill | undefined
  /** Seconds muted around every range. Default: 0.25. */
  readonly padding?: number | undefined
}

/** What muting did, for the record of the call; it holds no sound. */
export interface MutingSummary {
  readonly info: AudioInfo
  /** What the muted ranges hold. */
  readonly fill: Fill
  /** Seconds that are muted in at least one channel, padding included, before a format's frames round them outwards. */
  readonly mutedSeconds: number
  /** Whether a range that named one channel also muted the other one, at least in part. */
  readonly bothChannels: boolean
  /** Ranges that start at or behind the end of the audio: transcript and audio may not belong together. */
  readonly rangesBeyond: number
}

/** Muted audio that is not verified yet: call `checkMuted` before it is stored. */
export interface MutedAudio extends MutingSummary {
  readonly _tag: "MutedAudio"
  readonly bytes: Uint8Array
  readonly plan: MutePlan
}

/** What verification must find silent, per format. */
export type MutePlan =
  | { readonly format: "wav"; readonly spans: ChannelRanges }
  | {
      readonly format: "mp3"
      readonly layout: Mp3Layout
      readonly spans: ChannelRanges
      readonly flags: Uint8Array
      readonly touched: ReadonlyArray<AudioRange>
    }
  | { readonly format: "opus"; readonly layout: OpusLayout; readonly muting: OpusMuting }

/** Formats whose bytes cannot be muted in place, for the error message; `convertAudio` reads the first three. */
const KNOWN_OTHERS: ReadonlyArray<readonly [name: string, at: number, text: string]> = [
  ["FLAC", 0, "fLaC"],
  ["MP4 or M4A", 4, "ftyp"],
  ["WebM or Matroska", 0, "\x1a\x45\xdf\xa3"],
  ["AIFF", 0, "FORM"],
  ["AU", 0, ".snd"],
  ["AMR", 0, "#!AMR"],
  ["CAF", 0, "caff"]
]

/**
 * Detects audio by its bytes, never by a name or a declared type, and finds its samples: WAV (integers of 8 to 32
 * bits, floating point, mu-law, A-law), MPEG Layer III, Opus in Ogg. Anything else is `UnsupportedAudio`.
 */
export const parseAudio = (bytes: Uint8Array): Either.Either<AudioLayout, AudioError> => {
  if (isWav(bytes)) return Either.map(parseWav(bytes), (layout) => ({ format: "wav", layout }) as const)
  if (isOgg(bytes)) return Either.map(parseOpus(bytes), (layout) => ({ format: "opus", layout }) as const)
  const other = KNOWN_OTHERS.find(([, at, text]) => hasText(bytes, at, text))
  if (other !== undefined) return Either.left(new UnsupportedAudio({ reason: other[0] }))
  if (isMp3(bytes)) return Either.map(parseMp3(bytes), (layout) => ({ format: "mp3", layout }) as const)
  return Either.left(new UnsupportedAudio({ reason: "unknown format" }))
}

export const infoOf = (audio: AudioLayout): AudioInfo => {
  switch (audio.format) {
    case "wav": {
      const { channels, frames, sampleRate } = audio.layout
      return { format: "wav", channels, sampleRate, durationSeconds: frames / sampleRate }
    }
    case "mp3": {
      const { channels, sampleRate } = audio.layout
      return { format: "mp3", channels, sampleRate, durationSeconds: mp3Duration(audio.layout) }
    }
    case "opus": {
      const { channels, length } = audio.layout
      return { format: "opus", channels, sampleRate: OPUS_RATE, durationSeconds: length / OPUS_RATE }
    }
  }
}

/** Format, duration, channels and sample rate of audio. */
export const describeAudio = (bytes: Uint8Array): Either.Either<AudioInfo, AudioError> =>
  Either.map(parseAudio(bytes), infoOf)

/** Seconds of sound in audio. */
export const durationOf = (bytes: Uint8Array): Either.Either<number, AudioError> =>
  Either.map(describeAudio(bytes), ({ durationSeconds }) => durationSeconds)

/**
 * Mutes ranges of audio without decoding or encoding it. Pure and total: any bytes give muted audio or an error.
 *
 * WAV: the samples inside are overwritten in place, in the named channel or in all of them. A stereo file whose
 * channels are identical has no channel per speaker, so both are muted. MP3: the frames inside are emptied; one
 * channel is muted alone if a frame codes left and right independently. Opus: the packets inside become silent packets, in
 * both channels. The bytes outside stay (see each format for rounding). With nothing to mute, the audio is
 * returned unchanged.
 */
export const muteAudio = (
  bytes: Uint8Array,
  ranges: ReadonlyArray<MuteRange>,
  options: MuteOptions = {}
): Either.Either<MutedAudio, AudioError> => {
  const padding = options.padding ?? DEFAULT_PADDING_SECONDS
  return Either.flatMap(validateRanges(ranges, padding), () =>
    Either.map(parseAudio(bytes), (audio) => mute(bytes, audio, ranges, padding, options.fill ?? "silence"))
  )
}

const mute = (
  bytes: Uint8Array,
  audio: AudioLayout,
  ranges: ReadonlyArray<MuteRange>,
  padding: number,
  fill: Fill
): MutedAudio => {
  const info = infoOf(audio)
  const { channels, sampleRate } = info
  const rangesBeyond = ranges.filter(({ end, start }) => Math.min(start, end) >= info.durationSeconds).length
  const namesOne = channels === 2 && ranges.some(({ channel }) => channel !== undefined)
  const everywhere = ranges.map(({ end, start }) => ({ start, end }))
  const summary = (spans: ChannelRanges) =>
    ({ _tag: "MutedAudio", info, rangesBeyond, mutedSeconds: framesIn(allRanges(spans)) / sampleRate }) as const
  switch (audio.format) {
    case "wav": {
      const bothChannels = namesOne && isDualMono(bytes, audio.layout)
      const length = audio.layout.frames
      const spans = framesOf(bothChannels ? everywhere : ranges, { channels, sampleRate, length }, padding)
      const plan = { format: "wav", spans } as const
      return { ...summary(spans), bytes: muteWav(bytes, audio.layout, spans, fill), fill, bothChannels, plan }
    }
    case "mp3": {
      const spans = framesOf(ranges, { channels, sampleRate, length: mp3Length(audio.layout) }, padding)
      const flags = mutedFrames(audio.layout, spans)
      const muted = muteMp3(bytes, audio.layout, flags)
      const plan = { format: "mp3", layout: audio.layout, spans, flags, touched: muted.touched } as const
      return { ...summary(spans), bytes: muted.bytes, fill: "silence", bothChannels: muted.widened > 0, plan }
    }
    case "opus": {
      const spans = framesOf(everywhere, { channels: 1, sampleRate, length: audio.layout.reach }, padding)
      const muting = mutedPackets(audio.layout, spans[0] ?? [])
      const isUntouched = !muting.replaced.includes(1)
      const plan = { format: "opus", layout: audio.layout, muting } as const
      return {
        ...summary(spans),
        bytes: isUntouched ? bytes : muteOpus(bytes, audio.layout, muting.replaced),
        fill: "silence",
        bothChannels: namesOne,
        plan
      }
    }
  }
}
