/** The WebAssembly decoders, loaded on first use. */
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"

/** A decoded frame or packet, as the decoders return it. */
export interface Decoded {
  readonly samplesDecoded: number
  readonly channelData: ReadonlyArray<Float32Array>
}

/** A decoder that keeps its state between frames or packets. */
export interface FrameDecoder {
  /** Throws if the decoder traps on bytes that it cannot handle. */
  readonly decodeFrame: (bytes: Uint8Array) => Decoded
}

interface Freeable extends FrameDecoder {
  readonly ready: Promise<void>
  readonly free: () => void
}

const scoped = <E>(make: () => Promise<Freeable>, failure: () => E): Effect.Effect<FrameDecoder, E, Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const made = await make()
        await made.ready
        return made
      },
      catch: failure
    }),
    (made) => Effect.sync(() => made.free())
  )

/** mpg123, until the scope closes. */
export const mp3Decoder = <E>(failure: () => E): Effect.Effect<FrameDecoder, E, Scope> =>
  scoped(async () => {
    const { MPEGDecoder } = await import("mpg123-decoder")
    return new MPEGDecoder({ enableGapless: false })
  }, failure)

/** The sample rates that libopus can decode to. */
export type OpusOutputRate = 8_000 | 12_000 | 16_000 | 24_000 | 48_000

/** libopus, until the scope closes. */
export const opusDecoder = <E>(
  channels: number,
  sampleRate: OpusOutputRate,
  failure: () => E
): Effect.Effect<FrameDecoder, E, Scope> =>
  scoped(async () => {
    const { OpusDecoder } = await import("opus-decoder")
    return new OpusDecoder({ channels, preSkip: 0, sampleRate })
  }, failure)
