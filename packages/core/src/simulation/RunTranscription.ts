import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { AUDIO_HEAD_BYTES, detectAudioFormat } from "../calls/AudioFormat.js"
import { RecordingSource } from "../calls/RecordingSource.js"
import { type Transcribe, Transcriber } from "../calls/Transcriber.js"
import type { RunAudio } from "../results/ReportRules.js"
import { RunAudioUnusable, RunTranscriber } from "../results/RunTranscriber.js"

/** Fetches and transcribes recordings of runs, as for calls. They are held in memory and never stored. */
export const layer = Layer.effect(
  RunTranscriber,
  Effect.gen(function* () {
    const source = yield* RecordingSource
    const transcriber = yield* Transcriber

    const bytesOf = (audio: RunAudio): Effect.Effect<Uint8Array, RunAudioUnusable> =>
      audio.from === "upload"
        ? Effect.succeed(audio.bytes)
        : Stream.runCollect(source.fetch(audio.url)).pipe(
            Effect.map((chunks) => Buffer.concat(Chunk.toReadonlyArray(chunks))),
            Effect.catchTags({
              RecordingUrlNotAllowed: ({ reason }) => new RunAudioUnusable({ reason }),
              RecordingUnavailable: ({ reason }) =>
                new RunAudioUnusable({ reason: `The recording cannot be fetched: ${reason}` })
            })
          )

    const transcribed = (transcribe: Transcribe) => (audio: RunAudio) =>
      Effect.flatMap(bytesOf(audio), (bytes) => {
        const facts = detectAudioFormat(bytes.subarray(0, AUDIO_HEAD_BYTES), bytes.length)
        return Either.isLeft(facts)
          ? Effect.fail(new RunAudioUnusable({ reason: facts.left }))
          : transcribe({
              contentType: facts.right.contentType,
              sizeBytes: bytes.length,
              content: Stream.make(bytes)
            }).pipe(Effect.mapError(({ reason }) => new RunAudioUnusable({ reason })))
      })

    return RunTranscriber.of({ transcribe: Option.map(transcriber.transcribe, transcribed) })
  })
)
