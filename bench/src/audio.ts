/**
 * Muting of audio, as a multiple of real time, including the verification that decodes the result again. A call of an hour
 * in each format, with 6 s of every minute muted (padding included), all of it muted, and in stereo those 6 s in one channel.
 */
import * as RedactionAudio from "@earshot/redaction/audio"
import * as AudioFiles from "@earshot/test-kit/audio"
import { RecordingAudio } from "@earshot/core"
import * as AudioThreads from "@earshot/core/providers/AudioThreads"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { readFile } from "node:fs/promises"
import { benchmark, type Environment } from "./Benchmark.js"
import { longestDelay, median, type Sample, timed } from "./measure.js"

/** `seconds`: length of the call, a multiple of 60. */
interface Size {
  readonly seconds: number
  readonly rounds: number
  /** How many of the calls are muted in a thread as well. */
  readonly inThreads: number
}

const sample = async (file: string): Promise<Uint8Array> =>
  Uint8Array.from(await readFile(new URL(`../../packages/redaction/test/audio/fixtures/${file}`, import.meta.url)))

const wav = (length: number, bits: number, channels: number, sampleRate: number, tag: "pcm" | "mulaw"): Uint8Array => {
  const samples = new Uint8Array((length * sampleRate * channels * bits) / 8)
  for (let i = 0; i < samples.length; i++) samples[i] = (i * 2_654_435_761) >>> 24
  return AudioFiles.wavFileOf(samples, { tag, bits, channels, sampleRate })
}

/** Repeats the frames of a sample file. The files have no tags. */
const mp3 = async (length: number, file: string): Promise<Uint8Array> => {
  const bytes = await sample(file)
  const seconds = Either.getOrElse(RedactionAudio.durationOf(bytes), () => Number.NaN)
  return Uint8Array.from(Buffer.concat(Array.from({ length: Math.ceil(length / seconds) }, () => bytes)))
}

const opus = async (length: number, file: string, channels: 1 | 2): Promise<Uint8Array> => {
  const packets = AudioFiles.oggPacketsOf(await sample(file)).slice(2)
  const repeated = Array.from({ length: length * 50 }, (_, i) => packets[i % packets.length] ?? new Uint8Array(0))
  return AudioFiles.oggOpusOf(repeated, { channels, samplesPerPacket: 960 })
}

const measure = async (
  { rounds, seconds }: Size,
  print: Environment["print"],
  label: string,
  target: number,
  bytes: Uint8Array,
  ranges: ReadonlyArray<RedactionAudio.MuteRange>
): Promise<void> => {
  const samples: Array<Sample> = []
  for (let round = 0; round < rounds; round++) {
    samples.push(await Effect.runPromise(timed(RedactionAudio.redactAudio(bytes, ranges))))
  }
  const speed = (ms: number) => Math.round((seconds * 1_000) / ms).toLocaleString("en-US")
  print(
    `  ${label.padEnd(46)} ${speed(median(samples.map(({ ms }) => ms))).padStart(8)} x real time, ` +
      `CPU ${speed(median(samples.map(({ cpuMs }) => cpuMs)))} x (target: ${target.toLocaleString("en-US")} x)`
  )
}

/** Muting on the thread that answers requests, as `redactAudio` does it, and in a thread, as a server does it. */
const compareThreads = (
  { rounds, seconds }: Size,
  print: Environment["print"],
  calls: ReadonlyArray<readonly [label: string, target: number, bytes: Uint8Array]>,
  ranges: ReadonlyArray<RedactionAudio.MuteRange>
) =>
  Effect.gen(function* () {
    const inThread = yield* RecordingAudio
    print(`longest delay of the event loop while audio of ${seconds} s is muted, median of ${rounds} rounds`)
    for (const [label, , bytes] of calls) {
      const here: Array<number> = []
      const there: Array<number> = []
      for (let round = 0; round <= rounds; round++) {
        const delays = yield* Effect.promise(async () => [
          await longestDelay(RedactionAudio.redactAudio(bytes, ranges)),
          await longestDelay(inThread.redact(bytes, ranges, {}))
        ])
        // The first round loads the decoders and starts the thread.
        if (round === 0) continue
        here.push(delays[0] ?? Number.NaN)
        there.push(delays[1] ?? Number.NaN)
      }
      print(
        `  ${label.padEnd(46)} ${median(here).toFixed(0).padStart(6)} ms on its thread, ${median(there).toFixed(0).padStart(4)} ms with a thread of its own`
      )
    }
  }).pipe(Effect.provide(AudioThreads.layer()), Effect.runPromise)

export const audioBenchmark = benchmark<Size>({
  name: "audio",
  full: { seconds: 3_600, rounds: 3, inThreads: Infinity },
  tiny: { seconds: 60, rounds: 1, inThreads: 2 },
  run: async (size, { print }) => {
    const { rounds, seconds } = size
    const everyMinute = Array.from({ length: seconds / 60 }, (_, minute) => ({
      start: minute * 60 + 20.25,
      end: minute * 60 + 25.75
    }))
    const complete = [{ start: 0, end: seconds }]
    const oneChannel = everyMinute.map((range) => ({ ...range, channel: 1 as const }))
    print(`muting and verifying audio of ${seconds} s, median of ${rounds} rounds`)
    const calls = [
      ["WAV, 16 bit, 8 kHz mono", 2_000, wav(seconds, 16, 1, 8_000, "pcm")],
      ["WAV, mu-law, 8 kHz stereo", 2_000, wav(seconds, 8, 2, 8_000, "mulaw")],
      ["WAV, 16 bit, 48 kHz stereo", 2_000, wav(seconds, 16, 2, 48_000, "pcm")],
      ["MP3, 8 kHz mono", 500, await mp3(seconds, "cbr-mono-8000.mp3")],
      ["MP3, 44.1 kHz mono", 500, await mp3(seconds, "cbr-mono-44100.mp3")],
      ["MP3, 44.1 kHz stereo", 500, await mp3(seconds, "cbr-stereo-44100.mp3")],
      ["Opus, 20 ms mono", 500, await opus(seconds, "mono-20ms.opus", 1)],
      ["Opus, 20 ms stereo", 500, await opus(seconds, "stereo-20ms.opus", 2)]
    ] as const
    for (const [label, target, bytes] of calls) {
      await measure(size, print, `${label}, 6 s per minute`, target, bytes, everyMinute)
      await measure(size, print, `${label}, all`, target, bytes, complete)
      if (label.includes("stereo")) await measure(size, print, `${label}, one channel`, target, bytes, oneChannel)
    }
    await compareThreads(size, print, calls.slice(0, size.inThreads), everyMinute)
  }
})
