import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { OpenChatEndpoint } from "../catalog/Agent.js"
import type { ChatReply, ChatRequest } from "./Chat.js"

/** The agent gave no answer that can be used. The reason is fit for a run's record and repeats nothing of the request. */
export class ChatFailed extends Schema.TaggedError<ChatFailed>("@earshot/core/simulation/ChatFailed")("ChatFailed", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

/** Talks to the agent under test. Interrupted, it gives the request up. */
export class ChatAgent extends Context.Tag("@earshot/core/simulation/ChatAgent")<
  ChatAgent,
  {
    readonly reply: (endpoint: OpenChatEndpoint, request: ChatRequest) => Effect.Effect<ChatReply, ChatFailed>
  }
>() {}
