/** The parsers of the values in a spec: those of `kernel/Parsers.ts`, and references by name or id. */
import type { FieldErrorCollector } from "../kernel/FieldErrorCollector.js"
import { Messages } from "../kernel/FieldErrors.js"
import { type Parser, parsers } from "../kernel/Parsers.js"
import { MAX_KEY_IN_ERROR, type Placed, type Reference, SuiteLimits } from "./Suite.js"

/** How many unknown keys of one object are reported. */
const MAX_UNKNOWN_KEYS = 20

const NAME_OR_ID = "Expected a name or an id."

const isId = (value: unknown): value is number => typeof value === "number" && Number.isSafeInteger(value) && value > 0

export const specParsers = (errors: FieldErrorCollector) => {
  const parse = parsers(errors, { keys: MAX_UNKNOWN_KEYS, length: MAX_KEY_IN_ERROR, longer: "truncate" })

  const reference =
    <Id extends number>(make: (id: number) => Id): Parser<Reference<Id>> =>
    (value, path) => {
      if (isId(value)) return { by: "id", id: make(value) }
      if (typeof value === "string") {
        const name = parse.text(SuiteLimits.name)(value, path)
        return name === undefined ? undefined : { by: "name", name }
      }
      errors.add(
        path,
        value === null ? Messages.notNull : typeof value === "number" ? Messages.notAnInteger : NAME_OR_ID
      )
      return undefined
    }

  /** Names and ids, none of them twice. */
  const references =
    <Id extends number>(max: number, make: (id: number) => Id): Parser<ReadonlyArray<Placed<Reference<Id>>>> =>
    (value, path) => {
      const seen = new Set<unknown>()
      return parse.items(value, path, max).flatMap(([item, itemPath], position) => {
        if (seen.has(item)) {
          errors.add(itemPath, "This is given more than once.")
          return []
        }
        seen.add(item)
        const parsed = reference(make)(item, itemPath)
        return parsed === undefined ? [] : [{ position, value: parsed }]
      })
    }

  return { ...parse, reference, references }
}

export type SpecParsers = ReturnType<typeof specParsers>
