import * as Effect from "effect/Effect"
import type { Json } from "./Json.js"
import { type NerFailed, type NerProvider, recognizedSpans, redactInSteps, redactJsonInSteps } from "./NerProvider.js"
import type { Redaction } from "./RedactTranscript.js"
import type { SensitiveField } from "./SensitiveField.js"
import type { KnownValue, RedactOptions, TurnSpan } from "./SpansToRedact.js"
import type { ToolCall, Transcript, Turn } from "./Transcript.js"

/** How a transcript and a document are redacted: in steps, or in threads of the host. */
export interface RedactionMeans<T extends Turn, C extends ToolCall, E> {
  readonly transcript: (
    raw: Transcript<T, C>,
    fields: ReadonlyArray<SensitiveField>,
    options: RedactOptions
  ) => Effect.Effect<Redaction<T, C>, E>
  readonly json: (value: Json, fields: ReadonlyArray<SensitiveField>, options: RedactOptions) => Effect.Effect<Json, E>
}

/** Whether the name or id of a tool call may hold a value. Most are codes, such as `find_customer` and `call_9f3a`. */
const mayHoldValue = (label: string): boolean =>
  /[@\s]/.test(label) || /^[+(]?\d[\d().+-]{5,}$/.test(label) || /(?:\D|^)\d{3}\D?\d{2,3}\D?\d{4}(?:\D|$)/.test(label)

/** Most values of a transcript that are looked for elsewhere in its call. */
const MOST_VALUES = 100

/** What was redacted in a transcript, each value once. */
export const valuesIn = ({ turns }: Transcript, spans: ReadonlyArray<TurnSpan>): ReadonlyArray<KnownValue> => {
  const values = new Map<string, KnownValue>()
  for (const { end, field, start, turn } of spans) {
    if (values.size >= MOST_VALUES) break
    const value = turns[turn]?.content.slice(start, end) ?? ""
    values.set(`${field} ${value}`, { field, value })
  }
  return [...values.values()]
}

const labelsOf = ({ id, name }: ToolCall): ReadonlyArray<string> => [name ?? "", id ?? ""]

/**
 * Redacts a call by these means with the host's model beside the rules: its transcript, and the names and ids of its tool
 * calls that are no codes. Fails closed: when the model fails there is no transcript to store. Without fields the model is
 * not asked.
 */
export const redactCallBy = <T extends Turn, C extends ToolCall, E>(
  means: RedactionMeans<T, C, E>,
  raw: Transcript<T, C>,
  fields: ReadonlyArray<SensitiveField>,
  options: Omit<RedactOptions, "extra"> = {}
): Effect.Effect<Redaction<T, C>, E | NerFailed, NerProvider> =>
  Effect.gen(function* () {
    const extra = yield* recognizedSpans(raw, fields)
    const redaction = yield* means.transcript(raw, fields, { ...options, extra })
    const { toolCalls } = redaction.transcript
    const labels = [...new Set(toolCalls.flatMap(labelsOf))].filter(mayHoldValue)
    if (fields.length === 0 || labels.length === 0) return redaction
    const known = [...valuesIn(raw, redaction.spans), ...(options.known ?? [])]
    const answers = yield* means.json(labels, fields, { ...options, known })
    // What is missing in the answer is not stored.
    const redacted = new Map(
      labels.map((label, at) => [label, Array.isArray(answers) ? String(answers[at] ?? "") : ""])
    )
    const labelOf = (label: string): string => redacted.get(label) ?? label
    return {
      ...redaction,
      transcript: {
        ...redaction.transcript,
        toolCalls: toolCalls.map((tool) => ({
          ...tool,
          ...(tool.name === undefined ? {} : { name: labelOf(tool.name) }),
          ...(tool.id === undefined ? {} : { id: labelOf(tool.id) })
        }))
      }
    }
  })

/** The same on this thread; a long call in steps between which the event loop runs. */
export const redactCall = <T extends Turn, C extends ToolCall>(
  raw: Transcript<T, C>,
  fields: ReadonlyArray<SensitiveField>,
  options: Omit<RedactOptions, "extra"> = {}
): Effect.Effect<Redaction<T, C>, NerFailed, NerProvider> =>
  redactCallBy({ transcript: redactInSteps<T, C>, json: redactJsonInSteps }, raw, fields, options)
