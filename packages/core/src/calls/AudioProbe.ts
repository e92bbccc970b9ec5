import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"

/** What a recording says of itself; null for what it does not say. */
export interface AudioFacts {
  readonly durationSeconds: number | null
  readonly channels: number | null
}

export const UNKNOWN_AUDIO: AudioFacts = { durationSeconds: null, channels: null }

/** Port: reads the duration and the channels of recordings, as far as their format is known. */
export class AudioProbe extends Context.Tag("@earshot/core/calls/AudioProbe")<
  AudioProbe,
  {
    /**
     * Reads as much of the content as it takes, bounded in time. Never fails: of what cannot be read nothing is known.
     *
     * @param audio its type by its signature, and its whole size
     */
    readonly probe: (
      content: Stream.Stream<Uint8Array, unknown>,
      audio: { readonly contentType: string; readonly sizeBytes: number }
    ) => Effect.Effect<AudioFacts>
  }
>() {}

/** Without a reader of audio: only what `detectAudioFormat` sees is known. */
export const layerNone: Layer.Layer<AudioProbe> = Layer.succeed(AudioProbe, {
  probe: () => Effect.succeed(UNKNOWN_AUDIO)
})
