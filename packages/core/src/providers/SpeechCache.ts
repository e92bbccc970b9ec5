/** Speech that was synthesized is kept in memory, so that a text costs one request, however often it is spoken. */
import { createHash } from "node:crypto"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type SpeechFailed, TextToSpeech, type Utterance } from "../simulation/voice/TextToSpeech.js"

export interface SpeechCacheConfig {
  /** Bytes of audio that are kept, of 8,000 a second; the least recently used is dropped. Default: 67,108,864. */
  readonly maxBytes?: number
}

const keyOf = (identity: string, { speed = 1, text, voice }: Utterance): string =>
  createHash("sha256")
    .update(JSON.stringify([identity, voice ?? null, speed, text]))
    .digest("base64")

/**
 * Caches the speech of another provider by a hash of its identity, voice, speed and text. Concurrent requests for one
 * utterance are one request, which continues when one of those who wait for it is interrupted. Failures are not kept.
 */
export const layer = (config: SpeechCacheConfig = {}): Layer.Layer<TextToSpeech, never, TextToSpeech> =>
  Layer.scoped(
    TextToSpeech,
    Effect.gen(function* () {
      const { maxBytes = 67_108_864 } = config
      const { identity, speak } = yield* TextToSpeech
      const scope = yield* Effect.scope
      /** In the order of their last use. */
      const kept = new Map<string, Uint8Array>()
      const pending = new Map<string, Deferred.Deferred<Uint8Array, SpeechFailed>>()
      let bytes = 0

      const keep = (key: string, audio: Uint8Array): void => {
        if (audio.length > maxBytes) return
        kept.set(key, audio)
        bytes += audio.length
        for (const [oldest, { length }] of kept) {
          if (bytes <= maxBytes) return
          kept.delete(oldest)
          bytes -= length
        }
      }

      const request = (key: string, utterance: Utterance): Effect.Effect<Uint8Array, SpeechFailed> =>
        Effect.gen(function* () {
          const result = yield* Deferred.make<Uint8Array, SpeechFailed>()
          pending.set(key, result)
          yield* Effect.interruptible(speak(utterance)).pipe(
            Effect.onExit((exit) =>
              Effect.suspend(() => {
                pending.delete(key)
                if (exit._tag === "Success") keep(key, exit.value)
                return Deferred.done(result, exit)
              })
            ),
            Effect.forkIn(scope)
          )
          return yield* Effect.interruptible(Deferred.await(result))
        }).pipe(Effect.uninterruptible)

      return {
        identity,
        speak: (utterance) =>
          Effect.suspend(() => {
            const key = keyOf(identity, utterance)
            const audio = kept.get(key)
            if (audio !== undefined) {
              kept.delete(key)
              kept.set(key, audio)
              return Effect.succeed(audio)
            }
            const running = pending.get(key)
            return running === undefined ? request(key, utterance) : Deferred.await(running)
          })
      }
    })
  )
