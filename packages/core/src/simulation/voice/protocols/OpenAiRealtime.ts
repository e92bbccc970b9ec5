/**
 * Events of OpenAI's Realtime API over WebSocket, from the client's side; many servers of agents have them. The server has to
 * detect turns itself.
 * Source: https://developers.openai.com/api/reference/resources/realtime/server-events, and the names of the beta version.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { millisOf } from "../Audio.js"
import { type AudioFormat, makeCallerAudio, makeDecoder } from "../PcmAudio.js"
import { type AgentMessage, OTHER, type VoiceProtocol } from "../VoiceProtocol.js"
import { Base64, base64Of, readTyped } from "./JsonMessage.js"

/** A format: an object, or a name in the beta version. */
const Format = Schema.Union(
  Schema.Struct({ type: Schema.String, rate: Schema.optional(Schema.NullOr(Schema.Number)) }),
  Schema.String
)
const format = Schema.optional(Schema.NullOr(Format))
const direction = Schema.optional(Schema.NullOr(Schema.Struct({ format })))
const isSession = Schema.is(
  Schema.Struct({
    session: Schema.Struct({
      audio: Schema.optional(Schema.NullOr(Schema.Struct({ input: direction, output: direction }))),
      input_audio_format: format,
      output_audio_format: format
    })
  })
)
const isDelta = Schema.is(
  Schema.Struct({ delta: Base64, item_id: Schema.optional(Schema.String.pipe(Schema.maxLength(1000))) })
)
const isError = Schema.is(Schema.Struct({ error: Schema.Struct({ type: Schema.String }) }))

/** The usual format of both directions. */
const USUAL: AudioFormat = { encoding: "pcm", rate: 24_000 }

/** The format that a session states; undefined for one that cannot be read. */
const formatOf = (stated: typeof Format.Type | null | undefined): AudioFormat | undefined => {
  if (stated === null || stated === undefined) return USUAL
  const type = typeof stated === "string" ? stated : stated.type
  const rate = typeof stated === "string" ? null : (stated.rate ?? null)
  if (type === "audio/pcm" || type === "pcm16") return { encoding: "pcm", rate: rate ?? USUAL.rate }
  if (type === "audio/pcmu" || type === "g711_ulaw") return { encoding: "mulaw", rate: rate ?? 8000 }
  return undefined
}

const append = (bytes: Uint8Array): string =>
  JSON.stringify({ type: "input_audio_buffer.append", audio: base64Of(bytes) })

/** What the agent says in one item of its conversation. */
interface Item {
  readonly id: string | undefined
  /** When its audio began to play, and when it has played, in milliseconds of the clock. */
  readonly from: number
  readonly until: number
}

/** A session with an agent. Audio begins when the server has stated its formats. */
export const openAiRealtime = (): VoiceProtocol => {
  const caller = makeCallerAudio(USUAL)
  const decoder = makeDecoder()
  let output: AudioFormat | undefined = USUAL
  let item: Item | null = null
  const interrupted = new Set<string>()

  const session = (message: object): Either.Either<AgentMessage, string> => {
    if (!isSession(message)) return Either.left("A session event has no session with formats of audio.")
    const { audio, input_audio_format: betaInput, output_audio_format: betaOutput } = message.session
    const input = formatOf(audio?.input?.format ?? betaInput)
    output = formatOf(audio?.output?.format ?? betaOutput)
    if (input === undefined || output === undefined) {
      return Either.left("The audio formats of the session are neither 16-bit PCM nor mu-law.")
    }
    const bytes = caller.format(input)
    return Either.right(bytes === null ? OTHER : { event: "other", responses: [append(bytes)] })
  }

  const audio = (message: object, at: number): Either.Either<AgentMessage, string> => {
    if (!isDelta(message)) return Either.left("An audio delta has no delta in base64.")
    const { delta, item_id: id } = message
    if (id !== undefined && interrupted.has(id)) return Either.right(OTHER)
    if (output === undefined) return Either.left("An audio delta has a format that cannot be read.")
    return Either.mapBoth(decoder.decode(Buffer.from(delta, "base64"), output, at), {
      onLeft: (predicate) => `An audio delta ${predicate}.`,
      onRight: (samples) => {
        const from: number = Math.max(at, item?.until ?? at)
        item = {
          id,
          from: item !== null && item.id === id ? item.from : from,
          until: from + millisOf(samples.length)
        }
        return { event: "media", audio: samples }
      }
    })
  }

  /** The server cancels its response when the caller speaks; it learns how much of it was heard. */
  const speechStarted = (at: number): AgentMessage => {
    decoder.reset()
    if (item === null || item.until <= at) return { event: "clear" }
    const { from, id } = item
    item = null
    if (id === undefined) return { event: "clear" }
    interrupted.add(id)
    return {
      event: "clear",
      responses: [
        JSON.stringify({
          type: "conversation.item.truncate",
          item_id: id,
          content_index: 0,
          audio_end_ms: Math.max(0, Math.round(at - from))
        })
      ]
    }
  }

  return {
    open: () => [],
    media: (frame) => {
      const bytes = caller.next(frame)
      return bytes === null ? [] : [append(bytes)]
    },
    key: () => [],
    mark: () => [],
    close: () => [],
    read: (received, at) =>
      Either.flatMap(readTyped(received), (message): Either.Either<AgentMessage, string> => {
        switch (message.type) {
          case "session.created":
          case "session.updated":
            return session(message)
          case "response.output_audio.delta":
          case "response.audio.delta":
            return audio(message, at)
          case "input_audio_buffer.speech_started":
            return Either.right(speechStarted(at))
          case "error": {
            const kind = isError(message) ? /^[a-z_]{1,50}$/.exec(message.error.type)?.[0] : undefined
            return Either.left(`An error event was sent (${kind ?? "without a type"}).`)
          }
          default:
            return Either.right(OTHER)
        }
      })
  }
}
