import { LanguageModel, RecordingSource, Transcriber, Voice } from "@earshot/core"
import * as Redaction from "@earshot/redaction"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { describe } from "vitest"
import { wav } from "../calls/Audio.js"
import { asyncProperty } from "../Property.js"

const Verdict = Schema.Struct({ value: Schema.Boolean })

const question = (prompt: string) => ({ system: "You judge.", prompt, name: "verdict", schema: Verdict })

/** A language model in each state. */
export interface LanguageModelFixture {
  /** Answers `{"value": true}` to every question. */
  readonly agreeing: Layer.Layer<LanguageModel>
  /** Answers with a value that does not match the schema. */
  readonly babbling: Layer.Layer<LanguageModel>
  /** Cannot be reached; a later attempt may succeed. */
  readonly unreachable: Layer.Layer<LanguageModel>
}

/** What every language model has to do. */
export const languageModelContract = (subject: string, fixture: LanguageModelFixture): void => {
  const ask = (model: Layer.Layer<LanguageModel>, prompt: string) =>
    Effect.flatMap(LanguageModel, ({ ask }) =>
      Option.match(ask, {
        onNone: () => Effect.dieMessage("There is no model"),
        onSome: (asking) => asking(question(prompt))
      })
    ).pipe(Effect.provide(model))
  describe(`the language model ${subject}`, () => {
    it.live("answers with a value of the schema, the model's name and the hash of the question", () =>
      Effect.gen(function* () {
        const answer = yield* ask(fixture.agreeing, "Is it so?")
        expect(answer.value).toEqual({ value: true })
        expect(answer.model).not.toBe("")
        expect(answer.promptHash).toMatch(/^[0-9a-f]{64}$/)
      })
    )

    it.live("returns the same hash for the same question and another hash for another question", () =>
      Effect.gen(function* () {
        const hash = (prompt: string) => Effect.map(ask(fixture.agreeing, prompt), ({ promptHash }) => promptHash)
        const [one, again, other] = yield* Effect.all([hash("a"), hash("a"), hash("b")])
        expect(one).toBe(again)
        expect(one).not.toBe(other)
      })
    )

    it.live("fails with AnswerUnusable or ModelUnavailable, and repeats nothing of the question", () =>
      Effect.gen(function* () {
        const unusable = yield* Effect.flip(ask(fixture.babbling, "my number is 555-0100"))
        expect(unusable._tag).toBe("AnswerUnusable")
        const gone = yield* Effect.flip(ask(fixture.unreachable, "my number is 555-0100"))
        expect(gone).toMatchObject({ _tag: "ModelUnavailable", retry: true })
        for (const failure of [unusable, gone]) expect(failure.reason).not.toContain("555-0100")
      })
    )
  })
}

/** A transcriber in each state. */
export interface TranscriberFixture {
  /** Transcribes every recording as "Hello". */
  readonly hearing: Layer.Layer<Transcriber>
  readonly failing: Layer.Layer<Transcriber>
}

const isOrdered = (start: number | undefined, end: number | undefined) =>
  (start ?? 0) >= 0 && (start === undefined || end === undefined || start <= end)

