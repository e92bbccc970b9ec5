/** Checks of a voice endpoint: a call of silence and a greeting, and what is wrong with it. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Schema from "effect/Schema"
import type { VoiceProtocolName } from "../../catalog/Agent.js"
import * as Fields from "../../kernel/Fields.js"
import { AgentId } from "../../kernel/Ids.js"
import { otherEncoding } from "./AudioEncodingRules.js"
import { samplesOf } from "./Audio.js"
import type { VoiceAddress } from "./VoiceAddressRules.js"
import { type CallEnd, startCall } from "./VoiceCall.js"
import { ConnectionProblem, VoiceFailed, VoiceConnections } from "./VoiceConnection.js"
import { protocolOf } from "./protocols/Protocols.js"
import type { StreamIds } from "./protocols/MediaStream.js"

/** What is wrong with a voice endpoint. */
export const VoiceProblem = Schema.Literal(
  ...ConnectionProblem.literals,
  /** Nothing but silence came. */
  "no_audio",
  /** What came is not mu-law. */
  "encoding",
  /** A message is invalid, or there are too many. */
  "protocol",
  /** The connection was closed before the check was over. */
  "closed"
)
export type VoiceProblem = typeof VoiceProblem.Type

/** The outcome of a check of an agent's voice endpoint. */
export class VoiceCheck extends Schema.Class<VoiceCheck>("@earshot/core/simulation/VoiceCheck")({
  agentId: Fields.named("agent", AgentId),
  /** Whether a run could be played: `problem` is null then. */
  ok: Schema.Boolean,
  problem: Schema.NullOr(VoiceProblem),
  /** What was found, and how to correct it. */
  detail: Schema.String,
  /** Seconds until the connection was open. */
  connectSeconds: Fields.named("connect_seconds", Schema.NullOr(Schema.Number)),
  /** Seconds from `start` to the agent's first audible sound. */
  firstAudioSeconds: Fields.named("first_audio_seconds", Schema.NullOr(Schema.Number))
}) {}

export const encodeVoiceCheck = Schema.encodeSync(VoiceCheck)

/** What was observed in a check. */
export interface ObservedCall {
  readonly protocol: VoiceProtocolName
  /** Milliseconds from the start to the first sound; null if there was none. */
  readonly onset: number | null
  /** The agent's audio. */
  readonly audio: Uint8Array
  /** What is wrong with the first message that could not be read. */
  readonly invalid: string | null
  /** Whether something was said to the agent. */
  readonly isGreeted: boolean
  /** Why the call was over before the check; null if it was not. */
  readonly end: CallEnd | null
}

export interface Finding {
  readonly problem: VoiceProblem | null
  readonly detail: string
}

/** How long an agent may take until its first sound. */
export const FIRST_AUDIO_MILLIS = 10_000
/** How long it may take until it is greeted. */
const GREETED_AFTER_MILLIS = 4000
/** The longest greeting: the agent has three seconds to answer it. */
const GREETING_MILLIS = 3000
/** How long it is listened to from then on: a pause shows the encoding. */
const LISTEN_MILLIS = 500

/** More than the time limit of a connection over WebSocket: a host's own connections may have none. */
const CONNECT = Duration.seconds(15)

const ADVICE: Readonly<Record<VoiceProblem, string>> = {
  address: "Check the URL and the headers of the endpoint.",
  dns: "Check the host of the endpoint's url.",
  // oxlint-disable-next-line earshot/vocabulary -- The name of the error: ECONNREFUSED.
  refused: "Check the port of the endpoint's url, and that the agent's server runs.",
  unreachable: "Check the host of the endpoint's url, and the network between Earshot and it.",
  tls: "Check the server's certificate, and that it serves TLS at this port.",
  timeout: "Check that the server answers WebSocket requests at this path.",
  unauthorized: "Check the headers and the auth_token of the endpoint.",
  status: "Check the path of the endpoint's url, and that the server serves WebSockets there.",
  handshake: "Check that the server speaks WebSocket, and whether it expects wss: or ws:.",
  no_audio: "If it waits for the caller to speak, configure text to speech.",
  encoding: "The payload of media messages has to be raw mu-law samples at 8,000 Hz.",
  protocol: "Check the protocol of the endpoint.",
  closed: "Check the log of the agent's server."
}

/** What an agent of a protocol sends. */
const EXPECTED: Readonly<Record<VoiceProtocolName, { readonly audio: string; readonly messages: string }>> = {
  twilio: {
    audio: "reads media messages, and sends its own with the streamSid of start",
    messages: "the media, mark and clear messages of Twilio Media Streams"
  },
  pipecat: {
    audio: "reads AudioRawFrame frames of 16,000 Hz, and sends its own",
    messages: "the protobuf frames of Pipecat (ProtobufFrameSerializer)"
  },
  elevenlabs: {
    audio: "reads user_audio_chunk messages, and sends audio events",
    messages: "the events of the conversation WebSocket of ElevenLabs"
  },
  openai_realtime: {
    audio: "reads input_audio_buffer.append events, detects turns, and sends response.output_audio.delta events",
    messages: "the events of the Realtime API of OpenAI"
  }
}

