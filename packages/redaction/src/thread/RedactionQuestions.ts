/** What a thread is asked to redact, and what it answers: plain data, which can be sent between threads. */
import * as Schema from "effect/Schema"
import { parseJson, redactJson } from "../RedactJson.js"
import { redactTranscript } from "../RedactTranscript.js"
import type { SensitiveField } from "../SensitiveField.js"
import type { RedactOptions } from "../SpansToRedact.js"
import {
  redactionColumns,
  RedactionColumns,
  spanColumns,
  type SpanColumns,
  spansOf,
  transcriptColumns,
  type TranscriptColumns,
  transcriptOf
} from "./Columns.js"
import type { Transcript } from "../Transcript.js"

export { redactionOf } from "./Columns.js"
export { parseJson } from "../RedactJson.js"

/** The options that can be sent to a thread. */
export type SentOptions = Pick<RedactOptions, "everyday" | "threshold" | "replacement" | "known">

interface Asked {
  readonly fields: ReadonlyArray<SensitiveField>
  readonly options: SentOptions
}

export interface TranscriptQuestion extends Asked {
  readonly kind: "transcript"
  readonly transcript: TranscriptColumns
  readonly extra: SpanColumns
}

export interface JsonQuestion extends Asked {
  readonly kind: "json"
  /** A document as JSON text. */
  readonly text: string
}

export type RedactionQuestion = TranscriptQuestion | JsonQuestion

export const RedactionAnswer = { transcript: RedactionColumns, json: Schema.String } as const

const sent = ({ everyday, known, replacement, threshold }: RedactOptions): SentOptions => ({
  ...(everyday === undefined ? {} : { everyday }),
  ...(threshold === undefined ? {} : { threshold }),
  ...(replacement === undefined ? {} : { replacement }),
  ...(known === undefined ? {} : { known })
})

export const transcriptQuestion = (
  raw: Transcript,
  fields: ReadonlyArray<SensitiveField>,
  options: RedactOptions
): TranscriptQuestion => ({
  kind: "transcript",
  transcript: transcriptColumns(raw),
  extra: spanColumns(options.extra ?? []),
  fields,
  options: sent(options)
})

export const jsonQuestion = (
  text: string,
  fields: ReadonlyArray<SensitiveField>,
  options: RedactOptions
): JsonQuestion => ({ kind: "json", text, fields, options: sent(options) })

/** Answers a question without yielding to the event loop: to be called in a thread. */
export const answerRedactionQuestion = (question: RedactionQuestion): RedactionColumns | string => {
  const { fields, options } = question
  if (question.kind === "transcript")
    return redactionColumns(
      redactTranscript(transcriptOf(question.transcript), fields, { ...options, extra: spansOf(question.extra) })
    )
  return JSON.stringify(redactJson(parseJson(question.text), fields, options))
}