/** What every transcriber has to do. */
export const transcriberContract = (subject: string, fixture: TranscriberFixture): void => {
  const file = wav(1)
  const audio = { contentType: "audio/wav", sizeBytes: file.length }
  const hear = (
    transcriber: Layer.Layer<Transcriber>,
    content: Stream.Stream<Uint8Array, { readonly message: string }>
  ) =>
    Effect.flatMap(Transcriber, ({ transcribe }) =>
      Option.match(transcribe, {
        onNone: () => Effect.dieMessage("There is no transcriber"),
        onSome: (transcribing) => transcribing({ ...audio, content })
      })
    ).pipe(Effect.provide(transcriber))
  describe(`the transcriber ${subject}`, () => {
    it.live("makes turns of a recording, however it comes in pieces", () =>
      Effect.gen(function* () {
        const whole = yield* hear(fixture.hearing, Stream.make(file))
        const pieces = yield* hear(fixture.hearing, Stream.make(file.subarray(0, 10), file.subarray(10)))
        expect(pieces).toEqual(whole)
        expect(whole.turns.map(({ content }) => content).join(" ")).toContain("Hello")
        for (const { content, endTime, startTime } of whole.turns) {
          expect(isOrdered(startTime, endTime)).toBe(true)
          expect(content.isWellFormed() && !content.includes("\0")).toBe(true)
        }
      })
    )

    it.live("fails for a reason that a record may hold, of itself and of what it was given", () =>
      Effect.gen(function* () {
        const failed = yield* Effect.flip(hear(fixture.failing, Stream.make(file)))
        expect(failed).toMatchObject({ _tag: "TranscriptionFailed" })
        expect(failed.reason).not.toBe("")
        const broken = yield* Effect.flip(hear(fixture.hearing, Stream.fail({ message: "the disk is gone" })))
        expect(broken._tag).toBe("TranscriptionFailed")
      })
    )
  })
}

/** Text to speech in each state. */
export interface TextToSpeechFixture {
  /** Speaks every text. */
  readonly speaking: Layer.Layer<Voice.TextToSpeech>
  readonly failing: Layer.Layer<Voice.TextToSpeech>
}

/** What every provider of text to speech has to do. */
export const textToSpeechContract = (subject: string, { failing, speaking }: TextToSpeechFixture): void => {
  const say = (provider: Layer.Layer<Voice.TextToSpeech>, text: string) =>
    Effect.flatMap(Voice.TextToSpeech, ({ speak }) => Voice.wholeSpeech(speak({ text }))).pipe(Effect.provide(provider))
  describe(`text to speech by ${subject}`, () => {
    it.live("is audible mu-law of 8 kHz, at the pace of speech", () =>
      Effect.gen(function* () {
        const text = "Good morning, how can I help you?"
        const audio = yield* say(speaking, text)
        const loudest = Voice.decodeMulaw(audio).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
        expect(loudest).toBeGreaterThan(500)
        const charactersPerSecond = text.length / (Voice.millisOf(audio.length) / 1000)
        expect(charactersPerSecond).toBeGreaterThan(1)
        expect(charactersPerSecond).toBeLessThan(100)
      })
    )

    it.live("keeps concurrent utterances apart", () =>
      Effect.gen(function* () {
        const speech = yield* Voice.TextToSpeech
        const speak = (utterance: Voice.Utterance) => Voice.wholeSpeech(speech.speak(utterance))
        const short = { text: "Yes." }
        const long = { text: "Yes, I would like to book a table for four." }
        const spoken = yield* Effect.all([speak(short), speak(long), speak(short)], { concurrency: 3 })
        const [first, second, third] = spoken.map(({ length }) => length)
        expect(first).toBeLessThan(second ?? 0)
        expect(third).toBeLessThan(second ?? 0)
      }).pipe(Effect.provide(speaking))
    )

    it.live("fails for a text that is blank, and for a reason that a record may hold", () =>
      Effect.gen(function* () {
        for (const text of ["", " \n\t"]) {
          expect(yield* Effect.flip(say(speaking, text))).toMatchObject({ _tag: "SpeechFailed" })
        }
        const failed = yield* Effect.flip(say(failing, "my number is 555-0100"))
        expect(failed._tag).toBe("SpeechFailed")
        expect(failed.reason).not.toBe("")
        expect(failed.reason).not.toContain("555-0100")
      })
    )

    const { check, name } = asyncProperty(
      "any text is spoken, or fails with SpeechFailed",
      [fc.oneof(fc.string({ unit: "binary" }), fc.string(), fc.constant("\ud800 a\0b"))],
      async (text) => {
        const result = await Effect.runPromise(Effect.either(say(speaking, text)))
        if (result._tag === "Left") expect(result.left._tag).toBe("SpeechFailed")
        else expect(result.right.length).toBeGreaterThan(0)
      },
      20
    )
    it(name, check)
  })
}

