import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Voice } from "@earshot/core"
import * as CommandTextToSpeech from "@earshot/core/providers/CommandTextToSpeech"
import * as SpeechCache from "@earshot/core/providers/SpeechCache"
import { CallKit } from "@earshot/test-kit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"

const { wholeSpeech } = Voice

/** A folder with a program that runs these statements, in which `speak(samples)` prints a WAV file. */
const programOf = (statements: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const folder = await mkdtemp(join(tmpdir(), "earshot-speech-"))
      const program = join(folder, "speech")
      await writeFile(
        program,
        `#!${process.execPath}
const { appendFileSync, readFileSync } = require("node:fs")
const text = () => readFileSync(0, "utf8")
const note = (what) => appendFileSync(${JSON.stringify(join(folder, "log"))}, JSON.stringify(what) + "\\n")
const speak = (header, samples) => process.stdout.write(Buffer.concat([Buffer.from(header, "base64"), samples]))
${statements}
`
      )
      await chmod(program, 0o755)
      const log = async (): Promise<ReadonlyArray<unknown>> =>
        (await readFile(join(folder, "log"), "utf8").catch(() => ""))
          .split("\n")
          .filter((line) => line !== "")
          .map((line): unknown => JSON.parse(line))
      return { program, log: Effect.promise(log), folder }
    }),
    ({ folder }) => Effect.promise(() => rm(folder, { recursive: true }))
  )

/** The header of a WAV file of 22,050 Hz, whose sizes are placeholders as espeak-ng prints them. */
const header = (): string => {
  const bytes = Buffer.from(CallKit.wav(1, { rate: 22_050 }).subarray(0, 44))
  bytes.writeUInt32LE(0x7ffff024, 4)
  bytes.writeUInt32LE(0x7ffff000, 40)
  return bytes.toString("base64")
}

const SPEAKS = `
note({ options: process.argv.slice(2), text: text(), secret: process.env.EARSHOT_SPEECH_KEY ?? null })
const samples = Buffer.alloc(2 * 22050)
for (let at = 0; at < 22050; at++) samples.writeInt16LE(Math.round(8000 * Math.sin(at * 0.2)), 2 * at)
speak("${header()}", samples)
`

const speaking = (
  config: CommandTextToSpeech.CommandTextToSpeechConfig,
  program: (speech: Voice.TextToSpeech["Type"]) => Effect.Effect<void, Voice.SpeechFailed>
) => Effect.flatMap(Voice.TextToSpeech, program).pipe(Effect.provide(CommandTextToSpeech.layer(config)))

const failure = (config: CommandTextToSpeech.CommandTextToSpeechConfig, utterance: Voice.Utterance = { text: "Hi" }) =>
  Effect.flatMap(Voice.TextToSpeech, ({ speak }) => Effect.flip(wholeSpeech(speak(utterance)))).pipe(
    Effect.map(({ reason }) => reason),
    Effect.provide(CommandTextToSpeech.layer(config))
  )

