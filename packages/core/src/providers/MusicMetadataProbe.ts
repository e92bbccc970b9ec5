/** Reads durations and channels with `music-metadata`, in threads: a file without a header for them is read to its end. */
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import type { Worker } from "node:worker_threads"
import { MAX_AUDIO_CHANNELS, MAX_AUDIO_SECONDS, UNKNOWN_AUDIO } from "../calls/AudioFormat.js"
import { AudioProbe } from "../calls/AudioProbe.js"
import { makeWebmScanner } from "../calls/WebmDuration.js"
import { makeThreadPool } from "../kernel/Threads.js"

export interface MusicMetadataProbeConfig {
  /** How long reading one recording may take. Default: 10 seconds. */
  readonly timeout?: Duration.DurationInput
  /** Recordings read at a time, each in a thread of its own. Default: 2. */
  readonly concurrency?: number
}

const THREAD_PROGRAM = `
"use strict"
const { parentPort, workerData } = require("node:worker_threads")
const library = import(workerData.entry)
library.catch(() => undefined)
const OPTIONS = { duration: true, skipCovers: true, skipPostHeaders: true }
let supply = () => undefined
const contentOf = () =>
  new ReadableStream(
    {
      pull: (controller) =>
        new Promise((resolve) => {
          supply = (bytes) => {
            if (bytes === null) controller.close()
            else controller.enqueue(bytes)
            resolve()
          }
          parentPort.postMessage({ kind: "next" })
        })
    },
    { highWaterMark: 0 }
  )
const probe = async ({ contentType, sizeBytes }) => {
  const { parseWebStream } = await library
  const { format } = await parseWebStream(contentOf(), { mimeType: contentType, size: sizeBytes }, OPTIONS)
  return { kind: "facts", duration: format.duration, channels: format.numberOfChannels }
}
parentPort.on("message", (message) => {
  if ("bytes" in message) supply(message.bytes)
  else
    probe(message).then(
      (facts) => parentPort.postMessage(facts),
      (error) => parentPort.postMessage({ kind: "failed", reason: String(error) })
    )
})
`

/** Bytes sent to a thread at a time. */
const PIECE_BYTES = 262_144

const Answer = Schema.Union(
  Schema.Struct({ kind: Schema.Literal("next") }),
  Schema.Struct({
    kind: Schema.Literal("facts"),
    duration: Schema.optional(Schema.Unknown),
    channels: Schema.optional(Schema.Unknown)
  }),
  Schema.Struct({ kind: Schema.Literal("failed"), reason: Schema.String })
)
const decodeAnswer = Schema.decodeUnknown(Answer)

const isSeconds = Schema.is(Schema.Number.pipe(Schema.greaterThan(0), Schema.lessThanOrEqualTo(MAX_AUDIO_SECONDS)))
const isChannels = Schema.is(Schema.Int.pipe(Schema.between(1, MAX_AUDIO_CHANNELS)))

const ENTRY = join("music-metadata", "lib", "index.js")

/** The library's module, which is one of ES: `require.resolve` does not find it on every Node 20. */
const findLibrary = (): string | undefined =>
  createRequire(import.meta.url)
    .resolve.paths("music-metadata")
    ?.map((folder) => join(folder, ENTRY))
    .find(existsSync)

/** What was read of a recording, unvalidated. */
interface ReadFacts {
  readonly duration?: unknown
  readonly channels?: unknown
}

/** The messages of a thread; its end is a message that is no answer. */
const messagesOf = (worker: Worker) =>
  Effect.gen(function* () {
    const messages = yield* Queue.unbounded<unknown>()
    const onMessage = (message: unknown) => void messages.unsafeOffer(message)
    const onEnd = () => void messages.unsafeOffer({ kind: "ended" })
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        worker.on("message", onMessage).on("error", onEnd).on("exit", onEnd)
        worker.ref()
      }),
      () =>
        Effect.sync(() => {
          worker.off("message", onMessage).off("error", onEnd).off("exit", onEnd)
          worker.unref()
        })
    )
    return messages
  })

