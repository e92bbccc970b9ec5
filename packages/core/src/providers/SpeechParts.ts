/** Audio of a response as it comes: a WAV file, or raw samples. */
import { setImmediate } from "node:timers/promises"
import { isWav, parseWav, readWav } from "@earshot/redaction/audio"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { SAMPLE_RATE } from "../simulation/voice/Audio.js"
import { makeDecoder } from "../simulation/voice/PcmAudio.js"
import { converted, INVALID_AUDIO, lengthError, playable, rateError } from "./SpeechSound.js"

/** Samples of 16 bits, little-endian, one channel, in a stream. */
interface Samples {
  readonly rate: number
  /** Bytes of the stream before them. */
  readonly offset: number
  /** Bytes that they are; infinite where the stream does not say. */
  readonly bytes: number
  /** Without a header. */
  readonly isRaw: boolean
}

/** Bytes within which the header of a file ends; of one that is longer, everything is read first. */
const MAX_HEADER = 65_536

/** Sizes from here on are placeholders of servers that stream a file; so is 0. */
const PLACEHOLDER = 0x7fff_ffff

/** Bytes that are converted before other work may run: one to four milliseconds. */
const STEP_BYTES = 12_000

/** Silence behind the last sample, for the filter: longer than it reaches. */
const FLUSH_SECONDS = 0.02

/** The samples of a WAV file; null if it has to be read as a whole. */
const samplesOfWav = (head: Buffer): Samples | null | "incomplete" => {
  const layout = parseWav(head)
  if (Either.isLeft(layout)) return "incomplete"
  const { bytesPerSample, channels, encoding, offset, sampleRate } = layout.right
  if (encoding !== "pcm" || channels !== 1 || bytesPerSample !== 2) return null
  const stated = head.readUInt32LE(offset - 4)
  const bytes = stated === 0 || stated >= PLACEHOLDER ? Number.POSITIVE_INFINITY : stated
  return { rate: sampleRate, offset, bytes, isRaw: false }
}

/** Any bytes are PCM, so that the content type and the magic number of a file are all that tells other content. */
const OTHER_TYPES =
  /^(text\/|application\/(json|xml|problem)|audio\/(mpeg|mp3|mp4|aac|ogg|opus|webm|flac|wave?|x-wav)\b)/
const OTHER_FILES = ["RIFF", "ID3", "OggS", "fLaC"]

const samplesOfPcm = (head: Buffer, type: string, defaultRate: number): Samples | null => {
  if (OTHER_TYPES.test(type) || OTHER_FILES.some((magic) => head.toString("latin1", 0, 4).startsWith(magic))) {
    return null
  }
  const rate = /;\s*rate=(\d{1,6})\b/.exec(type)?.[1]
  return {
    rate: rate === undefined ? defaultRate : Number(rate),
    offset: 0,
    bytes: Number.POSITIVE_INFINITY,
    isRaw: true
  }
}

/** Bytes by which a file is told from raw samples. */
const MAGIC_BYTES = 12

export interface SpeechResponse<E> {
  readonly body: Stream.Stream<Uint8Array, E>
  readonly contentType: string
  /** The rate of raw samples, if those were requested. */
  readonly pcmRate: number | undefined
}

/**
 * Reads until audio comes, and returns it with all that follows, as mu-law of 8 kHz; other work runs between the steps of its
 * conversion. Fails as the body does or with a predicate, as the stream: `sent no audio`.
 */
export const speechParts = <E>({
  body,
  contentType,
  pcmRate
}: SpeechResponse<E>): Effect.Effect<Stream.Stream<Uint8Array, string | E>, string | E, Scope.Scope> =>
  Effect.gen(function* () {
    const pull = yield* Stream.toPull(body)
    const rest = Stream.fromPull(Effect.succeed(pull))
    const next = Effect.catchAll(
      Effect.asSome(pull),
      Option.match({ onNone: () => Effect.succeedNone, onSome: (error) => Effect.fail(error) })
    )
    let head = Buffer.alloc(0)
    let isComplete = false
    let samples: Samples | null = null
    for (;;) {
      const found =
        !isComplete && head.length < MAGIC_BYTES
          ? "incomplete"
          : isWav(head)
            ? samplesOfWav(head)
            : pcmRate === undefined
              ? null
              : samplesOfPcm(head, contentType.toLowerCase(), pcmRate)
      samples = found === "incomplete" ? null : found
      const isFound = found === null || (found !== "incomplete" && head.length >= found.offset + 2)
      if (isFound || isComplete || head.length > MAX_HEADER) break
      const part = yield* next
      if (Option.isNone(part)) isComplete = true
      else head = Buffer.concat([head, ...Chunk.toReadonlyArray(part.value)])
    }
    if (samples === null) {
      const all = yield* Stream.runCollect(rest)
      const sound = Either.flatMap(
        Either.mapLeft(readWav(Buffer.concat([head, ...all])), () => INVALID_AUDIO),
        playable
      )
      return Stream.make(yield* converted(yield* sound))
    }
    const error = rateError(samples.rate)
    if (error !== undefined) return yield* Effect.fail(error)
    if (head.length < samples.offset + 1) return yield* Effect.fail("sent no audio")
    return convertedParts(samples, Stream.concat(Stream.make(head.subarray(samples.offset)), rest))
  })

const stepsOf = (part: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(part.length / STEP_BYTES) }, (_, step) =>
    part.subarray(step * STEP_BYTES, (step + 1) * STEP_BYTES)
  )

const convertedParts = <E>(
  { bytes: limit, isRaw, rate }: Samples,
  parts: Stream.Stream<Uint8Array, E>
): Stream.Stream<Uint8Array, string | E> =>
  Stream.suspend(() => {
    const decoder = makeDecoder()
    let taken = 0
    let given = 0
    // At one time: a pause between parts of a response is no pause of speech.
    const decode = (part: Uint8Array) => decoder.decode(part, { encoding: "pcm", rate }, 0)
    const speech = parts.pipe(
      Stream.mapConcat(stepsOf),
      Stream.mapEffect((part) =>
        Effect.gen(function* () {
          const rest = part.subarray(0, Math.max(0, limit - taken))
          taken += rest.length
          const error = lengthError(taken / 2, rate)
          if (error !== undefined) return yield* Effect.fail(error)
          const audio = yield* decode(rest)
          given += audio.length
          yield* Effect.promise(() => setImmediate())
          return audio
        })
      )
    )
    const end = Stream.unwrap(
      Effect.gen(function* () {
        if (isRaw && taken % 2 === 1) return yield* Effect.fail(INVALID_AUDIO)
        const length = Math.round((Math.floor(taken / 2) * SAMPLE_RATE) / rate)
        const last = yield* decode(new Uint8Array(2 * Math.ceil(FLUSH_SECONDS * rate)))
        return Stream.make(last.subarray(0, length - given))
      })
    )
    return Stream.filter(Stream.concat(speech, end), (part) => part.length > 0)
  })
