/** Messages between the testing agent and the agent under test. */
import type { JsonObject } from "../kernel/Json.js"
import type { Speaker } from "../transcripts/Transcript.js"

/** A message of the conversation so far. */
export interface ChatMessage {
  readonly speaker: Speaker
  readonly text: string
}

/** A request to the agent under test. */
export interface ChatRequest {
  /** The id of the conversation: the same for every message of one attempt at a run, and never reused. */
  readonly conversation: string
  /** The model name for chat-completions servers: the agent's id at its provider, or its name. */
  readonly model: string
  /** The whole conversation, oldest first; the last message is the testing agent's. */
  readonly messages: ReadonlyArray<ChatMessage>
  /** Values of the agent's `{{variable}}` placeholders. */
  readonly variables: JsonObject
}

/** A tool call that the agent reports. */
export interface ChatToolCall {
  readonly id: string | undefined
  readonly name: string
  readonly arguments: string
  readonly result: string | undefined
}

export interface ChatReply {
  /** Not blank. */
  readonly text: string
  /** Whether the agent hangs up. */
  readonly endsCall: boolean
  readonly toolCalls: ReadonlyArray<ChatToolCall>
}
