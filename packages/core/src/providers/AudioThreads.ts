/** Works on the audio of recordings in threads, with the program that `@earshot/redaction` publishes for it. */
import { AudioAnswer, type AudioPiece, type AudioQuestion, audioPeaks, redactAudio } from "@earshot/redaction/audio"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { setImmediate } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import type { Worker } from "node:worker_threads"
import { AudioWorkFailed } from "../calls/CallErrors.js"
import { RecordingAudio } from "../calls/RecordingAudio.js"
import { askThread, makeThreadPool } from "../kernel/Threads.js"
import { findThreadProgram, MODULE_THREAD } from "../kernel/ThreadPrograms.js"

export interface AudioThreadsConfig {
  /** How long work on one recording may take. Default: 1 minute. */
  readonly timeout?: Duration.DurationInput
  /** Recordings worked on at a time, each in a thread of its own. Default: 2. */
  readonly concurrency?: number
  /** The program of a thread, an absolute path. Default: that of `@earshot/redaction`, where it is found. */
  readonly program?: string
}

/** Where no program is found, as in a bundle of the host's: in steps between which the event loop runs. */
const onThisThread = RecordingAudio.of({
  redact: redactAudio,
  peaks: audioPeaks
})

/** Bytes that are copied at a time: an hour of recording at once would take the time of a hundred requests. */
const PIECE_BYTES = 1_048_576

/** Sends copies of the bytes, which the thread then owns. */
const sendPieces = (worker: Worker, bytes: Uint8Array): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const piece = Uint8Array.from(bytes.subarray(at, at + PIECE_BYTES))
      worker.postMessage({ kind: "piece", bytes: piece } satisfies AudioPiece, [piece.buffer])
      await setImmediate()
    }
  })

export const layer = (config: AudioThreadsConfig = {}): Layer.Layer<RecordingAudio> =>
  Layer.scoped(
    RecordingAudio,
    Effect.gen(function* () {
      const program =
        config.program ?? findThreadProgram("@earshot/redaction/audio-thread", "redaction/dist/audio/thread.js")
      if (program === undefined) return onThisThread
      const timeout = Duration.decode(config.timeout ?? "1 minute")
      const useThread = yield* makeThreadPool(
        {
          program: MODULE_THREAD,
          workerData: { program: pathToFileURL(program).href },
          resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 }
        },
        config.concurrency ?? 2
      )

      const ask = <A, E, I>(
        schema: Schema.Schema<Either.Either<A, E>, I>,
        bytes: Uint8Array,
        question: AudioQuestion
      ): Effect.Effect<A, E | AudioWorkFailed> =>
        useThread((worker) =>
          Effect.zipRight(sendPieces(worker, bytes), askThread(worker, question)).pipe(
            Effect.mapError((reason) => new AudioWorkFailed({ reason })),
            Effect.timeoutFail({
              duration: timeout,
              onTimeout: () => new AudioWorkFailed({ reason: `It took longer than ${Duration.format(timeout)}.` })
            }),
            // The time that passes, whatever clock the caller has.
            Effect.withClock(Clock.make())
          )
        ).pipe(
          Effect.flatMap((answer) =>
            Effect.mapError(
              Schema.decodeUnknown(schema)(answer),
              () => new AudioWorkFailed({ reason: "The thread's answer cannot be read." })
            )
          ),
          Effect.flatten,
          Effect.tapError((error) =>
            error instanceof AudioWorkFailed
              ? Effect.logWarning("Failed to process the audio of a recording", { reason: error.reason })
              : Effect.void
          )
        )

      return RecordingAudio.of({
        redact: (bytes, ranges, options) => ask(AudioAnswer.redact, bytes, { kind: "redact", ranges, options }),
        peaks: (bytes, options) => ask(AudioAnswer.peaks, bytes, { kind: "peaks", options })
      })
    })
  )
