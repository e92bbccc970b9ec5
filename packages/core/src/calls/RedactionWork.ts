import {
  type KnownValue,
  type NerProvider,
  recognizedSpans,
  type Redaction,
  type RedactOptions,
  type SensitiveField,
  type TurnSpan
} from "@earshot/redaction"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Json } from "../kernel/Json.js"
import type { RawTranscript, ToolCall, Turn } from "../transcripts/Transcript.js"
import { RedactionUnavailable } from "./CallErrors.js"

/** Port: redaction, whose time grows with what is redacted, away from the thread that answers requests. */
export class RedactionWork extends Context.Tag("@earshot/core/calls/RedactionWork")<
  RedactionWork,
  {
    /** See `redactTranscript` of the redaction package. After any failure the transcript must not be stored. */
    readonly transcript: (
      raw: RawTranscript,
      fields: ReadonlyArray<SensitiveField>,
      options: RedactOptions
    ) => Effect.Effect<Redaction<Turn, ToolCall>, RedactionUnavailable>
    /** See `redactJson` of the redaction package. After any failure the document must not be stored. */
    readonly json: (
      value: Json,
      fields: ReadonlyArray<SensitiveField>,
      options: RedactOptions
    ) => Effect.Effect<Json, RedactionUnavailable>
  }
>() {}

/** Redacts a transcript with the host's model beside the rules. Fails closed, see `redactCall` of the redaction package. */
export const redactCall = (
  raw: RawTranscript,
  fields: ReadonlyArray<SensitiveField>,
  options: Omit<RedactOptions, "extra">
): Effect.Effect<Redaction<Turn, ToolCall>, RedactionUnavailable, NerProvider | RedactionWork> =>
  Effect.gen(function* () {
    const work = yield* RedactionWork
    const extra = yield* Effect.mapError(recognizedSpans(raw, fields), () => new RedactionUnavailable())
    const redaction = yield* work.transcript(raw, fields, { ...options, extra })
    const { toolCalls } = redaction.transcript
    const labels = [...new Set(toolCalls.flatMap(({ id, name }) => [name, id ?? ""]))].filter(mayHoldValue)
    if (fields.length === 0 || labels.length === 0) return redaction
    const known = [...valuesIn(raw, redaction.spans), ...(options.known ?? [])]
    const answers = yield* work.json(labels, fields, { ...options, known })
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
          name: labelOf(tool.name),
          id: tool.id === undefined ? undefined : labelOf(tool.id)
        }))
      }
    }
  })

/** Whether the name or id of a tool call may hold a value. Most are codes, such as `find_customer` and `call_9f3a`. */
const mayHoldValue = (label: string): boolean =>
  /[@\s]/.test(label) || /^[+(]?\d[\d().+-]{5,}$/.test(label) || /(?:\D|^)\d{3}\D?\d{2,3}\D?\d{4}(?:\D|$)/.test(label)

/** Most values of a transcript that are looked for elsewhere in its call. */
const MOST_VALUES = 100

/** What was redacted in a transcript, each value once. */
export const valuesIn = ({ turns }: RawTranscript, spans: ReadonlyArray<TurnSpan>): ReadonlyArray<KnownValue> => {
  const values = new Map<string, KnownValue>()
  for (const { end, field, start, turn } of spans) {
    if (values.size >= MOST_VALUES) break
    const value = turns[turn]?.content.slice(start, end) ?? ""
    values.set(`${field} ${value}`, { field, value })
  }
  return [...values.values()]
}
