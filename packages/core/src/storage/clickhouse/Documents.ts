/**
 * How JSON documents are stored: flat, one key for each path and type of value, so that the engine keeps the values under
 * each in a column of its own, which has one type. The first letter of a key is the type: `n` number, `t` text, `f` boolean,
 * `o` object or list, whose value is true.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { isPlainObject, type Json } from "../../kernel/Json.js"
import { MAX_FIELD } from "../../filters/Filter.js"

type Kind = "n" | "t" | "f" | "o"

const KINDS = { n: "Float64", t: "String", f: "Bool", o: "Bool" } as const

/** A key made of letters, digits and underscores: other bytes become `_` and two hexadecimal digits. */
const escaped = (key: string): string =>
  /^[A-Za-z0-9]*$/.test(key)
    ? key
    : Array.from(Buffer.from(key, "utf8"), (byte) => {
        const character = String.fromCharCode(byte)
        return /[A-Za-z0-9]/.test(character) ? character : `_${byte.toString(16).padStart(2, "0")}`
      }).join("")

/** Two underscores are no escape. */
const keyOf = (kind: Kind, path: ReadonlyArray<string>): string => `${kind}${path.map(escaped).join("__")}`

/** The value of a type under a path of a document, NULL where there is none, as an expression. */
export const valueAt = (document: string, kind: Kind, path: ReadonlyArray<string>): string =>
  `${document}.\`${keyOf(kind, path)}\`.:${KINDS[kind]}`

/** A number as the engine reads floating point: an integer would get a column of another type. */
const printNumber = (value: number): string => {
  const text = JSON.stringify(value === 0 ? 0 : value)
  return /[.e]/.test(text) ? text : `${text}.0`
}

/**
 * A document as it is stored, as JSON text. Paths that no field can name are left out: longer than a field's name, through
 * lists, or with a dot or nothing as a key.
 */
export const flatDocument = (text: string | null): string => {
  const entries: Array<string> = []
  const add = (kind: Kind, path: ReadonlyArray<string>, value: string) =>
    entries.push(`"${keyOf(kind, path)}":${value}`)
  const visit = (value: Json, path: ReadonlyArray<string>, length: number): void => {
    switch (typeof value) {
      case "number":
        add("n", path, printNumber(value))
        return
      case "string":
        add("t", path, JSON.stringify(value))
        return
      case "boolean":
        add("f", path, String(value))
        return
      default:
        if (value === null) return
        if (path.length > 0) add("o", path, "true")
        if (!isPlainObject(value)) return
        for (const [key, inner] of Object.entries(value)) {
          const longer = length + key.length + 1
          if (key !== "" && !key.includes(".") && longer <= 2 * MAX_FIELD) {
            visit(inner, [...path, key], longer)
          }
        }
    }
  }
  visit(parsed(text), [], 0)
  return `{${entries.join(",")}}`
}

const parse = Schema.decodeOption(
  Schema.parseJson(Schema.declare((_value): _value is Json => true, { identifier: "StoredJson" }))
)

/** A document that is no JSON has no values. */
const parsed = (text: string | null): Json => (text === null ? null : Option.getOrNull(parse(text)))
