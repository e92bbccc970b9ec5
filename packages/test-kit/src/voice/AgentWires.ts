/** The agent's side of each protocol of voice endpoints, for agents that play scripts. */
import { Voice, type VoiceProtocolName } from "@earshot/core"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

/** What a caller sent, as far as scripts need it. */
export interface Received {
  /** What the caller sent when the connection was open; undefined in other messages. */
  readonly started?: unknown
  /** Audio as mu-law of 8 kHz. */
  readonly audio?: Uint8Array
  readonly mark?: string
  readonly isStopped?: boolean
  /** A message of none of these kinds. */
  readonly other?: unknown
}

/** An agent's side of one connection. */
export interface AgentWire {
  /** What the agent sends when the connection is open. */
  readonly greeting: ReadonlyArray<Voice.WireMessage>
  readonly read: (message: Voice.WireMessage) => Received
  /** What the agent sends when it has read that the caller began. */
  readonly begun: () => ReadonlyArray<Voice.WireMessage>
  /** Messages with audio, in parts of so many samples; it is mu-law of 8 kHz. */
  readonly say: (audio: Uint8Array, part: number) => ReadonlyArray<Voice.WireMessage>
  readonly clear: () => ReadonlyArray<Voice.WireMessage>
  readonly mark: (name: string) => ReadonlyArray<Voice.WireMessage>
}

const decodeJson = Schema.decodeUnknownSync(Schema.parseJson())

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")

const partsOf = (audio: Uint8Array, part: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(audio.length / part) }, (_, at) => audio.subarray(at * part, (at + 1) * part))

const Twilio = Schema.parseJson(
  Schema.Struct({
    event: Schema.String,
    streamSid: Schema.optional(Schema.String),
    start: Schema.optional(Schema.Unknown),
    media: Schema.optional(Schema.Struct({ payload: Schema.String })),
    mark: Schema.optional(Schema.Struct({ name: Schema.String }))
  })
)
const decodeTwilio = Schema.decodeUnknownSync(Twilio)

const twilio = (): AgentWire => {
  let streamSid = ""
  const write = (fields: object): string => JSON.stringify({ streamSid, ...fields })
  return {
    greeting: [],
    read: (message) => {
      const { event, mark, media, start, streamSid: sid } = decodeTwilio(message)
      switch (event) {
        case "start":
          streamSid = sid ?? ""
          return { started: start }
        case "stop":
          return { isStopped: true }
        case "mark":
          return { mark: mark?.name ?? "" }
        case "media":
          return { audio: Buffer.from(media?.payload ?? "", "base64") }
        default:
          return {}
      }
    },
    begun: () => [],
    say: (audio, part) => partsOf(audio, part).map((one) => write({ event: "media", media: { payload: base64(one) } })),
    clear: () => [write({ event: "clear" })],
    mark: (name) => [write({ event: "mark", mark: { name } })]
  }
}

/** Samples that follow an utterance, so that its end is converted. */
const TAIL = 80

/** An utterance at another rate, in parts of so many samples of 8 kHz. */
const pcmParts = (audio: Uint8Array, rate: number, part: number): ReadonlyArray<Uint8Array> => {
  const convert = Voice.makeResampler(Voice.SAMPLE_RATE, rate)
  const ratio = rate / Voice.SAMPLE_RATE
  const samples = convert(Voice.decodeMulaw(Buffer.concat([audio, Voice.silenceOf(TAIL)]))).subarray(
    0,
    audio.length * ratio
  )
  return partsOf(Voice.writePcm(samples), part * ratio * 2)
}

const pcmReader = (format: Voice.AudioFormat) => {
  const decoder = Voice.makeDecoder()
  // One stream: the caller never pauses.
  return (bytes: Uint8Array): Uint8Array => Either.getOrThrow(decoder.decode(bytes, format, 0))
}

const binary = (message: Voice.WireMessage): Uint8Array => (typeof message === "string" ? Buffer.alloc(0) : message)

/** Protobuf without a library: a varint, little end first. */
const varint = (value: number): ReadonlyArray<number> =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]

/** A field of bytes, or of a number. */
const field = (number: number, value: Uint8Array | number): Uint8Array =>
  typeof value === "number"
    ? Uint8Array.from([...varint(number * 8), ...varint(value)])
    : Buffer.concat([Uint8Array.from([...varint(number * 8 + 2), ...varint(value.length)]), value])