/** A source of recordings, and URLs of every kind. */
export interface RecordingSourceFixture {
  readonly source: Layer.Layer<RecordingSource>
  /** Where these bytes are. */
  readonly served: { readonly url: string; readonly bytes: Uint8Array }
  /** Where nothing comes from. */
  readonly missing: string
  /** Where nothing may be fetched from, if there is such a place. */
  readonly forbidden?: string
}

/** What every source of recordings has to do. */
export const recordingSourceContract = (
  subject: string,
  { missing, forbidden, served, source }: RecordingSourceFixture
): void => {
  const fetched = (url: string) =>
    Effect.flatMap(RecordingSource, ({ fetch }) => Stream.runCollect(fetch(url))).pipe(
      Effect.map((chunks) => Buffer.concat([...chunks])),
      Effect.provide(source)
    )
  describe(`recordings fetched by ${subject}`, () => {
    it.live("are the bytes behind their URL, as often as they are asked for", () =>
      Effect.gen(function* () {
        for (const _ of [1, 2]) expect(Buffer.from(served.bytes).equals(yield* fetched(served.url))).toBe(true)
      })
    )

    it.live("fail for a reason that a record may hold", () =>
      Effect.gen(function* () {
        const failed = yield* Effect.flip(fetched(missing))
        expect(failed._tag).toBe("RecordingUnavailable")
        expect(failed.reason).not.toBe("")
      })
    )

    it.live("are not fetched from where they may not be, nor from what is no URL", () =>
      Effect.gen(function* () {
        for (const url of forbidden === undefined ? [] : [forbidden, "", "recording.wav", "file:///etc/passwd"]) {
          expect((yield* Effect.flip(fetched(url)))._tag, url).toBe("RecordingUrlNotAllowed")
        }
      })
    )
  })
}

/** A model that finds sensitive values, and something that it finds. */
export interface NerProviderFixture {
  readonly provider: Layer.Layer<Redaction.NerProvider>
  /** A turn in which it finds a value of this field, unless it finds nothing ever. */
  readonly finds?: { readonly turn: string; readonly field: Redaction.SensitiveField; readonly value: string }
}

/** What every model that finds sensitive values has to do. */
export const nerProviderContract = (subject: string, { finds, provider }: NerProviderFixture): void => {
  const recognize = (turns: ReadonlyArray<string>, fields: ReadonlyArray<Redaction.SensitiveField>) =>
    Effect.flatMap(Redaction.NerProvider, (ner) => ner.recognize(turns, fields)).pipe(Effect.provide(provider))
  describe(`sensitive values found by ${subject}`, () => {
    const { check, name } = asyncProperty(
      "spans lie within their turns, are of fields that were asked for, and score from 0 to 1",
      [
        fc.array(fc.oneof(fc.lorem(), fc.string({ unit: "grapheme" }), fc.constant(finds?.turn ?? "")), {
          maxLength: 5
        })
      ],
      async (turns) => {
        const fields = finds === undefined ? Redaction.sensitiveFields : [finds.field]
        for (const { end, field, score, start, turn } of await Effect.runPromise(recognize(turns, fields))) {
          const length = turns[turn]?.length ?? -1
          expect(Number.isInteger(start) && start >= 0 && start < end && Number.isInteger(end) && end <= length).toBe(
            true
          )
          expect(fields).toContain(field)
          expect(score >= 0 && score <= 1).toBe(true)
        }
      },
      50
    )
    it(name, check)

    it.live("are found where they stand, in UTF-16 code units", () =>
      Effect.gen(function* () {
        if (finds === undefined) return
        const { field, turn, value } = finds
        const found = yield* recognize(["", `\u{1f600} ${turn}`], [field])
        expect(found.map((span) => [span.turn, `\u{1f600} ${turn}`.slice(span.start, span.end)])).toContainEqual([
          1,
          value
        ])
      })
    )
  })
}
