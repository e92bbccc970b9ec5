import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { type Speak, TextToSpeech } from "../simulation/voice/TextToSpeech.js"
import type { OutboundError } from "./OutboundError.js"
import { OutboundHttp } from "./OutboundHttp.js"
import { speechParts } from "./SpeechParts.js"
import { openSpeechServer, tookLongerThan } from "./SpeechServer.js"
import { failed, MAX_BYTES, MAX_CHARACTERS, textToSend } from "./SpeechSound.js"

export interface OpenAiTextToSpeechConfig {
  /** The server's base address, for example `https://speech.example/v1`; `/audio/speech` is appended. */
  readonly baseUrl: string
  readonly apiKey?: Redacted.Redacted
  readonly model: string
  /** The voice of utterances that name none. */
  readonly voice: string
  /**
   * `pcm` is raw: 16-bit, little-endian, one channel. A WAV file is read in either case. Both are spoken as they come, as long
   * as they have 16 bits and one channel. Default: wav.
   */
  readonly format?: "wav" | "pcm"
  /** Samples a second of `pcm`, if the response's content type names no rate. Default: 24,000. */
  readonly pcmRate?: number
  /** Until audio comes, retries included, and for one response. Default: 30 seconds. */
  readonly timeout?: Duration.DurationInput
  /** The largest response in bytes. Default: 33,554,432, which is ten minutes of PCM at 24 kHz. */
  readonly maxBytes?: number
  /** The longest text in characters that is sent. Default: 4096, the limit of most servers. */
  readonly maxCharacters?: number
}

/** Speech of the `audio/speech` operation that many speech servers offer; it begins while the server still synthesizes. */
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
  const failure = (error: string | OutboundError) => {
    const predicate =
      typeof error === "string" ? error : error.reason.is === "TimedOut" ? tookLongerThan(timeout) : error.message
    return failed(`the speech server ${predicate}.`)
  }

  return (utterance) =>
    Stream.unwrapScoped(
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
        const parts = yield* openSpeechServer(http, {
          url,
          apiKey: config.apiKey,
          contentType: "application/json",
          body: Buffer.from(body),
          maxBytes,
          timeout,
          read: (response) =>
            speechParts({
              body: response.body,
              contentType: response.headers["content-type"] ?? "",
              pcmRate: format === "pcm" ? pcmRate : undefined
            })
        }).pipe(Effect.mapError(failure))
        return Stream.mapError(parts, failure)
      })
    )
}
