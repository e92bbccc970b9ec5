/** Speech of a program that is installed on this machine: `espeak-ng`, or one with the same options. */
import { type ChildProcessByStdio, spawn } from "node:child_process"
import type { Readable, Writable } from "node:stream"
import { readWav } from "@earshot/redaction/audio"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { type Speak, type SpeechFailed, TextToSpeech, type Utterance } from "../simulation/voice/TextToSpeech.js"
import { converted, failed, INVALID_AUDIO, MAX_BYTES, MAX_CHARACTERS, playable, textToSend } from "./SpeechSound.js"

export interface CommandTextToSpeechConfig {
  /** The program: its name, looked up in `PATH`, or its path. */
  readonly program: string
  /** The voice of utterances that name none. Default: the program's. */
  readonly voice?: string
  /** Programs that run at a time; further utterances wait. Default: 2. */
  readonly concurrency?: number
  /** For one utterance. Default: 30 seconds. */
  readonly timeout?: Duration.DurationInput
  /** The largest audio in bytes. Default: 33,554,432. */
  readonly maxBytes?: number
  /** The longest text in characters that is sent. Default: 4096. */
  readonly maxCharacters?: number
}

/** A voice's name, such as `en-us+f3`. Paths are none: the program would read any file as a voice. */
const VOICE = /^[A-Za-z0-9][A-Za-z0-9_+-]{0,99}$/

/** Words a minute of the usual pace, and what espeak-ng takes. */
const WORDS = { usual: 175, min: 80, max: 450 } as const

type Program = ChildProcessByStdio<Writable, Readable, null>

/** Secrets of the engine's settings are not the program's. */
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("EARSHOT_")))

const started = (program: string, options: ReadonlyArray<string>): Program =>
  spawn(program, options, { stdio: ["pipe", "pipe", "ignore"], windowsHide: true, env: environment() })

/** Why a program could not be started, by Node's code of the error. */
const notStarted = (program: string, code: string | undefined): SpeechFailed =>
  failed(
    code === "ENOENT"
      ? `the program ${program} is not installed. Install it, or set its path in EARSHOT_SPEECH_PROGRAM.`
      : `the program ${program} cannot be run (${code ?? "unknown error"}).`
  )

const codeOf = (error: Error): string | undefined =>
  "code" in error && typeof error.code === "string" ? error.code : undefined

/** Writes a text to a program and reads what it prints; it is killed when that is interrupted. */
const output = (
  program: string,
  options: ReadonlyArray<string>,
  text: string,
  maxBytes: number
): Effect.Effect<Buffer, SpeechFailed> =>
  Effect.async<Buffer, SpeechFailed>((resume) => {
    const child = started(program, options)
    const parts: Array<Buffer> = []
    let bytes = 0
    const end = (result: Effect.Effect<Buffer, SpeechFailed>): void => {
      child.kill("SIGKILL")
      resume(result)
    }
    child.on("error", (error) => {
      end(Effect.fail(notStarted(program, codeOf(error))))
    })
    child.stdout.on("data", (part: Buffer) => {
      bytes += part.length
      if (bytes <= maxBytes) parts.push(part)
      else end(Effect.fail(failed(`the program ${program} sent more than ${maxBytes} bytes.`)))
    })
    child.on("close", (code, signal) => {
      end(
        code === 0
          ? Effect.succeed(Buffer.concat(parts))
          : Effect.fail(
              failed(
                `the program ${program} failed (${signal ?? `exit code ${code ?? "unknown"}`}). Check that it has the voice.`
              )
            )
      )
    })
    // A program that does not read its input closes it.
    child.stdin.on("error", () => undefined)
    child.stdin.end(text)
    return Effect.sync(() => {
      child.kill("SIGKILL")
    })
  })

/**
 * Speech of a program that reads a text from its standard input and prints a WAV file: `--stdin --stdout -s WORDS [-v VOICE]`. No
 * shell is involved, and the text is no argument.
 */
export const layer = (config: CommandTextToSpeechConfig): Layer.Layer<TextToSpeech> =>
  Layer.effect(
    TextToSpeech,
    Effect.map(Effect.makeSemaphore(config.concurrency ?? 2), (semaphore) => ({
      identity: JSON.stringify(["program", config.program, config.voice]),
      speak: makeSpeak(config, semaphore)
    }))
  )

const makeSpeak = (config: CommandTextToSpeechConfig, semaphore: Effect.Semaphore): Speak => {
  const { maxBytes = MAX_BYTES, maxCharacters = MAX_CHARACTERS, program } = config
  const timeout = Duration.decode(config.timeout ?? "30 seconds")
  const speak = (utterance: Utterance) =>
    Effect.gen(function* () {
      const text = yield* textToSend(utterance, maxCharacters)
      const voice = utterance.voice ?? config.voice
      if (voice !== undefined && !VOICE.test(voice)) {
        return yield* failed(`the voice is not a name of letters, digits, "-", "_" and "+".`)
      }
      const words = Math.round(WORDS.usual * (utterance.speed ?? 1))
      const options = [
        "--stdin",
        "--stdout",
        "-s",
        String(Math.max(WORDS.min, Math.min(words, WORDS.max))),
        ...(voice === undefined ? [] : ["-v", voice])
      ]
      const printed = yield* output(program, options, text, maxBytes).pipe(
        semaphore.withPermits(1),
        Effect.timeoutFail({
          duration: timeout,
          onTimeout: () => failed(`the program ${program} took longer than ${Duration.format(timeout)}.`)
        })
      )
      const sound = Either.flatMap(
        Either.mapLeft(readWav(printed), () => INVALID_AUDIO),
        playable
      )
      if (Either.isLeft(sound)) return yield* failed(`the program ${program} ${sound.left}.`)
      return yield* converted(sound.right)
    })
  return (utterance) => Stream.fromEffect(speak(utterance))
}
