/** Agents that answer in text over HTTP. Their addresses and responses come from outside. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { OpenChatEndpoint } from "../catalog/Agent.js"
import { isPlainObject, isTooDeep, type Json } from "../kernel/Json.js"
import type { ChatReply, ChatRequest, ChatToolCall } from "../simulation/Chat.js"
import { ChatAgent, ChatFailed } from "../simulation/ChatAgent.js"
import { roleNames } from "../transcripts/Transcript.js"
import { OutboundHttp } from "./OutboundHttp.js"

export interface HttpChatAgentConfig {
  /** The largest response in bytes. Default: 256 KiB. */
  readonly maxBytes?: number
  /** Milliseconds for one response; an executor may interrupt it earlier. Default: 5 minutes. */
  readonly timeoutMillis?: number
}

const failed = (reason: string): ChatFailed => new ChatFailed({ reason })

const NOT_JSON = failed("The agent's response is not JSON.")
const TOO_DEEP = failed("The agent's response is nested too deeply.")

/** The request body of a chat-completions server. */
const completionsBody = ({ conversation, messages, model }: ChatRequest): Json => ({
  model,
  messages: messages.map(({ speaker, text }) => ({
    role: speaker === "main_agent" ? "assistant" : "user",
    content: text
  })),
  user: conversation,
  stream: false
})

/** The request body of a webhook. */
const webhookBody = ({ conversation, messages, variables }: ChatRequest): Json => ({
  conversation_id: conversation,
  message: messages.at(-1)?.text ?? "",
  messages: messages.map(({ speaker, text }) => ({ role: roleNames[speaker], content: text })),
  variables
})

/** An own property of an object; undefined where there is none, even if its prototype has one. */
const field = (value: unknown, name: string): unknown =>
  isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** Content as a text, or as the list of parts that some servers answer with. */
const contentOf = (value: unknown): string | undefined => {
  if (!Array.isArray(value)) return textOf(value)
  const parts: ReadonlyArray<unknown> = value
  return parts.flatMap((part) => textOf(field(part, "text")) ?? []).join("")
}

const jsonText = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value)

const toolCallsOf = (
  value: unknown,
  read: (item: unknown) => ChatToolCall | undefined
): ReadonlyArray<ChatToolCall> => {
  if (!Array.isArray(value)) return []
  const items: ReadonlyArray<unknown> = value
  return items.slice(0, 100).flatMap((item) => read(item) ?? [])
}

const completionsTool = (item: unknown): ChatToolCall | undefined => {
  const called = field(item, "function")
  const name = textOf(field(called, "name"))
  return name === undefined
    ? undefined
    : { id: textOf(field(item, "id")), name, arguments: jsonText(field(called, "arguments")), result: undefined }
}

const webhookTool = (item: unknown): ChatToolCall | undefined => {
  const name = textOf(field(item, "name"))
  const result = field(item, "result")
  return name === undefined
    ? undefined
    : {
        id: textOf(field(item, "id")),
        name,
        arguments: jsonText(field(item, "arguments")),
        result: result === undefined || result === null ? undefined : jsonText(result)
      }
}

const completionsReply = (body: unknown): Either.Either<ChatReply, ChatFailed> => {
  const choices = field(body, "choices")
  const message = Array.isArray(choices) ? field(choices[0], "message") : undefined
  if (message === undefined) return Either.left(failed("The agent's response has no choices[0].message."))
  const text = contentOf(field(message, "content")) ?? ""
  const toolCalls = toolCallsOf(field(message, "tool_calls"), completionsTool)
  return text.trim() === ""
    ? Either.left(
        failed(
          toolCalls.length > 0
            ? "The agent's response has a tool call and no text: the agent's server has to run its tools itself."
            : "The agent's response has no text in choices[0].message.content."
        )
      )
    : Either.right({ text, endsCall: false, toolCalls })
}

const webhookReply = (body: unknown): Either.Either<ChatReply, ChatFailed> => {
  const text = textOf(field(body, "message"))
  return text === undefined || text.trim() === ""
    ? Either.left(failed("The agent's response has no text in message."))
    : Either.right({
        text,
        endsCall: field(body, "end_call") === true,
        toolCalls: toolCallsOf(field(body, "tool_calls"), webhookTool)
      })
}

/**
 * Agents behind `chat_endpoint`: a chat-completions server (`openai`) or a webhook, as in docs/runs.md. Redirects are not
 * followed, since the request carries credentials.
 */
export const layer = (config: HttpChatAgentConfig = {}): Layer.Layer<ChatAgent, never, OutboundHttp> =>
  Layer.effect(
    ChatAgent,
    Effect.map(OutboundHttp, (http) => {
      const { maxBytes = 256 * 1024, timeoutMillis = 300_000 } = config

      const post = (endpoint: OpenChatEndpoint, body: Json): Effect.Effect<unknown, ChatFailed> =>
        http
          .send({
            url: endpoint.url,
            method: "POST",
            headers: {
              ...Object.fromEntries(
                Object.entries(endpoint.headers).map(([name, value]) => [name, Redacted.value(value)])
              ),
              accept: "application/json",
              "content-type": "application/json"
            },
            body: Buffer.from(JSON.stringify(body)),
            limits: { maxBytes, totalMillis: timeoutMillis }
          })
          .pipe(
            Effect.mapError(({ message }) => failed(`The agent's server ${message}.`)),
            Effect.filterOrFail(
              ({ status }) => status >= 200 && status <= 299,
              ({ status }) => failed(`The agent's server answered HTTP ${status}.`)
            ),
            Effect.flatMap((response) => parseJson(response.body))
          )

      return ChatAgent.of({
        reply: (endpoint, request) =>
          endpoint.kind === "openai"
            ? Effect.flatMap(post(endpoint, completionsBody(request)), completionsReply)
            : Effect.flatMap(post(endpoint, webhookBody(request)), webhookReply)
      })
    })
  )

const parseJson = (bytes: Buffer): Either.Either<unknown, ChatFailed> =>
  Either.filterOrLeft(
    Either.try({ try: (): unknown => JSON.parse(bytes.toString()), catch: () => NOT_JSON }),
    (value) => !isTooDeep(value),
    () => TOO_DEEP
  )
