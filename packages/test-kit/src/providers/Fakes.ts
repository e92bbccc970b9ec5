/** Fake providers for tests: they return given answers and record the requests. */
import {
  AnswerUnusable,
  type Ask,
  type Audio,
  LanguageModel,
  ModelUnavailable,
  type RawTranscript,
  RecordingSource,
  RecordingUnavailable,
  Transcriber,
  TranscriptionFailed
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"

/** A provider and the requests that it has received. */
export interface Fake<Port, Asked> {
  readonly layer: Layer.Layer<Port>
  readonly asked: ReadonlyArray<Asked>
}

/** A question that a language model received. */
export interface AskedQuestion {
  readonly system: string
  readonly prompt: string
  readonly name: string
}

/** The error of an unavailable model; `retry` says whether a later attempt may succeed. */
export const unavailable = (retry: boolean) => new ModelUnavailable({ reason: "The fake model is unavailable", retry })

/**
 * A language model whose answers a function computes from the question. It fails with `ModelUnavailable` if the function
 * returns `unavailable(...)`, and with `AnswerUnusable` if the answer does not match the requested schema.
 */
export const fakeLanguageModel = (answer: (question: AskedQuestion) => unknown): Fake<LanguageModel, AskedQuestion> => {
  const asked: Array<AskedQuestion> = []
  const ask: Ask = ({ name, prompt, schema, system }) =>
    Effect.gen(function* () {
      const question = { system, prompt, name }
      asked.push(question)
      const given = answer(question)
      if (given instanceof ModelUnavailable) return yield* given
      const value = yield* Effect.mapError(
        Schema.decodeUnknown(schema)(given),
        () => new AnswerUnusable({ reason: "The fake model's answer is of another form" })
      )
      const promptHash = createHash("sha256").update(`${system}\n${prompt}`).digest("hex")
      return { value, model: "fake", promptHash, seed: 7 }
    })
  return { asked, layer: Layer.succeed(LanguageModel, { ask: Option.some(ask) }) }
}

/** A recording that was transcribed: its content type and bytes. */
export interface AskedAudio {
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** A transcriber that returns these turns for every recording, or fails with this reason. */
export const fakeTranscriber = (result: RawTranscript["turns"] | string): Fake<Transcriber, AskedAudio> => {
  const asked: Array<AskedAudio> = []
  const transcribe = ({ content, contentType }: Audio) =>
    Stream.runCollect(content).pipe(
      Effect.mapError(({ message }) => new TranscriptionFailed({ reason: message })),
      Effect.flatMap((chunks) => {
        asked.push({ contentType, bytes: Buffer.concat([...chunks]) })
        return typeof result === "string"
          ? Effect.fail(new TranscriptionFailed({ reason: result }))
          : Effect.succeed<RawTranscript>({ _tag: "RawTranscript", turns: result, toolCalls: [] })
      })
    )
  return { asked, layer: Layer.succeed(Transcriber, { transcribe: Option.some(transcribe) }) }
}

/** Recordings by URL; any other URL fails with `RecordingUnavailable`. */
export const fakeRecordings = (recordings: Readonly<Record<string, Uint8Array>>): Fake<RecordingSource, string> => {
  const asked: Array<string> = []
  return {
    asked,
    layer: Layer.succeed(RecordingSource, {
      fetch: (url) =>
        Stream.suspend(() => {
          asked.push(url)
          const bytes = recordings[url]
          return bytes === undefined
            ? Stream.fail(new RecordingUnavailable({ reason: "There is no such recording" }))
            : Stream.make(bytes)
        })
    })
  }
}