const finding = (problem: VoiceProblem, detail: string): Finding => ({
  problem,
  detail: `${detail} ${ADVICE[problem]}`
})

/** What is wrong with what was heard: messages first, since without them no audio is understood. */
export const findingOf = ({ audio, end, invalid, isGreeted, onset, protocol }: ObservedCall): Finding => {
  const expected = EXPECTED[protocol]
  const invalidMessages = (detail: string): Finding =>
    finding("protocol", `${detail} The agent has to send ${expected.messages}.`)
  if (end?.by === "protocol") return invalidMessages(`The agent's server ${end.reason}.`)
  if (invalid !== null) return invalidMessages(`The agent's server sent an invalid message. ${invalid}`)
  // Other protocols state the encoding.
  const encoding = protocol === "twilio" ? otherEncoding(audio) : null
  if (encoding !== null) return finding("encoding", `The agent's audio is not mu-law; it is probably ${encoding}.`)
  if (end?.by === "main_agent" && (onset === null || !end.isClean)) {
    const when = onset === null ? " before any of its audio was heard" : " while the agent spoke"
    return finding("closed", `The agent's server ${end.reason}${when}.`)
  }
  if (onset === null) {
    const sent = audio.length === 0 ? "no audio" : "nothing but silence"
    const seconds = FIRST_AUDIO_MILLIS / 1000
    const check = `Check that it ${expected.audio}.`
    return isGreeted
      ? {
          problem: "no_audio",
          detail: `The agent's server sent ${sent} for ${seconds} seconds, also when it was greeted. ${check}`
        }
      : finding("no_audio", `The agent's server sent ${sent} for ${seconds} seconds. ${check}`)
  }
  return { problem: null, detail: `The agent answered: its first audio came after ${secondsOf(onset).toFixed(2)} s.` }
}

const secondsOf = (millis: number): number => Math.round(millis) / 1000

/**
 * Calls an agent, sends silence until it is heard, and says what is wrong. Takes at most 26 seconds.
 *
 * @param greeting what is said to an agent that is silent for 4 seconds, as mu-law of at most 3 seconds; null for nothing
 * @param ids those of the call; no other call may have them
 */
export const checkVoice = (
  agentId: AgentId,
  address: VoiceAddress,
  protocol: VoiceProtocolName,
  ids: StreamIds,
  greeting: Uint8Array | null
): Effect.Effect<VoiceCheck, never, VoiceConnections> =>
  Effect.gen(function* () {
    const connections = yield* VoiceConnections
    const began = yield* Clock.currentTimeMillis
    const connection = yield* connections.connect(address).pipe(
      Effect.timeoutFail({
        duration: CONNECT,
        onTimeout: () =>
          new VoiceFailed({
            problem: "timeout",
            reason: `The agent's server took longer than ${Duration.toSeconds(CONNECT)} seconds.`
          })
      })
    )
    const connectSeconds = secondsOf((yield* Clock.currentTimeMillis) - began)
    const call = yield* startCall(connection, {
      protocol: protocolOf(protocol, ids),
      customParameters: {},
      maxMillis: FIRST_AUDIO_MILLIS + 2 * LISTEN_MILLIS
    })
    let isGreeted = false
    const onset = yield* Effect.either(
      Effect.gen(function* () {
        const own = yield* call.onset(greeting === null ? FIRST_AUDIO_MILLIS : GREETED_AFTER_MILLIS)
        if (greeting === null || Option.isSome(own)) return own
        isGreeted = true
        yield* call.say(Stream.make(greeting.subarray(0, samplesOf(GREETING_MILLIS))))
        return yield* call.onset(FIRST_AUDIO_MILLIS - (yield* call.position))
      })
    )
    const first = Either.match(onset, { onLeft: () => null, onRight: Option.getOrNull })
    const rest = first === null ? onset : yield* Effect.either(Effect.as(call.pause(LISTEN_MILLIS), Option.none()))
    yield* call.hangUp
    const { agentTrack, invalid } = yield* call.record
    const { detail, problem } = findingOf({
      protocol,
      onset: first,
      audio: Buffer.concat(agentTrack.map((part) => part.audio)),
      invalid,
      isGreeted,
      end: Either.match(rest, { onLeft: (end) => end, onRight: () => null })
    })
    return new VoiceCheck({
      agentId,
      ok: problem === null,
      problem,
      detail,
      connectSeconds,
      firstAudioSeconds: first === null ? null : secondsOf(first)
    })
  }).pipe(
    Effect.scoped,
    Effect.catchTag("VoiceFailed", ({ problem, reason }) =>
      Effect.succeed(
        new VoiceCheck({
          agentId,
          ok: false,
          ...finding(problem, reason),
          connectSeconds: null,
          firstAudioSeconds: null
        })
      )
    )
  )
