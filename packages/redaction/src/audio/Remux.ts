/** Copies the packets of Opus out of WebM, Matroska and MP4 into Ogg. */
import * as Effect from "effect/Effect"
import { setImmediate } from "node:timers/promises"
import { type AudioError, MalformedAudio, UnsupportedAudio } from "./AudioErrors.js"
import { hasText } from "./Bytes.js"

const WEBM = "WebM"
const MP4 = "MP4"

export type Container = typeof WEBM | typeof MP4

/** The container of bytes, whatever it holds, if it is one whose packets can be copied. */
export const containerOf = (bytes: Uint8Array): Container | undefined =>
  hasText(bytes, 0, "\x1a\x45\xdf\xa3") ? WEBM : hasText(bytes, 4, "ftyp") ? MP4 : undefined

/** Packets copied before other work may run. */
const BATCH = 256

const remux = async (bytes: Uint8Array, container: Container): Promise<Uint8Array | UnsupportedAudio> => {
  const media = await import("mediabunny")
  const input = new media.Input({
    source: new media.BufferSource(bytes),
    formats: container === WEBM ? [media.WEBM, media.MATROSKA] : [media.MP4, media.QTFF]
  })
  try {
    const tracks = await input.getAudioTracks()
    const [track] = tracks
    // What is said in a track that is left out would be lost, and what is in a second one would not be muted.
    if (track === undefined || tracks.length > 1) {
      return new UnsupportedAudio({ reason: `${container} with ${tracks.length} audio tracks` })
    }
    const codec = await track.getCodec()
    if (codec !== "opus") return new UnsupportedAudio({ reason: `${container} with ${codec ?? "unknown"} audio` })
    const decoderConfig = await track.getDecoderConfig()
    if (decoderConfig === null)
      return new UnsupportedAudio({ reason: `${container} without a description of its audio` })
    const target = new media.BufferTarget()
    const output = new media.Output({ format: new media.OggOutputFormat(), target })
    const source = new media.EncodedAudioPacketSource("opus")
    output.addAudioTrack(source)
    await output.start()
    let packets = 0
    for await (const packet of new media.EncodedPacketSink(track).packets()) {
      await source.add(packet, packets === 0 ? { decoderConfig } : undefined)
      packets++
      if (packets % BATCH === 0) await setImmediate()
    }
    await output.finalize()
    return new Uint8Array(target.buffer ?? new ArrayBuffer(0))
  } finally {
    input.dispose()
  }
}

/** Opus in WebM, Matroska or MP4 as Opus in Ogg, with the same packets. Other audio in them is `UnsupportedAudio`. */
export const opusToOgg = (bytes: Uint8Array, container: Container): Effect.Effect<Uint8Array, AudioError> =>
  Effect.tryPromise({
    try: () => remux(bytes, container),
    catch: () => new MalformedAudio({ format: container, reason: "its packets cannot be read" })
  }).pipe(Effect.flatMap((result) => (result instanceof Uint8Array ? Effect.succeed(result) : Effect.fail(result))))
