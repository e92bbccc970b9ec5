/** Agents that answer in text over HTTP. Their addresses and all that they answer come from outside. */
import * as http from "node:http"
import * as https from "node:https"
import { isIP } from "node:net"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { ChatEndpoint } from "../catalog/Agent.js"
import { isPlainObject, isTooDeep, type Json } from "../kernel/Json.js"
import type { ChatReply, ChatRequest, ChatToolCall } from "../simulation/Chat.js"
import { ChatAgent, ChatFailed } from "../simulation/ChatAgent.js"
import { roleNames } from "../transcripts/Transcript.js"
import { isPublic, NotPublic, publicLookup } from "./PublicAddresses.js"

export interface HttpChatAgentConfig {
  /** The largest answer that is read, in bytes; 256 KB unless told. */
  readonly maxBytes?: number
  /**
   * Hosts, by the name or address that stands in the URL, that may lie in private networks: an agent on the operator's own
   * machines. Every other host has to have a public address.
   */
  readonly allowedHosts?: ReadonlyArray<string>
}

const failed = (reason: string): ChatFailed => new ChatFailed({ reason })

const REFUSED = failed("The agent's address is not a public one. The operator can allow its host by name.")
const NOT_JSON = failed("The agent's answer is no JSON.")
const TOO_DEEP = failed("The agent's answer is nested too deeply.")

/** The host as it stands in a URL, without the brackets of an IPv6 address. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "").toLowerCase()

const unreachable = (error: Error): ChatFailed => {
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined
  return error instanceof NotPublic
    ? REFUSED
    : failed(`The agent's server cannot be reached${code === undefined ? "" : ` (${code})`}.`)
}

/** What goes over the wire to a chat-completions server. */
const completionsBody = ({ conversation, messages, model }: ChatRequest): Json => ({
  model,
  messages: messages.map(({ speaker, text }) => ({
    role: speaker === "main_agent" ? "assistant" : "user",
    content: text
  })),
  user: conversation,
  stream: false
})

/** What goes over the wire to a webhook. */
const webhookBody = ({ conversation, messages, variables }: ChatRequest): Json => ({
  conversation_id: conversation,
  message: messages.at(-1)?.text ?? "",
  messages: messages.map(({ speaker, text }) => ({ role: roleNames[speaker], content: text })),
  variables
})

/** A field of its own of an object; undefined where there is none, also where a prototype has one. */
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
  if (message === undefined) return Either.left(failed("The agent's answer has no choices[0].message."))
  const text = contentOf(field(message, "content")) ?? ""
  const toolCalls = toolCallsOf(field(message, "tool_calls"), completionsTool)
  return text.trim() === ""
    ? Either.left(
        failed(
          toolCalls.length > 0
            ? "The agent's answer calls a tool and says nothing: its server has to call its tools itself."
            : "The agent's answer has no text in choices[0].message.content."
        )
      )
    : Either.right({ text, endsCall: false, toolCalls })
}

const webhookReply = (body: unknown): Either.Either<ChatReply, ChatFailed> => {
  const text = textOf(field(body, "message"))
  return text === undefined || text.trim() === ""
    ? Either.left(failed("The agent's answer has no text in message."))
    : Either.right({
        text,
        endsCall: field(body, "end_call") === true,
        toolCalls: toolCallsOf(field(body, "tool_calls"), webhookTool)
      })
}

/**
 * Agents behind `chat_endpoint`: a chat-completions server (`openai`) or a webhook, as docs/runs.md has them. The address is
 * checked as the connection to it is made, as those of recordings are; redirects are not followed, since the request
 * carries credentials.
 */
export const layer = (config: HttpChatAgentConfig = {}): Layer.Layer<ChatAgent> =>
  Layer.sync(ChatAgent, () => {
    const { maxBytes = 256 * 1024 } = config
    const allowed = new Set((config.allowedHosts ?? []).map((host) => host.toLowerCase()))

    const post = (endpoint: ChatEndpoint, url: URL, body: Json): Effect.Effect<unknown, ChatFailed> =>
      Effect.async((resume, signal) => {
        const host = hostOf(url)
        const isOpen = allowed.has(host) || allowed.has(url.host.toLowerCase())
        // An address in the URL itself is looked up by nobody.
        if (!isOpen && isIP(host) !== 0 && !isPublic(host)) {
          resume(REFUSED)
          return
        }
        const content = Buffer.from(JSON.stringify(body))
        const sent = (url.protocol === "https:" ? https : http).request(url, {
          method: "POST",
          agent: false,
          signal,
          headers: {
            ...Object.fromEntries(
              Object.entries(endpoint.headers).map(([name, value]) => [name, Redacted.value(value)])
            ),
            "user-agent": "earshot",
            accept: "application/json",
            "accept-encoding": "identity",
            "content-type": "application/json",
            "content-length": content.length
          },
          ...(isOpen ? {} : { lookup: publicLookup })
        })
        sent.on("error", (error) => resume(unreachable(error)))
        // A server that switches protocols brings neither a response nor an error.
        sent.once("close", () => resume(failed("The agent's server sent no answer.")))
        sent.once("response", (response) => {
          const status = response.statusCode ?? 0
          if (status < 200 || status > 299) {
            response.destroy()
            resume(failed(`The agent's server answered ${status}.`))
            return
          }
          const chunks: Array<Buffer> = []
          let length = 0
          response.on("error", (error) => resume(unreachable(error)))
          response.on("data", (chunk: Buffer) => {
            length += chunk.length
            if (length > maxBytes) {
              resume(failed(`The agent's answer is larger than ${maxBytes} bytes.`))
              response.destroy()
            } else chunks.push(chunk)
          })
          response.on("end", () => resume(parsed(Buffer.concat(chunks))))
        })
        sent.end(content)
      })

    return ChatAgent.of({
      reply: (endpoint, request) =>
        Effect.suspend(() => {
          // What the operator allowed once, or the catalogue took, may be older than today's rules.
          if (!URL.canParse(endpoint.url)) return failed("The agent's address is no valid URL.")
          const url = new URL(endpoint.url)
          if (url.protocol !== "http:" && url.protocol !== "https:") {
            return failed("Agents are reached over http and https only.")
          }
          return endpoint.kind === "openai"
            ? Effect.flatMap(post(endpoint, url, completionsBody(request)), completionsReply)
            : Effect.flatMap(post(endpoint, url, webhookBody(request)), webhookReply)
        })
    })
  })

const parsed = (bytes: Buffer): Either.Either<unknown, ChatFailed> =>
  Either.filterOrLeft(
    Either.try({ try: (): unknown => JSON.parse(bytes.toString()), catch: () => NOT_JSON }),
    (value) => !isTooDeep(value),
    () => TOO_DEEP
  )
