/** Speech that was synthesized is kept in memory, so that a text costs one request, however often it is spoken. */
import { createHash } from "node:crypto"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type SpeechFailed, TextToSpeech, type Utterance } from "../simulation/voice/TextToSpeech.js"

export interface SpeechCacheConfig {
  /** Bytes of audio that are kept, of 8,000 a second; the least recently used is dropped. Default: 67,108,864. */
  readonly maxBytes?: number
}

const keyOf = (identity: string, { speed = 1, text, voice }: Utterance): string =>
  createHash("sha256")
    .update(JSON.stringify([identity, voice ?? null, speed, text]))
    .digest("base64")

/** An utterance that is being synthesized, for all who speak it. */
interface Pending {
  readonly parts: Array<Uint8Array>
  end: Exit.Exit<void, SpeechFailed> | undefined
  /** Completes with the next part, or at the end. */
  changed: Deferred.Deferred<undefined>
}

const notChanged = () => Deferred.unsafeMake<undefined>(FiberId.none)

const change = (pending: Pending): Effect.Effect<boolean> => {
  const { changed } = pending
  pending.changed = notChanged()
  return Deferred.succeed(changed, undefined)
}

/** All parts of an utterance: those that are there, and the others as they come. */
const partsOf = (pending: Pending): Stream.Stream<Uint8Array, SpeechFailed> =>
  Stream.unfoldEffect(0, (at) => {
    const next: Effect.Effect<Option.Option<readonly [Uint8Array, number]>, SpeechFailed> = Effect.suspend(() => {
      const part = pending.parts[at]
      if (part !== undefined) return Effect.succeedSome([part, at + 1] as const)
      if (pending.end !== undefined) return Effect.as(pending.end, Option.none())
      return Effect.zipRight(Deferred.await(pending.changed), next)
    })
    return next
  })

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
      const pending = new Map<string, Pending>()
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

      const request = (key: string, utterance: Utterance): Effect.Effect<Pending> =>
        Effect.suspend(() => {
          const one: Pending = { parts: [], end: undefined, changed: notChanged() }
          pending.set(key, one)
          const read = Stream.runForEach(speak(utterance), (part) => {
            one.parts.push(part)
            return change(one)
          })
          return Effect.interruptible(read).pipe(
            Effect.onExit((exit) =>
              Effect.suspend(() => {
                pending.delete(key)
                if (Exit.isSuccess(exit)) keep(key, Uint8Array.from(Buffer.concat(one.parts)))
                one.end = exit
                return change(one)
              })
            ),
            Effect.forkIn(scope),
            Effect.as(one)
          )
        }).pipe(Effect.uninterruptible)

      return {
        identity,
        speak: (utterance) =>
          Stream.unwrap(
            Effect.suspend(() => {
              const key = keyOf(identity, utterance)
              const audio = kept.get(key)
              if (audio !== undefined) {
                kept.delete(key)
                kept.set(key, audio)
                return Effect.succeed(Stream.make(audio))
              }
              const running = pending.get(key)
              return Effect.map(running === undefined ? request(key, utterance) : Effect.succeed(running), partsOf)
            })
          )
      }
    })
  )
