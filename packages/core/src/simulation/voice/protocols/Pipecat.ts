/**
 * Pipecat's WebSocket transport with protobuf frames, from the client's side.
 * Source: `src/pipecat/frames/frames.proto` and `src/pipecat/serializers/protobuf.py` of https://github.com/pipecat-ai/pipecat;
 * messages: https://docs.pipecat.ai/client/rtvi-standard
 */
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire"
import { readWav } from "@earshot/redaction/audio"
import * as Either from "effect/Either"
import { endOfPart, isPart, readMessage } from "../../../kernel/Protobuf.js"
import { type AudioFormat, makeDecoder, makeEncoder, readPcm, writePcm } from "../PcmAudio.js"
import { toInt16 } from "../Resampling.js"
import { type AgentMessage, MAX_MESSAGE, OTHER, type VoiceProtocol, type WireMessage } from "../VoiceProtocol.js"

/** The rate at which Pipecat's input transports work unless they are configured otherwise. */
const INPUT: AudioFormat = { encoding: "pcm", rate: 16_000 }

/** The fields of `Frame`, which has one of them. */
const FRAME = { audio: 2, message: 4 } as const
/** The fields of `AudioRawFrame`. */
const AUDIO = { audio: 3, sampleRate: 4, channels: 5 } as const

interface AudioFrame {
  readonly audio: Uint8Array
  readonly sampleRate: number
  readonly channels: number
}

const readAudio = (reader: BinaryReader, end: number): AudioFrame => {
  let frame: AudioFrame = { audio: new Uint8Array(), sampleRate: 0, channels: 0 }
  readMessage(reader, end, (field, type) => {
    if (field === AUDIO.audio && isPart(type)) {
      frame = { ...frame, audio: reader.bytes() }
    } else if (field === AUDIO.sampleRate && type === WireType.Varint) frame = { ...frame, sampleRate: reader.uint32() }
    else if (field === AUDIO.channels && type === WireType.Varint) frame = { ...frame, channels: reader.uint32() }
    else return false
    return true
  })
  return frame
}

/** The audio of a frame; undefined where the frame has something else, such as a text or a transcription. */
const readFrame = (bytes: Uint8Array): AudioFrame | undefined => {
  const reader = new BinaryReader(bytes)
  let frame: AudioFrame | undefined
  readMessage(reader, bytes.length, (field, type) => {
    if (field !== FRAME.audio || !isPart(type)) return false
    frame = readAudio(reader, endOfPart(reader, bytes.length))
    return true
  })
  return frame
}

/** One channel of the mean of all. */
const mono = (audio: Uint8Array, channels: number): Uint8Array => {
  if (channels <= 1) return audio
  const samples = readPcm(audio)
  return writePcm(
    Int16Array.from({ length: Math.floor(samples.length / channels) }, (_, at) => {
      let sum = 0
      for (let channel = 0; channel < channels; channel++) sum += samples[at * channels + channel] ?? 0
      return toInt16(sum / channels)
    })
  )
}

/** Audio with its format. A transport with `add_wav_header` sends files. */
const soundOf = ({ audio, channels, sampleRate }: AudioFrame): readonly [Uint8Array, AudioFormat] =>
  Either.match(readWav(audio), {
    onLeft: () => [mono(audio, channels), { encoding: "pcm", rate: sampleRate }],
    onRight: ({ length, read, sampleRate: rate }) => [
      writePcm(Int16Array.from(read(0, length), (sample) => toInt16(sample * 32_767))),
      { encoding: "pcm", rate }
    ]
  })

const audioFrame = (audio: Uint8Array): Uint8Array => {
  const frame = new BinaryWriter().tag(FRAME.audio, WireType.LengthDelimited).fork()
  frame.tag(AUDIO.audio, WireType.LengthDelimited).bytes(audio)
  frame.tag(AUDIO.sampleRate, WireType.Varint).uint32(INPUT.rate)
  frame.tag(AUDIO.channels, WireType.Varint).uint32(1)
  return frame.join().finish()
}

const messageFrame = (message: object): Uint8Array => {
  const frame = new BinaryWriter().tag(FRAME.message, WireType.LengthDelimited).fork()
  return frame.tag(1, WireType.LengthDelimited).string(JSON.stringify(message)).join().finish()
}

/** A bot that waits for a client of RTVI begins when it is ready; another one ignores the message. */
const clientReady = (parameters: Readonly<Record<string, string>>): Uint8Array =>
  messageFrame({
    label: "rtvi-ai",
    type: "client-ready",
    id: "earshot",
    data: { version: "1.0.0", about: { library: "earshot", platform_details: parameters } }
  })

/** A connection to a bot. It stops sending when it is interrupted; its protocol has no message that cuts what was sent. */
export const pipecat = (): VoiceProtocol => {
  const encode = makeEncoder(INPUT)
  const decoder = makeDecoder()

  const read = (message: WireMessage, at: number): Either.Either<AgentMessage, string> => {
    if (typeof message === "string") return Either.left("A message is text, not a binary protobuf frame.")
    if (message.length > MAX_MESSAGE) return Either.left(`A message is longer than ${MAX_MESSAGE} bytes.`)
    return Either.flatMap(
      Either.try({ try: () => readFrame(message), catch: () => "A message is not a protobuf frame of Pipecat." }),
      (frame) =>
        frame === undefined
          ? Either.right(OTHER)
          : Either.mapBoth(decoder.decode(...soundOf(frame), at), {
              onLeft: (predicate) => `An audio frame ${predicate}.`,
              onRight: (audio): AgentMessage => ({ event: "media", audio })
            })
    )
  }

  return {
    open: (parameters) => [clientReady(parameters)],
    media: (frame) => [audioFrame(encode(frame))],
    key: () => [],
    mark: () => [],
    close: () => [],
    read
  }
}