/** The next bytes of a content, and null at its end; copies, which can be handed over to a thread. */
const piecesOf = (content: Stream.Stream<Uint8Array, unknown>) =>
  Effect.map(
    Stream.toPull(
      Stream.mapConcat(content, (bytes) =>
        Array.from({ length: Math.ceil(bytes.length / PIECE_BYTES) }, (_, at) =>
          bytes.subarray(at * PIECE_BYTES, (at + 1) * PIECE_BYTES)
        )
      ).pipe(Stream.rechunk(1))
    ),
    (pull) =>
      pull.pipe(
        Effect.map((chunk) => Option.getOrNull(Option.map(Chunk.head(chunk), (bytes) => new Uint8Array(bytes)))),
        Effect.catchAll((end) => (Option.isNone(end) ? Effect.succeed(null) : Effect.fail(end.value)))
      )
  )

export const layer = (config: MusicMetadataProbeConfig = {}): Layer.Layer<AudioProbe> =>
  Layer.scoped(
    AudioProbe,
    Effect.gen(function* () {
      const timeout = Duration.decode(config.timeout ?? "10 seconds")
      const library = findLibrary()
      if (library === undefined) {
        yield* Effect.logWarning("music-metadata is not installed: durations are read from WAV files only")
        return AudioProbe.of({ probe: () => Effect.succeed(UNKNOWN_AUDIO) })
      }
      const useThread = yield* makeThreadPool(
        {
          program: THREAD_PROGRAM,
          workerData: { entry: pathToFileURL(library).href },
          resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }
        },
        config.concurrency ?? 2
      )

      const ask = (worker: Worker, ...[content, audio]: Parameters<AudioProbe["Type"]["probe"]>) =>
        Effect.gen(function* () {
          const messages = yield* messagesOf(worker)
          const next = yield* piecesOf(content)
          worker.postMessage({ contentType: audio.contentType, sizeBytes: audio.sizeBytes })
          for (;;) {
            const answer = yield* Effect.flatMap(Queue.take(messages), decodeAnswer)
            if (answer.kind !== "next") return answer
            const bytes = yield* next
            // Answers that come at once would all be handled before anything else is.
            yield* Effect.promise(() => setImmediate())
            worker.postMessage({ bytes }, bytes === null ? [] : [bytes.buffer])
          }
        }).pipe(Effect.scoped)

      /** Most recorders of WebM state no duration: their blocks have times. */
      const webmFacts = (content: Stream.Stream<Uint8Array, unknown>, read: ReadFacts) =>
        Effect.gen(function* () {
          const scanner = makeWebmScanner()
          const next = yield* piecesOf(content)
          for (let bytes = yield* next; bytes !== null; bytes = yield* next) {
            scanner.add(bytes)
            yield* Effect.promise(() => setImmediate())
          }
          const { channels, duration } = scanner.facts()
          return { duration, channels: read.channels ?? channels }
        }).pipe(
          Effect.scoped,
          Effect.timeout(timeout),
          Effect.withClock(Clock.make()),
          Effect.orElseSucceed(() => read)
        )

      return AudioProbe.of({
        probe: (content, audio) =>
          Effect.gen(function* () {
            const answer = yield* useThread((worker) =>
              ask(worker, content, audio).pipe(Effect.timeout(timeout), Effect.withClock(Clock.make()))
            )
            if (answer.kind === "failed") {
              yield* Effect.logDebug("The duration of a recording cannot be read", { reason: answer.reason })
            }
            const read: ReadFacts = answer.kind === "failed" ? {} : answer
            const { channels, duration } =
              read.duration === undefined && audio.contentType === "audio/webm" ? yield* webmFacts(content, read) : read
            return {
              durationSeconds: isSeconds(duration) ? duration : null,
              channels: isChannels(channels) ? channels : null
            }
          }).pipe(
            Effect.catchAll((error) =>
              Effect.as(Effect.logDebug("The duration of a recording cannot be read", error), UNKNOWN_AUDIO)
            )
          )
      })
    })
  )
