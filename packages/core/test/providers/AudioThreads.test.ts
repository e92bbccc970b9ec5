import { audioPeaks, redactAudio } from "@earshot/redaction/audio"
import { expect, it } from "@effect/vitest"
import { oggPacketsOf } from "@earshot/test-kit/audio"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { AudioWorkFailed } from "../../src/calls/CallErrors.js"
import { RecordingAudio } from "../../src/calls/RecordingAudio.js"
import * as AudioThreads from "../../src/providers/AudioThreads.js"

const fixture = (name: string): Uint8Array =>
  readFileSync(new URL(`../../../redaction/test/audio/fixtures/${name}`, import.meta.url))

const RANGES = [{ start: 1, end: 1.5, channel: 0 as const }]
const PEAKS = { maxPoints: 100, maxPointsPerSecond: 20, maxChannels: 8 }

const FILES = {
  "of MP3": fixture("cbr-stereo-44100.mp3"),
  "of Opus": fixture("stereo-20ms.opus"),
  "of FLAC": fixture("stereo-16000.flac"),
  "of WebM": fixture("chromium.webm"),
  "that is cut": fixture("mono-8000.flac").subarray(0, 5000),
  "of no known format": Uint8Array.of(1, 2, 3),
  "in a part of a larger buffer": Buffer.concat([Buffer.alloc(7), fixture("cbr-mono-8000.mp3")]).subarray(7)
}

const folder = mkdtempSync(join(tmpdir(), "earshot-threads-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A program that does as the first byte of the audio says: 1 never ends, 2 ends the thread, 3 throws, others are answered. */
const program = join(folder, "program.mjs")
writeFileSync(
  program,
  `import { parentPort } from "node:worker_threads"
  let bytes
  parentPort.on("message", (message) => {
    if (message.kind === "piece") {
      bytes = message.bytes
      return
    }
    if (bytes[0] === 1) for (;;);
    if (bytes[0] === 2) process.exit(1)
    if (bytes[0] === 3) throw new Error("out of luck")
    parentPort.postMessage({ _tag: "Left", left: { _tag: "UnsupportedAudio", reason: "none" } })
  })`
)

/** Its packets if it is Ogg: an Ogg file that was made of another container has a random serial number. */
const comparable = (bytes: Uint8Array) =>
  Buffer.from(bytes.subarray(0, 4)).toString() === "OggS" ? oggPacketsOf(bytes) : Uint8Array.from(bytes)

const provided = Effect.provide(AudioThreads.layer())

for (const [name, bytes] of Object.entries(FILES)) {
  it.effect(`answers about audio ${name} as on the main thread`, () =>
    Effect.gen(function* () {
      const { peaks, redact } = yield* RecordingAudio
      expect(yield* Effect.either(peaks(bytes, PEAKS))).toEqual(yield* Effect.either(audioPeaks(bytes, PEAKS)))
      const here = yield* Effect.either(
        Effect.map(redactAudio(bytes, RANGES, {}), (muted) => ({
          bytes: comparable(muted.bytes),
          info: muted.info,
          rangesBeyond: muted.rangesBeyond
        }))
      )
      const there = Effect.map(redact(bytes, RANGES, {}), (muted) => ({ ...muted, bytes: comparable(muted.bytes) }))
      expect(yield* Effect.either(there)).toEqual(here)
    }).pipe(provided)
  )
}

it.effect("reports unusable ranges", () =>
  Effect.gen(function* () {
    const { redact } = yield* RecordingAudio
    const error = yield* Effect.flip(redact(FILES["of MP3"], [{ start: Number.NaN, end: 2 }], {}))
    expect(error).toMatchObject({ _tag: "UnusableRanges", errors: { "ranges[0].start": [expect.any(String)] } })
  }).pipe(provided)
)

it.live("fails when the work takes too long or its thread ends, and goes on with the next recording", () =>
  Effect.gen(function* () {
    const { peaks } = yield* RecordingAudio
    const reasonOf = (first: number) => Effect.flip(peaks(Uint8Array.of(first, 0), PEAKS))
    expect(yield* reasonOf(1)).toEqual(new AudioWorkFailed({ reason: "It took longer than 1s." }))
    expect(yield* reasonOf(2)).toEqual(new AudioWorkFailed({ reason: "The thread has ended." }))
    expect(yield* reasonOf(3)).toEqual(new AudioWorkFailed({ reason: "The thread failed: out of luck" }))
    expect(yield* reasonOf(0)).toMatchObject({ _tag: "UnsupportedAudio", reason: "none" })
  }).pipe(
    Effect.provide(AudioThreads.layer({ program, timeout: "1 second", concurrency: 1 })),
    Logger.withMinimumLogLevel(LogLevel.None)
  )
)

it.live("works on so many recordings at a time, and the others wait", () =>
  Effect.gen(function* () {
    const { peaks } = yield* RecordingAudio
    const answers = yield* Effect.all(
      Array.from({ length: 6 }, () => peaks(FILES["of MP3"], PEAKS)),
      { concurrency: "unbounded" }
    )
    expect(new Set(answers.map(({ durationSeconds }) => durationSeconds)).size).toBe(1)
  }).pipe(Effect.provide(Layer.fresh(AudioThreads.layer({ concurrency: 2 }))))
)
