/** Redacts what spans say before it is stored. The call is redacted again as a whole when it is ingested. */
import {
  type KnownValue,
  type NerProvider,
  redactCustomerNumber,
  type RedactOptions,
  redactText,
  type SensitiveField
} from "@earshot/redaction"
import * as Effect from "effect/Effect"
import type { RedactionUnavailable } from "../calls/CallErrors.js"
import { redactEndedReason } from "../calls/DetailRedaction.js"
import { redactCall, type RedactionWork } from "../calls/RedactionWork.js"
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
  name: redacted?.name ?? "",
  ...(tool.id === undefined ? {} : { id: redacted?.id ?? "" }),
  ...(tool.arguments === undefined ? {} : { arguments: redacted?.arguments ?? "" }),
  ...(tool.result === undefined ? {} : { result: redacted?.result ?? "" })
})

/** Reads a list item by item. */
const reader = <A>(items: ReadonlyArray<A>): (() => A | undefined) => {
  let at = 0
  return () => items[at++]
}

/** Parts before others by which these are redacted: whether a number is a telephone number may depend on a question. */
export const CONTEXT_PARTS = 20

/** Characters that are redacted together: most calls are shorter. */
const WINDOW = 32_768

const lengthOf = (part: TracePart): number =>
  turnsOf(part).reduce((sum, { content }) => sum + content.length, 0) +
  (part.tools ?? []).reduce((sum, tool) => sum + (tool.arguments?.length ?? 0) + (tool.result?.length ?? 0), 0)

const byStart = (one: TracePart, other: TracePart): number => one.start - other.start

/** Consecutive parts of up to `WINDOW` characters, or one that is longer. */
const windowsOf = (parts: ReadonlyArray<TracePart>): ReadonlyArray<ReadonlyArray<TracePart>> => {
  const windows: Array<Array<TracePart>> = []
  let room = 0
  for (const part of parts) {
    const length = lengthOf(part)
    const last = windows.at(-1)
    if (last === undefined || length > room) {
      windows.push([part])
      room = WINDOW - length
    } else {
      last.push(part)
      room -= length
    }
  }
  return windows
}

interface RedactedWindow {
  readonly parts: ReadonlyArray<readonly [raw: TracePart, redacted: TracePart]>
  /** What was redacted in texts. */
  readonly values: ReadonlyArray<KnownValue>
}

const redactWindow = (
  window: ReadonlyArray<TracePart>,
  context: ReadonlyArray<TracePart>,
  fields: ReadonlyArray<SensitiveField>,
  options: RedactOptions
): Effect.Effect<RedactedWindow, RedactionUnavailable, NerProvider | RedactionWork> => {
  const all = [...context, ...window].toSorted(byStart)
  const raw: RawTranscript = {
    _tag: "RawTranscript",
    turns: all.flatMap(turnsOf),
    toolCalls: all.flatMap(({ tools = [] }) => tools.map(toolCallOf))
  }
  return redactCall(raw, fields, options).pipe(
    Effect.map(({ spans, transcript }) => {
      const nextTurn = reader(transcript.turns)
      const nextTool = reader(transcript.toolCalls)
      const redacted = all.map((part): readonly [TracePart, TracePart] => [
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
      const own = new Set(window)
      return {
        parts: redacted.filter(([part]) => own.has(part)),
        values: spans.map(({ end, field, start, turn }) => ({
          field,
          value: raw.turns[turn]?.content.slice(start, end) ?? ""
        }))
      }
    })
  )
}

/**
 * The parts with the fields redacted, in the order of `parts`. `context` is what was said around them, usually redacted
 * already. Parts with much text are redacted in windows, so that the event loop is never blocked for long: once to find the
 * values, and once more to redact these wherever they are.
 */
export const redactParts = (
  parts: ReadonlyArray<TracePart>,
  context: ReadonlyArray<TracePart>,
  fields: ReadonlyArray<SensitiveField>,
  options: RedactOptions
): Effect.Effect<ReadonlyArray<TracePart>, RedactionUnavailable, NerProvider | RedactionWork> =>
  Effect.gen(function* () {
    const windows = windowsOf(parts.toSorted(byStart))
    const known = new Map<string, KnownValue>()
    for (const window of windows.length > 1 ? windows : []) {
      for (const one of (yield* redactWindow(window, [], fields, options)).values) known.set(one.value, one)
    }
    const redacted = new Map<TracePart, TracePart>()
    let before = context
    for (const window of windows) {
      const { parts: pairs } = yield* redactWindow(window, before, fields, { ...options, known: [...known.values()] })
      for (const [raw, one] of pairs) redacted.set(raw, one)
      before = pairs.slice(-CONTEXT_PARTS).map(([, one]) => one)
    }
    return parts.map((part) => redacted.get(part) ?? part)
  })

/** Characters of a fact that are kept where it is redacted. No platform has longer ones, and an attribute has no limit. */
const MAX_FACT = 1_000

const redactFacts = (
  facts: NonNullable<TracePart["facts"]>,
  fields: ReadonlyArray<SensitiveField>,
  options: RedactOptions
): NonNullable<TracePart["facts"]> => {
  const redacted = (
    name: "customerNumber" | "endedReason" | "roomName",
    redact: (text: string) => string
  ): Partial<NonNullable<TracePart["facts"]>> => {
    const text = facts[name]
    return text === undefined ? {} : { [name]: redact(text.slice(0, MAX_FACT)) }
  }
  return {
    ...facts,
    ...redacted("customerNumber", (text) => redactCustomerNumber(text, fields, options)),
    ...redacted("endedReason", (text) => redactEndedReason(text, fields, options)),
    ...redacted("roomName", (text) => redactText(text, fields, options))
  }
}
