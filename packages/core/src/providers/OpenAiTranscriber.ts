import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type Transcribe, Transcriber, TranscriptionFailed } from "../calls/Transcriber.js"
import { OutboundHttp } from "./OutboundHttp.js"
import { askSpeechServer } from "./SpeechServer.js"
import type { RawTranscript, Turn, Word } from "../transcripts/Transcript.js"

export interface OpenAiTranscriberConfig {
  /** The server's base address, for example `https://speech.example/v1`; `/audio/transcriptions` is appended. */
  readonly baseUrl: string
  readonly apiKey?: Redacted.Redacted
  readonly model: string
  /** For one recording, retries included. Default: 2 minutes. */
  readonly timeout?: Duration.DurationInput
  /** The largest recording in bytes that is sent. Default: 25,000,000, the limit of most servers. */
  readonly maxBytes?: number
}

const Seconds = Schema.NonNegative
const TimedWord = Schema.Struct({ word: Schema.String, start: Seconds, end: Seconds })
const Segment = Schema.Struct({
  text: Schema.String,
  start: Schema.optional(Seconds),
  end: Schema.optional(Seconds),
  speaker: Schema.optional(Schema.NullOr(Schema.Union(Schema.String, Schema.Number)))
})
const Transcription = Schema.Struct({
  text: Schema.optional(Schema.String),
  segments: Schema.optional(Schema.NullOr(Schema.Array(Segment))),
  words: Schema.optional(Schema.NullOr(Schema.Array(TimedWord)))
})
type Transcription = typeof Transcription.Type

/**
 * The transcript of a response, one turn per segment. Where segments name their speaker, the first speaker is the main
 * agent. Where none does, all of it is attributed to the main agent, since one channel does not separate speakers.
 */
export const transcriptOf = (transcription: Transcription): RawTranscript => {
  const segments = transcription.segments ?? []
  const words = transcription.words ?? []
  const first = segments.find((segment) => segment.text.trim() !== "")?.speaker
  const turns: ReadonlyArray<Turn> =
    segments.length > 0
      ? segments.map((segment) => ({
          speaker: segment.speaker === first ? "main_agent" : "testing_agent",
          content: storable(segment.text),
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
            content: storable(transcription.text ?? ""),
            startTime: words[0]?.start,
            endTime: words[words.length - 1]?.end,
            words: words.map(toWord)
          }
        ]
  return { _tag: "RawTranscript", turns: turns.filter((turn) => turn.content !== ""), toolCalls: [] }
}

const toWord = ({ end, start, word }: typeof TimedWord.Type): Word => ({
  text: storable(word),
  startTime: start,
  endTime: end
})

const storable = (text: string): string => text.replaceAll("\0", "").toWellFormed().trim()

/** Servers recognize formats by the file name. */
const FILE_EXTENSIONS: Readonly<Record<string, string>> = {
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "audio/webm": "webm",
  "audio/flac": "flac",
  "audio/mp4": "m4a"
}

/** The largest response: a recording of hours, with the times of its words. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024

/** A transcriber behind the `audio/transcriptions` operation that many speech servers offer. */
export const layer = (config: OpenAiTranscriberConfig): Layer.Layer<Transcriber, never, OutboundHttp> =>
  Layer.effect(
    Transcriber,
    Effect.map(OutboundHttp, (http) => ({ transcribe: Option.some(makeTranscribe(config, http)) }))
  )

const makeTranscribe = (config: OpenAiTranscriberConfig, http: Context.Tag.Service<OutboundHttp>): Transcribe => {
  const { maxBytes = 25_000_000 } = config
  const timeout = Duration.decode(config.timeout ?? "2 minutes")
  const url = `${config.baseUrl.replace(/\/+$/, "")}/audio/transcriptions`

  /** The body of a request, as multipart. */
  const encode = (bytes: Uint8Array<ArrayBuffer>, contentType: string) =>
    Effect.promise(async () => {
      const form = new FormData()
      form.set("file", new Blob([bytes], { type: contentType }), `recording.${FILE_EXTENSIONS[contentType] ?? "bin"}`)
      form.set("model", config.model)
      form.set("response_format", "verbose_json")
      form.append("timestamp_granularities[]", "segment")
      form.append("timestamp_granularities[]", "word")
      const encoded = new Response(form)
      return {
        body: new Uint8Array(await encoded.arrayBuffer()),
        contentType: encoded.headers.get("content-type") ?? "multipart/form-data"
      }
    })

  const transcribe: Transcribe = ({ content, contentType, sizeBytes }) =>
    Effect.gen(function* () {
      if (sizeBytes > maxBytes) {
        return yield* failed(`the recording is larger than the ${maxBytes} bytes that are sent to the transcriber.`)
      }
      const chunks = yield* Stream.runCollect(content).pipe(
        Effect.mapError(() => failed("the recording could not be read."))
      )
      const request = yield* encode(Buffer.concat([...chunks]), contentType)
      const response = yield* askSpeechServer(http, {
        ...request,
        url,
        apiKey: config.apiKey,
        maxBytes: MAX_RESPONSE_BYTES,
        timeout,
        read: ({ body }) =>
          Effect.try({ try: (): unknown => JSON.parse(body.toString()), catch: () => INVALID_RESPONSE })
      }).pipe(Effect.mapError(failedServer))
      return yield* Schema.decodeUnknown(Transcription)(response).pipe(
        Effect.mapBoth({ onFailure: () => failedServer(INVALID_RESPONSE), onSuccess: transcriptOf })
      )
    })

  return transcribe
}

const failed = (reason: string): TranscriptionFailed => new TranscriptionFailed({ reason })

const failedServer = (predicate: string): TranscriptionFailed => failed(`the transcriber ${predicate}.`)

const INVALID_RESPONSE = "sent an invalid response"
