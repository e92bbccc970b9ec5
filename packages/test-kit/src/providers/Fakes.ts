/** The outside world as tests have it: providers that answer what they are told to, and record what they were asked. */
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

/** A provider, and what it was asked until now. */
export interface Fake<Port, Asked> {
  readonly layer: Layer.Layer<Port>
  readonly asked: ReadonlyArray<Asked>
}

/** What a language model was asked. */
export interface AskedQuestion {
  readonly system: string
  readonly prompt: string
  readonly name: string
}

/** Says that the model cannot be asked now, or never. */
export const unavailable = (retry: boolean) => new ModelUnavailable({ reason: "The fake model is unavailable", retry })

/**
 * A language model that answers what a function makes of a question, or is unavailable where that answers
 * `unavailable(...)`. An answer that is not of the form that was asked for is unusable, as a real one's would be.
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

/** A recording that was transcribed: its type and its bytes. */
export interface AskedAudio {
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** A transcriber that hears this in every recording, or fails for the reason that is given instead. */
export const fakeTranscriber = (hears: RawTranscript["turns"] | string): Fake<Transcriber, AskedAudio> => {
  const asked: Array<AskedAudio> = []
  const transcribe = ({ content, contentType }: Audio) =>
    Stream.runCollect(content).pipe(
      Effect.mapError(({ message }) => new TranscriptionFailed({ reason: message })),
      Effect.flatMap((chunks) => {
        asked.push({ contentType, bytes: Buffer.concat([...chunks]) })
        return typeof hears === "string"
          ? Effect.fail(new TranscriptionFailed({ reason: hears }))
          : Effect.succeed<RawTranscript>({ _tag: "RawTranscript", turns: hears, toolCalls: [] })
      })
    )
  return { asked, layer: Layer.succeed(Transcriber, { transcribe: Option.some(transcribe) }) }
}

/** Recordings by their URLs; a URL that is not among them is one that nothing came from. */
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
