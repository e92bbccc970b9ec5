/** What providers of speech have in common: the text that is sent, and the sound that comes back. */
import { setImmediate } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { MAX_RATE, MIN_RATE } from "../simulation/voice/Resampling.js"
import { type Sound, telephoneAudio } from "../simulation/voice/TelephoneAudio.js"
import { SpeechFailed, type Utterance } from "../simulation/voice/TextToSpeech.js"

/** The longest text in characters that is sent. */
export const MAX_CHARACTERS = 4096

/** The largest audio of one utterance in bytes: ten minutes of PCM at 24 kHz. */
export const MAX_BYTES = 33_554_432

/** The longest speech of one utterance. A wrong sample rate would otherwise make hours of a small response. */
const MAX_SECONDS = 600

/** Samples that are converted before other work may run: one to four milliseconds. */
const SAMPLES_PER_STEP = 2000

export const INVALID_AUDIO = "sent invalid audio"

export const failed = (reason: string): SpeechFailed => new SpeechFailed({ reason })

/** The text as it is sent, or why it is not. */
export const textToSend = ({ speed, text }: Utterance, maxCharacters: number): Either.Either<string, SpeechFailed> => {
  const input = text.replaceAll("\0", "").toWellFormed().trim()
  if (input === "") return Either.left(failed("the text to speak is empty."))
  if (input.length > maxCharacters) {
    return Either.left(failed(`the text is longer than the ${maxCharacters} characters that are sent.`))
  }
  return speed !== undefined && !(speed >= 0.25 && speed <= 4)
    ? Either.left(failed("the speed is not from 0.25 to 4."))
    : Either.right(input)
}

/** A predicate for a sample rate that cannot be converted. */
export const rateError = (rate: number): string | undefined =>
  rate < MIN_RATE || rate > MAX_RATE ? `sent audio of ${rate} Hz; ${MIN_RATE} to ${MAX_RATE} Hz can be read` : undefined

/** A predicate for more samples than an utterance may have. */
export const lengthError = (samples: number, rate: number): string | undefined =>
  samples > MAX_SECONDS * rate ? `sent more than ${MAX_SECONDS} seconds of audio` : undefined

/** A sound that can be played, or a predicate that says why not. */
export const playable = (sound: Sound): Either.Either<Sound, string> => {
  const { length, sampleRate } = sound
  const error = length === 0 ? "sent no audio" : (rateError(sampleRate) ?? lengthError(length, sampleRate))
  return error === undefined ? Either.right(sound) : Either.left(error)
}

/** A sound as mu-law of 8 kHz; other work runs between the steps of its conversion. */
export const converted = (sound: Sound): Effect.Effect<Uint8Array> =>
  Effect.gen(function* () {
    const audio = telephoneAudio(sound)
    const codes = new Uint8Array(audio.length)
    for (let at = 0; at < audio.length; at += SAMPLES_PER_STEP) {
      codes.set(audio.encode(at, Math.min(at + SAMPLES_PER_STEP, audio.length)), at)
      yield* Effect.promise(() => setImmediate())
    }
    return codes
  })
