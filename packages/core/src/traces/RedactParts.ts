/** Redacts what spans say before it is stored. The call is redacted again as a whole when it is ingested. */
import {
  type NerProvider,
  redactCall,
  redactCustomerNumber,
  type RedactOptions,
  redactText,
  type SensitiveField
} from "@earshot/redaction"
import * as Effect from "effect/Effect"
import { RedactionUnavailable } from "../calls/CallErrors.js"
import type { RawTranscript, ToolCall, Turn } from "../transcripts/Transcript.js"
import type { TracedTool, TracePart } from "./TracePart.js"

const isUsers = ({ kind }: TracePart): boolean => kind === "user_turn" || kind === "speech_to_text"

const turnOf = (isOfUser: boolean, content: string): Turn => ({
  speaker: isOfUser ? "testing_agent" : "main_agent",
  content,
  startTime: undefined,
  endTime: undefined,
  words: []
})

const turnsOf = (part: TracePart): ReadonlyArray<Turn> => [
  ...(part.text === undefined ? [] : [turnOf(isUsers(part), part.text)]),
  ...(part.messages ?? []).map(({ role, text }) => turnOf(role === "user", text))
]

const toolCallOf = ({ arguments: given = "", id, name, result }: TracedTool): ToolCall => ({
  id,
  name,
  arguments: given,
  result,
  succeeded: undefined,
  startTime: undefined,
  endTime: undefined
})

const withTool = (tool: TracedTool, redacted: ToolCall | undefined): TracedTool => ({
  ...tool,
  ...(tool.arguments === undefined ? {} : { arguments: redacted?.arguments ?? "" }),
  ...(tool.result === undefined ? {} : { result: redacted?.result ?? "" })
})

/** Reads a list item by item. */
const reader = <A>(items: ReadonlyArray<A>): (() => A | undefined) => {
  let at = 0
  return () => items[at++]
}

/**
 * The parts with the fields redacted, in the order of `parts`. `context` is what was said around them and is redacted
 * already: whether a number is a telephone number may depend on the question before it.
 */
export const redactParts = (
  parts: ReadonlyArray<TracePart>,
  context: ReadonlyArray<TracePart>,
  fields: ReadonlyArray<SensitiveField>,
  options: RedactOptions
): Effect.Effect<ReadonlyArray<TracePart>, RedactionUnavailable, NerProvider> => {
  const all = [...context, ...parts].toSorted((one, other) => one.start - other.start)
  const raw: RawTranscript = {
    _tag: "RawTranscript",
    turns: all.flatMap(turnsOf),
    toolCalls: all.flatMap(({ tools = [] }) => tools.map(toolCallOf))
  }
  return redactCall(raw, fields, options).pipe(
    Effect.mapBoth({
      onFailure: () => new RedactionUnavailable(),
      onSuccess: ({ transcript }) => {
        const nextTurn = reader(transcript.turns)
        const nextTool = reader(transcript.toolCalls)
        const redacted = new Map(
          all.map((part): readonly [TracePart, TracePart] => [
            part,
            {
              ...part,
              ...(part.text === undefined ? {} : { text: nextTurn()?.content ?? "" }),
              ...(part.messages === undefined
                ? {}
                : { messages: part.messages.map(({ role }) => ({ role, text: nextTurn()?.content ?? "" })) }),
              ...(part.tools === undefined ? {} : { tools: part.tools.map((tool) => withTool(tool, nextTool())) }),
              ...(part.facts === undefined ? {} : { facts: redactFacts(part.facts, fields, options) })
            }
          ])
        )
        return parts.map((part) => redacted.get(part) ?? part)
      }
    })
  )
}

const redactFacts = (
  facts: NonNullable<TracePart["facts"]>,
  fields: ReadonlyArray<SensitiveField>,
  options: RedactOptions
): NonNullable<TracePart["facts"]> => ({
  ...facts,
  ...(facts.customerNumber === undefined
    ? {}
    : { customerNumber: redactCustomerNumber(facts.customerNumber, fields, options) }),
  ...(facts.roomName === undefined ? {} : { roomName: redactText(facts.roomName, fields, options) })
})
