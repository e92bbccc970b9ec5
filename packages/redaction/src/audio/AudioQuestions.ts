/** What a thread is asked about audio, and what it answers: plain data, which can be sent between threads. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { redactAudio } from "./AudioCheck.js"
import { type AudioError, MalformedAudio, MutingNotProven, UnsupportedAudio, UnusableRanges } from "./AudioErrors.js"
import type { MuteOptions } from "./MuteAudio.js"
import type { MuteRange } from "./MuteRanges.js"
import { audioPeaks, type PeaksOptions } from "./Peaks.js"

/** A part of the audio that the next question is about. */
export interface AudioPiece {
  readonly kind: "piece"
  readonly bytes: Uint8Array
}

export type AudioQuestion =
  | { readonly kind: "redact"; readonly ranges: ReadonlyArray<MuteRange>; readonly options: MuteOptions }
  | { readonly kind: "peaks"; readonly options: PeaksOptions }

const Info = Schema.Struct({
  format: Schema.Literal("wav", "mp3", "opus"),
  durationSeconds: Schema.Number,
  channels: Schema.Number,
  sampleRate: Schema.Number
})

/** Audio that was muted and verified. See `RedactedAudio`. */
const Redacted = Schema.Struct({
  bytes: Schema.instanceOf(Uint8Array),
  info: Info,
  rangesBeyond: Schema.Number
})

const Peaks = Schema.Struct({
  durationSeconds: Schema.Number,
  channels: Schema.Number,
  pointsPerSecond: Schema.Number,
  peaks: Schema.Array(Schema.instanceOf(Int8Array))
})

const Failure = Schema.Union(UnsupportedAudio, MalformedAudio, UnusableRanges, MutingNotProven)

/** The answer to a question of each kind, or why there is none. */
export const AudioAnswer = {
  redact: Schema.Either({ left: Failure, right: Redacted }),
  peaks: Schema.Either({ left: Failure, right: Peaks })
} as const

type Answers = { readonly [Kind in keyof typeof AudioAnswer]: (typeof AudioAnswer)[Kind]["Encoded"] }
export type EncodedAudioAnswer = Answers[keyof Answers]

const settled = <A, I>(schema: Schema.Schema<A, I>, answer: Effect.Effect<unknown, AudioError>): Effect.Effect<I> =>
  // The schemas describe what the functions return, so that a difference is a fault of this file.
  Effect.flatMap(Effect.either(answer), (either) => Effect.orDie(Schema.encodeUnknown(schema)(either)))

/** Answers a question. It takes no turns with anything else: ask it in a thread of its own. */
export const answerAudioQuestion = (bytes: Uint8Array, question: AudioQuestion): Effect.Effect<EncodedAudioAnswer> => {
  switch (question.kind) {
    case "redact":
      return settled(AudioAnswer.redact, redactAudio(bytes, question.ranges, question.options))
    case "peaks":
      return settled(AudioAnswer.peaks, audioPeaks(bytes, question.options))
  }
}
