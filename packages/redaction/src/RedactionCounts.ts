import * as Schema from "effect/Schema"
import { PLACEHOLDER, SensitiveField, sensitiveFields, labelOf } from "./SensitiveField.js"

export const redactionPlaces = [
  "transcript",
  "tool_calls",
  "metadata",
  "dynamic_variables",
  "feedback",
  "customer_number",
  "call_ended_reason"
] as const
export type RedactionPlace = (typeof redactionPlaces)[number]

/** How many values of a field were redacted in one place of a call by one recognizer. Never a value. */
export const RedactionCount = Schema.Struct({
  field: SensitiveField.annotations({ description: "Field of the values." }),
  where: Schema.Literal(...redactionPlaces).annotations({ description: "Place in the call." }),
  recognizer: Schema.String.annotations({
    description: "Name of what found the values: a recognizer, tagger, provider, known, repeats or document."
  }),
  count: Schema.Int.annotations({ description: "Number of values." })
})
export interface RedactionCount extends Schema.Schema.Type<typeof RedactionCount> {}

const byLabel: ReadonlyMap<string, SensitiveField> = new Map(sensitiveFields.map((field) => [labelOf(field), field]))

/** What reads a document, whose values are found with their keys. */
const DOCUMENT = "document"

/** How many placeholders of each field stand in a text. */
const placeholdersBy = (text: string): ReadonlyMap<SensitiveField, number> => {
  const found = new Map<SensitiveField, number>()
  for (const [, label = ""] of text.matchAll(PLACEHOLDER)) {
    const field = byLabel.get(label)
    if (field !== undefined) found.set(field, (found.get(field) ?? 0) + 1)
  }
  return found
}

/** Adds up redactions. */
export class RedactionCounts {
  readonly #counts = new Map<string, RedactionCount>()

  add(where: RedactionPlace, field: SensitiveField, recognizer = "rules", count = 1): void {
    const key = `${where} ${field} ${recognizer}`
    this.#counts.set(key, { field, where, recognizer, count: (this.#counts.get(key)?.count ?? 0) + count })
  }

  addAll(counts: ReadonlyArray<RedactionCount>): void {
    for (const { count, field, recognizer, where } of counts) this.add(where, field, recognizer, count)
  }

  /** Counts the placeholders that a text has more of than it had. */
  addDocument(where: RedactionPlace, before: string, after: string): void {
    const had = placeholdersBy(before)
    for (const [field, count] of placeholdersBy(after)) {
      const fresh = count - (had.get(field) ?? 0)
      if (fresh > 0) this.add(where, field, DOCUMENT, fresh)
    }
  }

  /** By place, then field, then recognizer. */
  list(): ReadonlyArray<RedactionCount> {
    const rank = ({ field, where }: RedactionCount): number =>
      redactionPlaces.indexOf(where) * sensitiveFields.length + sensitiveFields.indexOf(field)
    return [...this.#counts.values()].sort(
      (a, b) => rank(a) - rank(b) || (a.recognizer < b.recognizer ? -1 : a.recognizer > b.recognizer ? 1 : 0)
    )
  }
}
