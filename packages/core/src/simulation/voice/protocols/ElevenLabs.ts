/**
 * The conversation WebSocket of ElevenLabs' agents, from the client's side.
 * Source: https://elevenlabs.io/docs/agents-platform/api-reference/agents-platform/websocket
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type AudioFormat, makeCallerAudio, makeDecoder } from "../PcmAudio.js"
import { type AgentMessage, OTHER, type VoiceProtocol } from "../VoiceProtocol.js"
import { Base64, base64Of, readTyped } from "./JsonMessage.js"

const eventId = Schema.Number
const isMetadata = Schema.is(
  Schema.Struct({
    conversation_initiation_metadata_event: Schema.Struct({
      agent_output_audio_format: Schema.optional(Schema.NullOr(Schema.String)),
      user_input_audio_format: Schema.optional(Schema.NullOr(Schema.String))
    })
  })
)
const isAudio = Schema.is(
  Schema.Struct({
    audio_event: Schema.Struct({ audio_base_64: Base64, event_id: Schema.optional(eventId) })
  })
)
const isInterruption = Schema.is(
  Schema.Struct({
    interruption_event: Schema.Struct({ event_id: Schema.optional(eventId) })
  })
)
const isPing = Schema.is(Schema.Struct({ ping_event: Schema.Struct({ event_id: eventId }) }))
const isToolCall = Schema.is(
  Schema.Struct({
    client_tool_call: Schema.Struct({ tool_call_id: Schema.String.pipe(Schema.maxLength(1000)) })
  })
)

/** The usual format of both directions. */
const USUAL: AudioFormat = { encoding: "pcm", rate: 16_000 }

/** The format that a name such as `pcm_16000` or `ulaw_8000` states; undefined for another one. */
const formatOf = (name: string | null | undefined): AudioFormat | undefined => {
  if (name === null || name === undefined) return USUAL
  const [, encoding, rate] = /^(pcm|ulaw)_(\d{4,5})$/.exec(name) ?? []
  return encoding === undefined ? undefined : { encoding: encoding === "pcm" ? "pcm" : "mulaw", rate: Number(rate) }
}

const chunk = (bytes: Uint8Array): string => JSON.stringify({ user_audio_chunk: base64Of(bytes) })

/** A conversation with an agent. Audio begins when the agent's server has stated its formats. */
export const elevenLabs = (): VoiceProtocol => {
  const caller = makeCallerAudio(USUAL)
  const decoder = makeDecoder()
  let output: AudioFormat | undefined = USUAL
  /** Audio of events up to this one was interrupted. */
  let interrupted = Number.NEGATIVE_INFINITY

  const metadata = (message: object): Either.Either<AgentMessage, string> => {
    if (!isMetadata(message)) {
      return Either.left("A conversation_initiation_metadata message has no conversation_initiation_metadata_event.")
    }
    const stated = message.conversation_initiation_metadata_event
    const input = formatOf(stated.user_input_audio_format)
    output = formatOf(stated.agent_output_audio_format)
    if (input === undefined || output === undefined) {
      return Either.left("The audio formats of the conversation are not pcm or ulaw with a sample rate.")
    }
    const bytes = caller.format(input)
    return Either.right(bytes === null ? OTHER : { event: "other", responses: [chunk(bytes)] })
  }

  const audio = (message: object, at: number): Either.Either<AgentMessage, string> => {
    if (!isAudio(message)) return Either.left("An audio message has no audio_event.audio_base_64 in base64.")
    const { audio_base_64: payload, event_id: id = Number.POSITIVE_INFINITY } = message.audio_event
    if (id <= interrupted) return Either.right(OTHER)
    if (output === undefined) return Either.left("An audio message has a format that cannot be read.")
    return Either.mapBoth(decoder.decode(Buffer.from(payload, "base64"), output, at), {
      onLeft: (predicate) => `An audio message ${predicate}.`,
      onRight: (samples) => ({ event: "media", audio: samples })
    })
  }

  return {
    open: (parameters) => [
      JSON.stringify({ type: "conversation_initiation_client_data", dynamic_variables: parameters })
    ],
    media: (frame) => {
      const bytes = caller.next(frame)
      return bytes === null ? [] : [chunk(bytes)]
    },
    key: () => [],
    mark: () => [],
    close: () => [],
    read: (received, at) =>
      Either.flatMap(readTyped(received), (message): Either.Either<AgentMessage, string> => {
        switch (message.type) {
          case "conversation_initiation_metadata":
            return metadata(message)
          case "audio":
            return audio(message, at)
          case "interruption":
            if (!isInterruption(message)) return Either.left("An interruption message has no interruption_event.")
            interrupted = Math.max(interrupted, message.interruption_event.event_id ?? interrupted)
            decoder.reset()
            return Either.right({ event: "clear" })
          case "ping":
            if (!isPing(message)) return Either.left("A ping message has no ping_event.event_id.")
            return Either.right({
              event: "other",
              responses: [JSON.stringify({ type: "pong", event_id: message.ping_event.event_id })]
            })
          case "client_tool_call":
            // Without a result, the agent would wait for it.
            if (!isToolCall(message)) return Either.left("A client_tool_call message has no tool_call_id.")
            return Either.right({
              event: "other",
              responses: [
                JSON.stringify({
                  type: "client_tool_result",
                  tool_call_id: message.client_tool_call.tool_call_id,
                  result: "The caller has no tools.",
                  is_error: true
                })
              ]
            })
          default:
            return Either.right(OTHER)
        }
      })
  }
}
