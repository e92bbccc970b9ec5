import * as RedactionAudio from "@earshot/redaction/audio"
import * as Either from "effect/Either"
import { MPEGDecoder } from "mpg123-decoder"
import { readFileSync } from "node:fs"
import { OpusDecoder } from "opus-decoder"

export const { checkMuted, describeAudio, durationOf, muteAudio, redactAudio } = RedactionAudio

export const MP3_FILES = [
  "cbr-mono-44100.mp3",
  "cbr-stereo-44100.mp3",
  "cbr-joint-32000.mp3",
  "vbr-joint-44100.mp3",
  "vbr-mono-22050.mp3",
  "cbr-stereo-16000-crc.mp3",
  "abr-mono-16000-id3.mp3",
  "cbr-mono-8000.mp3"
] as const

export const OPUS_FILES = ["mono-20ms.opus", "stereo-20ms.opus", "mono-60ms.opus", "mono-10ms-celt.opus"] as const

export const fixture = (file: string): Uint8Array =>
  Uint8Array.from(readFileSync(new URL(`fixtures/${file}`, import.meta.url)))

export const mute = (
  bytes: Uint8Array,
  ranges: ReadonlyArray<RedactionAudio.MuteRange>,
  options: RedactionAudio.MuteOptions = {}
): RedactionAudio.MutedAudio => Either.getOrThrow(muteAudio(bytes, ranges, options))

export const errorOf = (
  bytes: Uint8Array,
  ranges: ReadonlyArray<RedactionAudio.MuteRange> = [],
  options: RedactionAudio.MuteOptions = {}
): RedactionAudio.AudioError => Either.getOrThrow(Either.flip(muteAudio(bytes, ranges, options)))

/** All of a file as a decoder hears it, a list of samples a channel, with no delay cut off. */
export const hear = async (bytes: Uint8Array): Promise<ReadonlyArray<Float32Array>> => {
  const muted = mute(bytes, [])
  if (muted.plan.format === "opus") {
    const decoder = new OpusDecoder({ channels: muted.info.channels, preSkip: 0 })
    await decoder.ready
    const packets = muted.plan.layout.packets.map(({ spans }) =>
      Uint8Array.from(Buffer.concat(spans.map(({ from, to }) => bytes.subarray(from, to))))
    )
    const channelData = decoder.decodeFrames(packets).channelData
    decoder.free()
    return channelData
  }
  const decoder = new MPEGDecoder({ enableGapless: false })
  await decoder.ready
  const channelData = decoder.decode(bytes).channelData.slice(0, muted.info.channels)
  decoder.free()
  return channelData
}

/** Seconds of the first and the last sample that two recordings differ in by more than `tolerance`. */
export const difference = (
  a: Float32Array,
  b: Float32Array,
  rate: number,
  tolerance = 0
): readonly [from: number, to: number] | undefined => {
  let first = -1
  let last = -1
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    if (Math.abs((a[i] ?? 2) - (b[i] ?? 2)) <= tolerance) continue
    if (first < 0) first = i
    last = i
  }
  return first < 0 ? undefined : [first / rate, last / rate]
}

export const peak = (samples: Float32Array, rate: number, from: number, to: number): number =>
  samples.subarray(Math.ceil(from * rate), Math.floor(to * rate)).reduce((max, x) => Math.max(max, Math.abs(x)), 0)
