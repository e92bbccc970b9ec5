import { isPlainObject, type Json, type JsonObject } from "../kernel/Json.js"

const PLACEHOLDER = /\{\{\s*([^{}\s][^{}]{0,254}?)\s*\}\}/gu

const print = (value: Json): string => (typeof value === "string" ? value : value === null ? "" : JSON.stringify(value))

/** The value under a name, or under the steps of a dotted one (`account.id`); a name with the dots in it comes first. */
const valueOf = (variables: JsonObject, name: string): Json | undefined => {
  if (Object.hasOwn(variables, name)) return variables[name]
  let value: unknown = variables
  for (const step of name.split(".")) {
    if (!isPlainObject(value) || !Object.hasOwn(value, step)) return undefined
    value = value[step]
  }
  // Whatever lies in a JSON object is JSON.
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- stated above
  return value as Json
}

/** The names of the `{{variable}}` placeholders of a text, each once, in the order they come. */
export const placeholdersOf = (text: string): ReadonlyArray<string> => [
  ...new Set(Array.from(text.matchAll(PLACEHOLDER), (match) => match[1] ?? ""))
]

/** The most characters that values fill in at a time: a long value in many places would come to more than any memory holds. */
export const MAX_FILLED = 1_000_000

/** Fills the placeholders of several texts that belong together. */
export interface PlaceholderFiller {
  readonly fill: (text: string) => string
  /** Whether a placeholder stayed because all values together would have come to more than `MAX_FILLED` characters. */
  readonly isLimitExceeded: () => boolean
}

export const placeholderFiller = (variables: JsonObject): PlaceholderFiller => {
  const printed = new Map<string, string | undefined>()
  let room = MAX_FILLED
  let isOverfull = false
  const printedOf = (name: string): string | undefined => {
    if (!printed.has(name)) {
      const value = valueOf(variables, name)
      printed.set(name, value === undefined ? undefined : print(value))
    }
    return printed.get(name)
  }
  return {
    fill: (text) =>
      text.replace(PLACEHOLDER, (placeholder: string, name: string) => {
        const value = printedOf(name)
        if (value === undefined) return placeholder
        if (value.length > room) {
          isOverfull = true
          return placeholder
        }
        room -= value.length
        return value
      }),
    isLimitExceeded: () => isOverfull
  }
}

/**
 * Fills `{{variable}}` placeholders: texts as they are, null as nothing, other values as JSON. A placeholder without a
 * value stays, so that it is seen to be missing, and so does one that there is no room for (`MAX_FILLED`); values are not
 * filled in turn, so that none can name another.
 */
export const fillPlaceholders = (text: string, variables: JsonObject): string => placeholderFiller(variables).fill(text)
