import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { AudioFacts } from "./AudioFormat.js"

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
