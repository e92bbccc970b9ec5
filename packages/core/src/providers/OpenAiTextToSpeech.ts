import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { readWav } from "@earshot/redaction/audio"
import type { Sound } from "../simulation/voice/TelephoneAudio.js"
import { type Speak, TextToSpeech } from "../simulation/voice/TextToSpeech.js"
import { type BufferedResponse, OutboundHttp } from "./OutboundHttp.js"
import { askSpeechServer } from "./SpeechServer.js"
import { converted, failed, INVALID_AUDIO, MAX_BYTES, MAX_CHARACTERS, playable, textToSend } from "./SpeechSound.js"

export interface OpenAiTextToSpeechConfig {
  /** The server's base address, for example `https://speech.example/v1`; `/audio/speech` is appended. */
  readonly baseUrl: string
  readonly apiKey?: Redacted.Redacted
  readonly model: string
  /** The voice of utterances that name none. */
  readonly voice: string
  /** `pcm` is raw: 16-bit, little-endian, one channel. A WAV file is read in either case. Default: wav. */
  readonly format?: "wav" | "pcm"
  /** Samples a second of `pcm`, if the response's content type names no rate. Default: 24,000. */
  readonly pcmRate?: number
  /** For one utterance, retries included. Default: 30 seconds. */
  readonly timeout?: Duration.DurationInput
  /** The largest response in bytes. Default: 33,554,432, which is ten minutes of PCM at 24 kHz. */
  readonly maxBytes?: number
  /** The longest text in characters that is sent. Default: 4096, the limit of most servers. */
  readonly maxCharacters?: number
}

/** Speech of the `audio/speech` operation that many speech servers offer. */
export const layer = (config: OpenAiTextToSpeechConfig): Layer.Layer<TextToSpeech, never, OutboundHttp> =>
  Layer.effect(
    TextToSpeech,
    Effect.map(OutboundHttp, (http) => ({
      identity: JSON.stringify(["openai", config.baseUrl, config.model, config.voice, config.format, config.pcmRate]),
      speak: makeSpeak(config, http)
    }))
  )

const makeSpeak = (config: OpenAiTextToSpeechConfig, http: Context.Tag.Service<OutboundHttp>): Speak => {
  const { format = "wav", maxBytes = MAX_BYTES, maxCharacters = MAX_CHARACTERS, pcmRate = 24_000 } = config
  const timeout = Duration.decode(config.timeout ?? "30 seconds")
  const url = `${config.baseUrl.replace(/\/+$/, "")}/audio/speech`

  return (utterance) =>
    Effect.gen(function* () {
      const input = yield* textToSend(utterance, maxCharacters)
      const { speed, voice } = utterance
      const body = JSON.stringify({
        model: config.model,
        input,
        voice: voice ?? config.voice,
        response_format: format,
        // Some models reject the parameter.
        ...(speed === undefined || speed === 1 ? {} : { speed })
      })
      const sound = yield* askSpeechServer(http, {
        url,
        apiKey: config.apiKey,
        contentType: "application/json",
        body: Buffer.from(body),
        maxBytes,
        timeout,
        read: (response) => soundOf(response, format === "pcm" ? pcmRate : undefined)
      }).pipe(Effect.mapError((predicate) => failed(`the speech server ${predicate}.`)))
      return yield* converted(sound)
    })
}

/** The sound of a response: a WAV file, or raw PCM of this rate if it was requested. */
const soundOf = ({ body, headers }: BufferedResponse, pcmRate: number | undefined): Either.Either<Sound, string> => {
  const type = (headers["content-type"] ?? "").toLowerCase()
  return Either.flatMap(
    Either.orElse(
      Either.mapLeft(readWav(body), () => INVALID_AUDIO),
      () => (pcmRate === undefined ? Either.left(INVALID_AUDIO) : pcmOf(body, type, pcmRate))
    ),
    playable
  )
}

/** Any bytes are PCM, so that the content type and the magic number of a file are all that tells other content. */
const OTHER_TYPES =
  /^(text\/|application\/(json|xml|problem)|audio\/(mpeg|mp3|mp4|aac|ogg|opus|webm|flac|wave?|x-wav)\b)/
const OTHER_FILES = ["RIFF", "ID3", "OggS", "fLaC"]

const pcmOf = (body: Buffer, type: string, defaultRate: number): Either.Either<Sound, string> => {
  const head = body.toString("latin1", 0, 4)
  if (OTHER_TYPES.test(type) || OTHER_FILES.some((magic) => head.startsWith(magic)) || body.length % 2 === 1) {
    return Either.left(INVALID_AUDIO)
  }
  const rate = /;\s*rate=(\d{1,6})\b/.exec(type)?.[1]
  const read = (from: number, to: number): Float32Array => {
    const samples = new Float32Array(to - from)
    for (let at = 0; at < samples.length; at++) samples[at] = body.readInt16LE(2 * (from + at)) / 32_768
    return samples
  }
  return Either.right({ sampleRate: rate === undefined ? defaultRate : Number(rate), length: body.length / 2, read })
}