/** The fields of a message that are bytes, by their numbers. */
const bytesOf = (message: Uint8Array): ReadonlyMap<number, Uint8Array> => {
  const found = new Map<number, Uint8Array>()
  let at = 0
  const next = (): number => {
    let value = 0
    for (let shift = 1; ; shift *= 128) {
      const byte = message[at++] ?? 0
      value += (byte % 128) * shift
      if (byte < 128) return value
    }
  }
  while (at < message.length) {
    const tag = next()
    const value = next()
    if (tag % 8 !== 2) continue
    found.set(Math.floor(tag / 8), message.subarray(at, at + value))
    at += value
  }
  return found
}

const pipecat = (): AgentWire => {
  const audioOf = pcmReader({ encoding: "pcm", rate: 16_000 })
  let id = 0
  /** `Frame` of `frames.proto`. */
  const read = (message: Voice.WireMessage): Received => {
    const frame = bytesOf(binary(message))
    const text = frame.get(4)
    if (text !== undefined) {
      return { started: decodeJson(Buffer.from(bytesOf(text).get(1) ?? []).toString()) }
    }
    return { audio: audioOf(bytesOf(frame.get(2) ?? Buffer.alloc(0)).get(3) ?? Buffer.alloc(0)) }
  }
  const frameOf = (audio: Uint8Array): Uint8Array =>
    field(
      2,
      Buffer.concat([
        field(1, ++id),
        field(2, Buffer.from(`OutputAudioRawFrame#${id}`)),
        field(3, audio),
        field(4, 24_000),
        field(5, 1)
      ])
    )
  return {
    greeting: [],
    read,
    begun: () => [],
    say: (audio, part) => pcmParts(audio, 24_000, part).map(frameOf),
    clear: () => [],
    mark: () => []
  }
}

const Typed = Schema.parseJson(
  Schema.Struct({
    type: Schema.optional(Schema.String),
    user_audio_chunk: Schema.optional(Schema.String),
    audio: Schema.optional(Schema.String)
  })
)
const decodeTyped = Schema.decodeUnknownSync(Typed)

const elevenLabs = (): AgentWire => {
  const audioOf = pcmReader({ encoding: "pcm", rate: 16_000 })
  let event = 0
  return {
    greeting: [],
    read: (message) => {
      const { type, user_audio_chunk: chunk } = decodeTyped(message)
      if (chunk !== undefined) return { audio: audioOf(Buffer.from(chunk, "base64")) }
      const content = decodeJson(message)
      return type === "conversation_initiation_client_data" ? { started: content } : { other: content }
    },
    begun: () => [
      JSON.stringify({
        type: "conversation_initiation_metadata",
        conversation_initiation_metadata_event: {
          conversation_id: "conv_1",
          agent_output_audio_format: "pcm_16000",
          user_input_audio_format: "pcm_16000"
        }
      })
    ],
    say: (audio, part) => {
      event++
      return pcmParts(audio, 16_000, part).map((one) =>
        JSON.stringify({ type: "audio", audio_event: { audio_base_64: base64(one), event_id: event } })
      )
    },
    clear: () => [JSON.stringify({ type: "interruption", interruption_event: { event_id: event } })],
    mark: () => []
  }
}

const openAiRealtime = (): AgentWire => {
  const audioOf = pcmReader({ encoding: "pcm", rate: 24_000 })
  let item = 0
  return {
    greeting: [
      JSON.stringify({
        type: "session.created",
        session: {
          type: "realtime",
          audio: {
            input: { format: { type: "audio/pcm", rate: 24_000 } },
            output: { format: { type: "audio/pcm", rate: 24_000 } }
          }
        }
      })
    ],
    read: (message) => {
      const { audio, type } = decodeTyped(message)
      return type === "input_audio_buffer.append" && audio !== undefined
        ? { audio: audioOf(Buffer.from(audio, "base64")), started: type }
        : { other: decodeJson(message) }
    },
    begun: () => [],
    say: (audio, part) => {
      item++
      return pcmParts(audio, 24_000, part).map((one) =>
        JSON.stringify({ type: "response.output_audio.delta", item_id: `item_${item}`, delta: base64(one) })
      )
    },
    clear: () => [JSON.stringify({ type: "input_audio_buffer.speech_started", audio_start_ms: 0, item_id: "item_u" })],
    mark: () => []
  }
}

/** An agent's side of a connection in a protocol. */
export const agentWire = (protocol: VoiceProtocolName): AgentWire => {
  switch (protocol) {
    case "twilio":
      return twilio()
    case "pipecat":
      return pipecat()
    case "elevenlabs":
      return elevenLabs()
    case "openai_realtime":
      return openAiRealtime()
  }
}
