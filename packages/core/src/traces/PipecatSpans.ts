/**
 * Spans of Pipecat: a `conversation` with a `turn` for each exchange, and in it the services' `stt`, `llm` and `tts`, which
 * older versions name `stt_deepgramsttservice`. Source: the library's `utils/tracing`, and docs.pipecat.ai "OpenTelemetry".
 */
import type { Span } from "./Span.js"
import { defined, documentAt, placeOf, secondsAt, textAt } from "./SpanValues.js"
import { traceKey } from "./TraceKeys.js"
import type { SpanReading, TracePart } from "./TracePart.js"

type Kind = TracePart["kind"] | "transcript" | "none"

/** Operations of services that have no part in the conversation. */
const OTHER_OPERATIONS = new Set(["llm_setup", "llm_request", "setup", "request"])

/** Attributes of services that no convention has. */
const OWN_ATTRIBUTES = ["metrics.ttfb", "service.operation", "output", "input"]

const isService = (name: string, service: string): boolean => name === service || name.startsWith(`${service}_`)

const kindOf = (span: Span): Kind | undefined => {
  const { attributes, name, scope } = span
  const operation = attributes.get("gen_ai.operation.name")
  if (name === "conversation" && attributes.has("conversation.id")) return "session"
  if ((name === "turn" || /^turn-\d+$/.test(name)) && attributes.has("turn.number")) return "turn"
  if (attributes.has("tool.function_name")) return "tool"
  const isItsOwn = scope.startsWith("pipecat") || OWN_ATTRIBUTES.some((key) => attributes.has(key))
  if (operation === "stt" || (isService(name, "stt") && isItsOwn)) return "speech_to_text"
  if (operation === "tts" || (isService(name, "tts") && isItsOwn)) return "speech"
  return isService(name, "llm") && isItsOwn ? modelKindOf(span) : undefined
}

const modelKindOf = ({ attributes }: Span): Kind => {
  if (attributes.has("transcript.is_input")) return "transcript"
  const operation = attributes.get("gen_ai.operation.name")
  return typeof operation === "string" && OTHER_OPERATIONS.has(operation) ? "none" : "model"
}

/** What a span says; undefined for one that is not the library's. */
export const readPipecat = (span: Span): SpanReading | undefined => {
  const kind = kindOf(span)
  if (kind === undefined) return undefined
  const conversation = textAt(span.attributes, "conversation.id")
  return {
    keys: conversation === undefined ? [] : [traceKey("conversation", conversation)],
    part: kind === "none" ? undefined : partOf(kind, span, conversation),
    endsCall: kind === "session"
  }
}

const partOf = (kind: Exclude<Kind, "none">, span: Span, conversation: string | undefined): TracePart | undefined => {
  const { attributes, resource } = span
  const base = { ...placeOf(span), source: "pipecat" as const }
  switch (kind) {
    case "session":
      return {
        ...base,
        kind,
        facts: {
          assistantIds: [
            textAt(attributes, "assistant_id", "agent.id", "agent.name", "gen_ai.agent.name"),
            textAt(resource, "service.name")
          ].filter((id) => id !== undefined),
          ...defined({
            callId: conversation,
            customerNumber: textAt(attributes, "customer_number", "call.from_number"),
            direction: textAt(attributes, "direction", "call.direction")
          })
        }
      }
    case "turn":
      return { ...base, kind, ...defined({ end_to_end: secondsAt(attributes, "turn.user_bot_latency_seconds") }) }
    case "transcript": {
      const text = textAt(attributes, "transcript")
      const isInput = attributes.get("transcript.is_input") === true
      return text === undefined ? undefined : { ...base, kind: isInput ? "speech_to_text" : "speech", text }
    }
    case "speech_to_text":
      return attributes.get("is_final") === false
        ? undefined
        : {
            ...base,
            kind,
            ...defined({
              text: textAt(attributes, "transcript"),
              speech_to_text: secondsAt(attributes, "metrics.ttfb")
            })
          }
    case "speech":
      return {
        ...base,
        kind,
        ...defined({
          text: textAt(attributes, "text"),
          text_to_speech_first_byte: secondsAt(attributes, "metrics.ttfb")
        })
      }
    case "tool":
      return {
        ...base,
        kind,
        tools: [
          {
            name: textAt(attributes, "tool.function_name") ?? "",
            ...defined({
              id: textAt(attributes, "tool.call_id"),
              arguments: documentAt(attributes, "tool.arguments"),
              result: documentAt(attributes, "tool.result")
            }),
            failed: attributes.get("tool.result_status") === "error" || span.isError
          }
        ]
      }
    default:
      return {
        ...base,
        kind: "model",
        ...defined({
          text: textAt(attributes, "text_output", "output"),
          model_first_token: secondsAt(attributes, "metrics.ttfb")
        })
      }
  }
}
