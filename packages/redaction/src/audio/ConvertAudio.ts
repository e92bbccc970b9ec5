import * as Effect from "effect/Effect"
import type { AudioError } from "./AudioErrors.js"
import { flacToWav, isFlac } from "./Flac.js"
import { containerOf, opusToOgg } from "./Remux.js"

/**
 * Audio in a format that can be muted, with the same sound: FLAC as WAV, and Opus in WebM, Matroska or MP4 as Opus in Ogg.
 * Anything else is returned as it is. Tags are left out. Yields to the event loop regularly.
 */
export const convertAudio = (bytes: Uint8Array): Effect.Effect<Uint8Array, AudioError> => {
  if (isFlac(bytes)) return flacToWav(bytes)
  const container = containerOf(bytes)
  return container === undefined ? Effect.succeed(bytes) : opusToOgg(bytes, container)
}
