/** What is said between the testing agent and the agent under test. */
import type { JsonObject } from "../kernel/Json.js"
import type { Speaker } from "../transcripts/Transcript.js"

/** A message of the conversation so far. */
export interface ChatMessage {
  readonly speaker: Speaker
  readonly text: string
}

/** What the agent under test is asked. */
export interface ChatRequest {
  /** Names the conversation: the same for every message of one try at a run, and never used again. */
  readonly conversation: string
  /** What chat-completions servers are given as the model: the provider's name for the agent, or its own. */
  readonly model: string
  /** All of it, oldest first; the last is the testing agent's. */
  readonly messages: ReadonlyArray<ChatMessage>
  /** Values of the agent's `{{variable}}` placeholders. */
  readonly variables: JsonObject
}

/** A tool that the agent says it called. */
export interface ChatToolCall {
  readonly id: string | undefined
  readonly name: string
  readonly arguments: string
  readonly result: string | undefined
}

export interface ChatReply {
  /** Not blank. */
  readonly text: string
  /** Whether the agent hangs up with it. */
  readonly endsCall: boolean
  readonly toolCalls: ReadonlyArray<ChatToolCall>
}
