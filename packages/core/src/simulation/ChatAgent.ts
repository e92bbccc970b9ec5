import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { OpenChatEndpoint } from "../catalog/Agent.js"
import type { ChatReply, ChatRequest } from "./Chat.js"

/** The agent gave no usable response. The reason can be stored: it repeats nothing of the request. */
export class ChatFailed extends Schema.TaggedError<ChatFailed>("@earshot/core/simulation/ChatFailed")("ChatFailed", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

/** Sends messages to the agent under test. Interruption aborts the request. */
export class ChatAgent extends Context.Tag("@earshot/core/simulation/ChatAgent")<
  ChatAgent,
  {
    readonly reply: (endpoint: OpenChatEndpoint, request: ChatRequest) => Effect.Effect<ChatReply, ChatFailed>
  }
>() {}
