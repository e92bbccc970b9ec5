/**
 * How many times faster than real time audio is muted and checked, the check's second decoding included: a call of an
 * hour in each format, with 6 s of every minute muted (padding included), all of it, and in stereo those 6 s in one channel.
 */
import * as RedactionAudio from "@earshot/redaction/audio"
import * as AudioFiles from "@earshot/test-kit/audio"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { readFile } from "node:fs/promises"

export const name = "audio"

const HOUR = 3600
const ROUNDS = 3

const sample = async (file: string): Promise<Uint8Array> =>
  Uint8Array.from(await readFile(new URL(`../../packages/redaction/test/audio/fixtures/${file}`, import.meta.url)))

const wav = (bits: number, channels: number, sampleRate: number, tag: "pcm" | "mulaw"): Uint8Array => {
  const samples = new Uint8Array((HOUR * sampleRate * channels * bits) / 8)
  for (let i = 0; i < samples.length; i++) samples[i] = (i * 2_654_435_761) >>> 24
  return AudioFiles.wavFileOf(samples, { tag, bits, channels, sampleRate })
}

/** The sample's frames again and again until the hour is full; the samples carry no tags. */
const mp3 = async (file: string): Promise<Uint8Array> => {
  const bytes = await sample(file)
  const seconds = Either.getOrElse(RedactionAudio.durationOf(bytes), () => Number.NaN)
  return Uint8Array.from(Buffer.concat(Array.from({ length: Math.ceil(HOUR / seconds) }, () => bytes)))
}

const opus = async (file: string, channels: 1 | 2): Promise<Uint8Array> => {
  const packets = AudioFiles.oggPacketsOf(await sample(file)).slice(2)
  const hour = Array.from({ length: HOUR * 50 }, (_, i) => packets[i % packets.length] ?? new Uint8Array(0))
  return AudioFiles.oggOpusOf(hour, { channels, samplesPerPacket: 960 })
}

const everyMinute = Array.from({ length: HOUR / 60 }, (_, minute) => ({
  start: minute * 60 + 20.25,
  end: minute * 60 + 25.75
}))
const allOfIt = [{ start: 0, end: HOUR }]
const oneChannel = everyMinute.map((range) => ({ ...range, channel: 1 as const }))

const measure = async (
  label: string,
  goal: number,
  bytes: Uint8Array,
  ranges: ReadonlyArray<RedactionAudio.MuteRange>
): Promise<void> => {
  const times: Array<number> = []
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.hrtime.bigint()
    await Effect.runPromise(RedactionAudio.redactAudio(bytes, ranges))
    times.push(Number(process.hrtime.bigint() - before) / 1e9)
  }
  const median = times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN
  const speed = Math.round(HOUR / median).toLocaleString("en-US")
  console.log(
    `  ${label.padEnd(46)} ${speed.padStart(8)} x real time (at least ${goal.toLocaleString("en-US")} wanted)`
  )
}

export const run = async (): Promise<void> => {
  console.log(`audio of one hour, muted and checked, median of ${ROUNDS}`)
  const calls = [
    ["WAV, 16 bit, 8 kHz mono", 2_000, wav(16, 1, 8_000, "pcm")],
    ["WAV, mu-law, 8 kHz stereo", 2_000, wav(8, 2, 8_000, "mulaw")],
    ["WAV, 16 bit, 48 kHz stereo", 2_000, wav(16, 2, 48_000, "pcm")],
    ["MP3, 8 kHz mono", 500, await mp3("cbr-mono-8000.mp3")],
    ["MP3, 44.1 kHz mono", 500, await mp3("cbr-mono-44100.mp3")],
    ["MP3, 44.1 kHz stereo", 500, await mp3("cbr-stereo-44100.mp3")],
    ["Opus, 20 ms mono", 500, await opus("mono-20ms.opus", 1)],
    ["Opus, 20 ms stereo", 500, await opus("stereo-20ms.opus", 2)]
  ] as const
  for (const [label, goal, bytes] of calls) {
    await measure(`${label}, 6 s a minute`, goal, bytes, everyMinute)
    await measure(`${label}, all`, goal, bytes, allOfIt)
    if (label.includes("stereo")) await measure(`${label}, one channel`, goal, bytes, oneChannel)
  }
}