describe("speech of a program", () => {
  it.scopedLive("is its WAV file at 8 kHz; the text is its input, voice and pace are options", () =>
    Effect.gen(function* () {
      const { log, program } = yield* programOf(SPEAKS)
      yield* speaking({ program, voice: "en" }, ({ speak }) =>
        Effect.gen(function* () {
          const audio = yield* wholeSpeech(speak({ text: `-v x; rm -rf "$HOME" 'ü'\n` }))
          expect(audio).toHaveLength(8000)
          const peak = Math.max(...Voice.decodeMulaw(audio))
          expect(peak).toBeGreaterThan(7000)
          expect(peak).toBeLessThan(9000)
          yield* wholeSpeech(speak({ text: "Hi", voice: "en-us+f3", speed: 1.5 }))
          yield* wholeSpeech(speak({ text: "Hi", speed: 0.25 }))
          yield* wholeSpeech(speak({ text: "Hi", speed: 4 }))
        })
      )
      const options = (words: string, voice: string) => ["--stdin", "--stdout", "-s", words, "-v", voice]
      expect(yield* log).toEqual([
        { options: options("175", "en"), text: `-v x; rm -rf "$HOME" 'ü'`, secret: null },
        { options: options("263", "en-us+f3"), text: "Hi", secret: null },
        { options: options("80", "en"), text: "Hi", secret: null },
        { options: options("450", "en"), text: "Hi", secret: null }
      ])
    })
  )

  it.scopedLive("is cached by its content", () =>
    Effect.gen(function* () {
      const { log, program } = yield* programOf(SPEAKS)
      yield* Effect.gen(function* () {
        const { speak } = yield* Voice.TextToSpeech
        yield* Effect.all(
          [{ text: "a" }, { text: "a" }, { text: "a", voice: "de" }].map((utterance) => wholeSpeech(speak(utterance))),
          {
            concurrency: 3
          }
        )
        yield* wholeSpeech(speak({ text: "a" }))
      }).pipe(Effect.provide(SpeechCache.layer().pipe(Layer.provide(CommandTextToSpeech.layer({ program })))))
      expect(yield* log).toHaveLength(2)
    })
  )

  it.scopedLive("fails with a reason that says what is wrong", () =>
    Effect.gen(function* () {
      const of = (statements: string) => Effect.map(programOf(statements), ({ program }) => ({ program }))
      const missing = "/nowhere/espeak-ng"
      expect(yield* failure({ program: missing })).toBe(
        `the program ${missing} is not installed. Install it, or set its path in EARSHOT_SPEECH_PROGRAM.`
      )
      expect(yield* failure({ program: tmpdir() })).toContain("cannot be run (EACCES)")
      expect(yield* failure(yield* of("process.exit(1)"))).toContain(
        "failed (exit code 1). Check that it has the voice."
      )
      expect(yield* failure(yield* of('process.kill(process.pid, "SIGSEGV")'))).toContain("failed (SIGSEGV)")
      expect(yield* failure(yield* of("text(); console.log('no audio')"))).toContain("sent invalid audio.")
      expect(yield* failure(yield* of(`speak("${header()}", Buffer.alloc(0))`))).toContain("sent no audio.")
      const wordy = yield* of(`speak("${header()}", Buffer.alloc(5000))`)
      expect(yield* failure({ ...wordy, maxBytes: 4000 })).toContain("sent more than 4000 bytes.")
      const endless = yield* of("setInterval(() => process.stdout.write(Buffer.alloc(65536)), 0)")
      expect(yield* failure({ ...endless, maxBytes: 1_000_000 })).toContain("sent more than 1000000 bytes.")
      const silent = yield* of("setInterval(() => {}, 1000)")
      expect(yield* failure({ ...silent, timeout: "300 millis" })).toContain("took longer than 300ms.")
      for (const voice of ["../../etc/passwd", "-w", "a b", ""]) {
        expect(yield* failure({ program: missing }, { text: "Hi", voice })).toContain("the voice is not a name")
      }
      expect(yield* failure({ program: missing }, { text: " \0" })).toBe("the text to speak is empty.")
      expect(yield* failure({ program: missing }, { text: "x".repeat(4097) })).toContain(
        "longer than the 4096 characters"
      )
    })
  )

  it.scopedLive("runs a few programs at a time, and ends one that nobody waits for any more", () =>
    Effect.gen(function* () {
      const { log, program } = yield* programOf(`
note("starts " + process.pid)
setInterval(() => {}, 1000)
`)
      const running = yield* Effect.forkScoped(
        speaking({ program, concurrency: 2 }, ({ speak }) =>
          Effect.all(
            ["a", "b", "c"].map((text) => wholeSpeech(speak({ text }))),
            { concurrency: 3, discard: true }
          )
        )
      )
      const pids = yield* log.pipe(
        Effect.filterOrFail((lines) => lines.length === 2),
        Effect.retry({ times: 200, schedule: Schedule.spaced("20 millis") })
      )
      yield* Fiber.interrupt(running)
      const isRunning = (pid: number): boolean => {
        try {
          return process.kill(pid, 0)
        } catch {
          return false
        }
      }
      const ended = Effect.sync(() => pids.some((line) => isRunning(Number(String(line).split(" ")[1]))))
      yield* ended.pipe(
        Effect.filterOrFail((some) => !some),
        Effect.retry({ times: 200, schedule: Schedule.spaced("20 millis") })
      )
      expect(yield* log).toHaveLength(2)
    })
  )
})
