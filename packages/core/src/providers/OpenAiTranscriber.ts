import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type Transcribe, Transcriber, TranscriptionFailed } from "../calls/Transcriber.js"
import type { RawTranscript, Turn, Word } from "../transcripts/Transcript.js"

export interface OpenAiTranscriberConfig {
  /** The server's base address, for example `https://speech.example/v1`; `/audio/transcriptions` is added to it. */
  readonly baseUrl: string
  readonly apiKey?: Redacted.Redacted
  readonly model: string
  /** For one recording, tries included; two minutes unless told. */
  readonly timeout?: Duration.DurationInput
  /** The largest recording that is sent; 25 MB unless told, which is what most servers take. */
  readonly maxBytes?: number
}

const Seconds = Schema.NonNegative
const Spoken = Schema.Struct({ word: Schema.String, start: Seconds, end: Seconds })
const Segment = Schema.Struct({
  text: Schema.String,
  start: Schema.optional(Seconds),
  end: Schema.optional(Seconds),
  speaker: Schema.optional(Schema.NullOr(Schema.Union(Schema.String, Schema.Number)))
})
const Answer = Schema.Struct({
  text: Schema.optional(Schema.String),
  segments: Schema.optional(Schema.NullOr(Schema.Array(Segment))),
  words: Schema.optional(Schema.NullOr(Schema.Array(Spoken)))
})
type Answer = typeof Answer.Type

/**
 * The transcript in an answer. A segment is a turn. Where segments tell their speaker, the first to speak is the main
 * agent; where none does, one channel of audio does not tell who speaks, and all of it is given to the main agent.
 */
export const transcriptOf = (answer: Answer): RawTranscript => {
  const segments = answer.segments ?? []
  const words = answer.words ?? []
  const first = segments.find((segment) => segment.text.trim() !== "")?.speaker
  const turns: ReadonlyArray<Turn> =
    segments.length > 0
      ? segments.map((segment) => ({
          speaker: segment.speaker === first ? "main_agent" : "testing_agent",
          content: keepable(segment.text),
          startTime: segment.start,
          endTime: segment.end,
          words: words
            .filter(
              ({ start }) =>
                segment.start !== undefined &&
                segment.end !== undefined &&
                start >= segment.start &&
                start < segment.end
            )
            .map(toWord)
        }))
      : [
          {
            speaker: "main_agent",
            content: keepable(answer.text ?? ""),
            startTime: words[0]?.start,
            endTime: words[words.length - 1]?.end,
            words: words.map(toWord)
          }
        ]
  return { _tag: "RawTranscript", turns: turns.filter((turn) => turn.content !== ""), toolCalls: [] }
}

const toWord = ({ end, start, word }: typeof Spoken.Type): Word => ({
  text: keepable(word),
  startTime: start,
  endTime: end
})

const keepable = (text: string): string => text.replaceAll("\0", "").toWellFormed().trim()

/** File names by content type: servers tell formats by the name's ending. */
const ENDINGS: Readonly<Record<string, string>> = {
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "audio/webm": "webm",
  "audio/flac": "flac",
  "audio/mp4": "m4a"
}

/** A failure that the same request may not meet again. */
interface Try {
  readonly failed: TranscriptionFailed
  readonly passing: boolean
}

/** A transcriber behind the `audio/transcriptions` operation that many speech servers offer. */
export const layer = (config: OpenAiTranscriberConfig): Layer.Layer<Transcriber> => {
  const { maxBytes = 25_000_000, timeout = "2 minutes" } = config
  const address = `${config.baseUrl.replace(/\/+$/, "")}/audio/transcriptions`

  const ask = (bytes: Uint8Array<ArrayBuffer>, contentType: string): Effect.Effect<unknown, Try> =>
    Effect.tryPromise({
      try: async (signal) => {
        const form = new FormData()
        form.set("file", new Blob([bytes], { type: contentType }), `recording.${ENDINGS[contentType] ?? "bin"}`)
        form.set("model", config.model)
        form.set("response_format", "verbose_json")
        form.append("timestamp_granularities[]", "segment")
        form.append("timestamp_granularities[]", "word")
        const response = await fetch(address, {
          method: "POST",
          body: form,
          signal,
          ...(config.apiKey === undefined
            ? {}
            : { headers: { authorization: `Bearer ${Redacted.value(config.apiKey)}` } })
        })
        return { status: response.status, body: response.ok ? await response.json() : undefined }
      },
      catch: (): Try => ({ failed: failed("the transcriber could not be reached."), passing: true })
    }).pipe(
      Effect.flatMap(({ body, status }) =>
        body === undefined
          ? Effect.fail<Try>({
              failed: failed(`the transcriber answered ${status}.`),
              passing: status === 408 || status === 429 || status >= 500
            })
          : Effect.succeed(body)
      )
    )

  const transcribe: Transcribe = ({ content, contentType, sizeBytes }) =>
    Effect.gen(function* () {
      if (sizeBytes > maxBytes) {
        return yield* failed(`the recording is larger than the ${maxBytes} bytes that are sent to the transcriber.`)
      }
      const chunks = yield* Stream.runCollect(content).pipe(
        Effect.mapError(() => failed("the recording could not be read."))
      )
      const answer = yield* ask(Buffer.concat([...chunks]), contentType).pipe(
        Effect.retry({
          while: (one) => one.passing,
          schedule: Schedule.jittered(Schedule.exponential("500 millis")),
          times: 2
        }),
        Effect.mapError((one) => one.failed),
        Effect.timeoutFail({
          duration: timeout,
          onTimeout: () => failed(`the transcriber took longer than ${Duration.format(timeout)}.`)
        })
      )
      return yield* Schema.decodeUnknown(Answer)(answer).pipe(
        Effect.map(transcriptOf),
        Effect.mapError(() => failed("the transcriber's answer was not understood."))
      )
    })

  return Layer.succeed(Transcriber, { transcribe: Option.some(transcribe) })
}

const failed = (reason: string): TranscriptionFailed => new TranscriptionFailed({ reason })
