import { isPlainObject, type Json, type JsonObject } from "../kernel/Json.js"

const PLACEHOLDER = /\{\{\s*([^{}\s][^{}]{0,254}?)\s*\}\}/gu

const print = (value: Json): string => (typeof value === "string" ? value : value === null ? "" : JSON.stringify(value))

/** The value of a name or of a dotted path (`account.id`); a name that contains the dots takes precedence. */
const valueOf = (variables: JsonObject, name: string): Json | undefined => {
  if (Object.hasOwn(variables, name)) return variables[name]
  let value: unknown = variables
  for (const step of name.split(".")) {
    if (!isPlainObject(value) || !Object.hasOwn(value, step)) return undefined
    value = value[step]
  }
  // The values of a JSON object are JSON.
  // eslint-disable-next-line typescript/consistent-type-assertions -- stated above
  return value as Json
}

/** The names of the `{{variable}}` placeholders of a text, each once, in the order they come. */
export const placeholdersOf = (text: string): ReadonlyArray<string> => [
  ...new Set(Array.from(text.matchAll(PLACEHOLDER), (match) => match[1] ?? ""))
]

/** The most characters filled in at a time: a long value in many places could exhaust memory. */
export const MAX_FILLED = 1_000_000

/** Fills the placeholders of several texts under one limit. */
export interface PlaceholderFiller {
  readonly fill: (text: string) => string
  /** Whether a placeholder was left because all values together exceed `MAX_FILLED` characters. */
  readonly isLimitExceeded: () => boolean
}

export const placeholderFiller = (variables: JsonObject): PlaceholderFiller => {
  const cache = new Map<string, string | undefined>()
  let remaining = MAX_FILLED
  let isOverfull = false
  const printedOf = (name: string): string | undefined => {
    if (!cache.has(name)) {
      const value = valueOf(variables, name)
      cache.set(name, value === undefined ? undefined : print(value))
    }
    return cache.get(name)
  }
  return {
    fill: (text) =>
      text.replace(PLACEHOLDER, (placeholder: string, name: string) => {
        const value = printedOf(name)
        if (value === undefined) return placeholder
        if (value.length > remaining) {
          isOverfull = true
          return placeholder
        }
        remaining -= value.length
        return value
      }),
    isLimitExceeded: () => isOverfull
  }
}

/**
 * Fills `{{variable}}` placeholders: texts unchanged, null as empty, other values as JSON. A placeholder without a value
 * is left, so that the gap is visible, and so is one beyond `MAX_FILLED`. Placeholders inside values are not filled.
 * Variables that are not an object fill nothing.
 */
export const fillPlaceholders = (text: string, variables: Json): string =>
  isPlainObject(variables) ? placeholderFiller(variables).fill(text) : text
