/** What is kept of a span until its call is assembled: its part in the conversation, and nothing else of it. */
import * as Schema from "effect/Schema"

/** The conventions by which spans are read. */
export const TraceSource = Schema.Literal("livekit", "pipecat", "gen_ai")
export type TraceSource = typeof TraceSource.Type

const Text = Schema.optional(Schema.String)
const Seconds = Schema.optional(Schema.Number)

/** A message of a chat with a language model. */
const ChatMessage = Schema.Struct({ role: Schema.Literal("user", "assistant"), text: Schema.String })

const Tool = Schema.Struct({
  id: Text,
  name: Schema.String,
  arguments: Text,
  result: Text,
  failed: Schema.optional(Schema.Boolean)
})
export type TracedTool = typeof Tool.Type

/** What a span states about its call. */
const Facts = Schema.Struct({
  callId: Text,
  /** What may be the platform's id of the agent, the most specific first. */
  assistantIds: Schema.optional(Schema.Array(Schema.String)),
  customerNumber: Text,
  endedReason: Text,
  roomName: Text,
  direction: Text,
  model: Text
})
export type TracedFacts = typeof Facts.Type

/**
 * The part of a span in its call:
 *
 * - `session`: the call itself; `facts`: what else states something about it; `turn`: a turn of both speakers
 * - `user_turn`, `agent_turn`: what one of them said; `user_speech`, `agent_speech`: when
 * - `speech_to_text`, `model`, `speech`: the stages of an answer, with the text that they made
 * - `chat`: the messages that a request to a language model added
 * - `tool`: a tool call
 */
export const TracePart = Schema.Struct({
  kind: Schema.Literal(
    "session",
    "facts",
    "turn",
    "user_turn",
    "agent_turn",
    "user_speech",
    "agent_speech",
    "speech_to_text",
    "model",
    "speech",
    "chat",
    "tool"
  ),
  source: TraceSource,
  trace: Schema.String,
  span: Schema.String,
  parent: Text,
  /** Milliseconds since 1970. */
  start: Schema.Number,
  end: Schema.Number,
  text: Text,
  messages: Schema.optional(Schema.Array(ChatMessage)),
  tools: Schema.optional(Schema.Array(Tool)),
  facts: Schema.optional(Facts),
  /** Measured stages in seconds; see `TurnTiming`. */
  endpointing: Seconds,
  speech_to_text: Seconds,
  model_first_token: Seconds,
  text_to_speech_first_byte: Seconds,
  end_to_end: Seconds
})
export type TracePart = typeof TracePart.Type

/** What a span says: what it identifies its call by, its part in it, and whether the call has ended with it. */
export interface SpanReading {
  /** Of calls: spans with one of these in common are of one call. */
  readonly keys: ReadonlyArray<string>
  /** Undefined for a span of a known kind that has no part in the conversation. */
  readonly part: TracePart | undefined
  readonly endsCall: boolean
}
