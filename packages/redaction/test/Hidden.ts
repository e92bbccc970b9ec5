import * as Redaction from "@earshot/redaction"
import { expect } from "@effect/vitest"

export type Field = Redaction.SensitiveField

/** A call of lines by turns of "A: ..." (the agent) and "C: ..." (the caller), redacted. */
export const redacted = (
  lines: ReadonlyArray<string>,
  fields: ReadonlyArray<Field>,
  options: Redaction.RedactOptions = {}
): ReadonlyArray<string> =>
  Redaction.redactTranscript(
    {
      toolCalls: [],
      turns: lines.map((line) => ({
        speaker: line.startsWith("A: ") ? "main_agent" : "testing_agent",
        content: line.slice(3),
        startTime: undefined,
        endTime: undefined,
        words: []
      }))
    },
    fields,
    options
  ).transcript.turns.map(({ content }) => content)

/** The last turn, redacted for one field and for all of them. */
export const expectHidden = (field: Field, lines: ReadonlyArray<string>, ...values: ReadonlyArray<string>): void => {
  for (const fields of [[field], Redaction.sensitiveFields]) {
    const last = redacted(lines, fields).at(-1) ?? ""
    for (const value of values) expect(last).not.toContain(value)
  }
}

export const expectUntouched = (...lines: ReadonlyArray<string>): void => {
  expect(redacted(lines, Redaction.sensitiveFields)).toEqual(lines.map((line) => line.slice(3)))
}
