import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

/** Speech could not be synthesized. The reason can be stored: it repeats nothing of the text. */
export class SpeechFailed extends Schema.TaggedError<SpeechFailed>("@earshot/core/simulation/SpeechFailed")(
  "SpeechFailed",
  { reason: Schema.String }
) {
  override get message(): string {
    return this.reason
  }
}

/** What is to be spoken. */
export interface Utterance {
  readonly text: string
  /** A voice of the provider. Default: the provider's. */
  readonly voice?: string
  /** From 0.25 to 4, where 1 is the pace of the voice. Default: 1. */
  readonly speed?: number
}

/**
 * Speaks a text as mu-law of 8 kHz, one byte a sample, in parts as they are synthesized. A text without a visible character
 * fails.
 */
export type Speak = (utterance: Utterance) => Stream.Stream<Uint8Array, SpeechFailed>

/** The parts of an utterance as one. */
export const wholeSpeech = <E, R>(parts: Stream.Stream<Uint8Array, E, R>): Effect.Effect<Uint8Array, E, R> =>
  Effect.map(Stream.runCollect(parts), (all) => Uint8Array.from(Buffer.concat([...all])))

/** Port: synthesizes what the caller of a voice run says. */
export class TextToSpeech extends Context.Tag("@earshot/core/simulation/TextToSpeech")<
  TextToSpeech,
  {
    /** Provider, server, model and settings: what determines the audio of an utterance. It holds no secret. */
    readonly identity: string
    readonly speak: Speak
  }
>() {}
