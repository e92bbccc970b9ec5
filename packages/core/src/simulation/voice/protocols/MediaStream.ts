/**
 * The messages of Twilio Media Streams (bidirectional), from the telephone's side: what a caller sends is written, what an
 * agent sends is read. Source: https://www.twilio.com/docs/voice/media-streams/websocket-messages
 */
import { createHash } from "node:crypto"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { FRAME_MILLIS, SAMPLE_RATE } from "../Audio.js"
import { type AgentMessage, MAX_MESSAGE, OTHER, type VoiceProtocol, type WireMessage } from "../VoiceProtocol.js"
import { Base64, base64Of } from "./JsonMessage.js"

const MAX_MARK = 1000

export interface StreamIds {
  readonly accountSid: string
  readonly callSid: string
  readonly streamSid: string
}

/** The ids of a call: each call has a name of its own. */
export const streamIdsOf = (name: string): StreamIds => {
  const idOf = (kind: string): string =>
    kind + createHash("sha256").update(`${kind}/${name}`).digest("hex").slice(0, 32)
  return { accountSid: idOf("AC"), callSid: idOf("CA"), streamSid: idOf("MZ") }
}

const streamSid = Schema.String

const Event = Schema.Struct({ event: Schema.String })
const Media = Schema.Struct({ streamSid, media: Schema.Struct({ payload: Base64 }) })
const Mark = Schema.Struct({
  streamSid,
  mark: Schema.Struct({ name: Schema.String.pipe(Schema.maxLength(MAX_MARK)) })
})
const Clear = Schema.Struct({ streamSid })

const isEvent = Schema.is(Event)
const isMedia = Schema.is(Media)
const isMark = Schema.is(Mark)
const isClear = Schema.is(Clear)

/** First bytes of files, which are no mu-law samples. */
const FILE_HEADS = ["RIFF", "OggS", "ID3", "fLaC", "caff"]

const hasFileHead = (audio: Buffer): boolean =>
  FILE_HEADS.some((head) => audio.subarray(0, head.length).toString("latin1") === head)

/** Reads an agent's message; left is a sentence that says what is wrong with it, and repeats nothing of it. */
const readAgentMessage = (text: WireMessage, stream: string): Either.Either<AgentMessage, string> => {
  if (typeof text !== "string") return Either.left("A message is not JSON.")
  if (text.length > MAX_MESSAGE) return Either.left(`A message is longer than ${MAX_MESSAGE} characters.`)
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return Either.left("A message is not JSON.")
  }
  if (!isEvent(message)) return Either.left("A message has no event.")
  const ofStream = (sid: string, read: AgentMessage): Either.Either<AgentMessage, string> =>
    sid === stream ? Either.right(read) : Either.left("A message has another streamSid than start.")
  switch (message.event) {
    case "media": {
      if (!isMedia(message)) return Either.left("A media message has no streamSid, or no media.payload in base64.")
      const audio = Buffer.from(message.media.payload, "base64")
      return hasFileHead(audio)
        ? Either.left("A media message has the header of an audio file; its payload has to be raw mu-law samples.")
        : ofStream(message.streamSid, { event: "media", audio })
    }
    case "mark":
      return isMark(message)
        ? ofStream(message.streamSid, { event: "mark", name: message.mark.name })
        : Either.left(`A mark message has no streamSid, or no mark.name of at most ${MAX_MARK} characters.`)
    case "clear":
      return isClear(message)
        ? ofStream(message.streamSid, { event: "clear" })
        : Either.left("A clear message has no streamSid.")
    default:
      return Either.right(OTHER)
  }
}

/** A call over Twilio Media Streams. Each message after `connected` has the next sequence number. */
export const mediaStream = (ids: StreamIds): VoiceProtocol => {
  const { streamSid } = ids
  let sequence = 0
  let chunk = 0
  const write = (event: string, fields: object): string =>
    JSON.stringify({ event, sequenceNumber: String(++sequence), ...fields, streamSid })
  return {
    open: (customParameters) => [
      JSON.stringify({ event: "connected", protocol: "Call", version: "1.0.0" }),
      write("start", {
        start: {
          ...ids,
          tracks: ["inbound"],
          mediaFormat: { encoding: "audio/x-mulaw", sampleRate: SAMPLE_RATE, channels: 1 },
          customParameters
        }
      })
    ],
    media: (frame) => [
      write("media", {
        media: {
          track: "inbound",
          chunk: String(++chunk),
          timestamp: String((chunk - 1) * FRAME_MILLIS),
          payload: base64Of(frame)
        }
      })
    ],
    key: (digit) => [write("dtmf", { dtmf: { track: "inbound_track", digit } })],
    mark: (name) => [write("mark", { mark: { name } })],
    close: () => [write("stop", { stop: { accountSid: ids.accountSid, callSid: ids.callSid } })],
    read: (message) => readAgentMessage(message, streamSid)
  }
}
