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

/**
 * Fills `{{variable}}` placeholders: texts as they are, null as nothing, other values as JSON. A placeholder without a
 * value stays, so that it is seen to be missing; values are not filled in turn, so that none can name another.
 */
export const fillPlaceholders = (text: string, variables: JsonObject): string =>
  text.replace(PLACEHOLDER, (placeholder: string, name: string) => {
    const value = valueOf(variables, name)
    return value === undefined ? placeholder : print(value)
  })
