/**
 * Spans of any library that follows OpenTelemetry's conventions for generative AI: requests to a language model, tool calls,
 * and the agent that makes them. Source: OpenTelemetry semantic conventions, "Generative AI"; of their older forms, the
 * events `gen_ai.user.message` and `gen_ai.choice`.
 */
import { isPlainObject } from "../kernel/Json.js"
import type { Span } from "./Span.js"
import { defined, documentAt, jsonAt, placeOf, secondsAt, textAt, textOf } from "./SpanValues.js"
import { traceKey } from "./TraceKeys.js"
import type { SpanReading, TracedTool, TracePart } from "./TracePart.js"

const CHATS = new Set<unknown>(["chat", "generate_content", "text_completion"])
const AGENTS = new Set<unknown>(["invoke_agent", "invoke_workflow", "create_agent"])

/** What a span says; undefined for one without an operation of these conventions. */
export const readGenAi = (span: Span): SpanReading | undefined => {
  const { attributes, parentSpanId } = span
  const operation = attributes.get("gen_ai.operation.name")
  const conversation = textAt(attributes, "gen_ai.conversation.id", "session.id", "langfuse.session.id")
  const keys = conversation === undefined ? [] : [traceKey("conversation", conversation)]
  const base = { ...placeOf(span), source: "gen_ai" as const }
  const facts = factsOf(span, conversation)
  if (operation === "execute_tool") {
    return { keys, part: { ...base, kind: "tool", tools: [toolOf(span)] }, endsCall: false }
  }
  if (AGENTS.has(operation)) {
    // An agent that is invoked once a turn does not end the conversation that it belongs to.
    const endsCall = parentSpanId === undefined && conversation === undefined
    return { keys, part: { ...base, kind: "session", facts }, endsCall }
  }
  if (!CHATS.has(operation)) return undefined
  const { messages, tools } = messagesOf(span)
  return {
    keys,
    part: {
      ...base,
      kind: "chat",
      messages,
      tools,
      facts,
      ...defined({
        model_first_token: secondsAt(
          attributes,
          "gen_ai.response.time_to_first_chunk",
          "gen_ai.server.time_to_first_token"
        )
      })
    },
    endsCall: false
  }
}

const factsOf = ({ attributes, resource }: Span, conversation: string | undefined): TracePart["facts"] => ({
  assistantIds: [
    textAt(attributes, "gen_ai.agent.id"),
    textAt(attributes, "gen_ai.agent.name"),
    textAt(resource, "service.name")
  ].filter((id) => id !== undefined),
  ...defined({ callId: conversation })
})

const toolOf = ({ attributes, isError }: Span): TracedTool => ({
  name: textAt(attributes, "gen_ai.tool.name") ?? "",
  ...defined({
    id: textAt(attributes, "gen_ai.tool.call.id"),
    arguments: documentAt(attributes, "gen_ai.tool.call.arguments"),
    result: documentAt(attributes, "gen_ai.tool.call.result")
  }),
  failed: isError
})

type Message = Readonly<Record<string, unknown>>

const messagesIn = (value: unknown): ReadonlyArray<Message> =>
  Array.isArray(value) ? value.filter((one: unknown): one is Message => isPlainObject(one)) : []

/** The text of a message: its parts of text, a line each, or its content. */
const contentOf = (message: Message): string | undefined => {
  const { content, parts } = message
  const list = Array.isArray(parts) ? parts : content
  if (!Array.isArray(list)) return textOf(content)
  const texts = list.flatMap((part: unknown) => {
    if (typeof part === "string") return [part]
    const text =
      isPlainObject(part) && (part.type === undefined || part.type === "text") ? (part.content ?? part.text) : ""
    return typeof text === "string" && text !== "" ? [text] : []
  })
  return textOf(texts.join("\n"))
}

const partsOf = (message: Message, type: string): ReadonlyArray<Message> =>
  messagesIn(message.parts).filter((part) => part.type === type)

const jsonText = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : textOf(typeof value === "string" ? value : JSON.stringify(value))

/** The user's messages since the model's last answer, and the model's own: every request repeats the whole conversation. */
const messagesOf = (
  span: Span
): { readonly messages: NonNullable<TracePart["messages"]>; readonly tools: Array<TracedTool> } => {
  const events = (name: string): ReadonlyArray<Message> =>
    span.events.flatMap((event) =>
      event.name === name ? [{ ...Object.fromEntries(event.attributes), role: name.split(".")[1] }] : []
    )
  const input = messagesIn(jsonAt(span.attributes, "gen_ai.input.messages"))
  const output = messagesIn(jsonAt(span.attributes, "gen_ai.output.messages"))
  const asked = input.length > 0 ? input : events("gen_ai.user.message")
  const answered = output.length > 0 ? output : events("gen_ai.choice").map(choiceOf)
  const added = asked.slice(asked.findLastIndex(({ role }) => role === "assistant") + 1)
  const tools = [
    ...answered.flatMap((message) => partsOf(message, "tool_call").map(callOf)),
    ...added.flatMap((message) => partsOf(message, "tool_call_response").map(responseOf))
  ]
  return {
    messages: [
      ...added.filter(({ role }) => role === "user").flatMap((message) => messageBy("user", message)),
      ...answered.flatMap((message) => messageBy("assistant", message))
    ],
    tools
  }
}

const choiceOf = (choice: Message): Message => {
  const message = typeof choice.message === "string" ? parsed(choice.message) : choice.message
  return isPlainObject(message) ? message : choice
}

const parsed = (text: string): unknown => jsonAt(new Map([["", text]]), "")

const messageBy = (role: "user" | "assistant", message: Message) => {
  const text = contentOf(message)
  return text === undefined ? [] : [{ role, text }]
}

const callOf = (part: Message): TracedTool => ({
  name: textOf(part.name) ?? "",
  ...defined({ id: textOf(part.id), arguments: jsonText(part.arguments) })
})

const responseOf = (part: Message): TracedTool => ({
  name: "",
  ...defined({ id: textOf(part.id), result: jsonText(part.response ?? part.result) })
})
