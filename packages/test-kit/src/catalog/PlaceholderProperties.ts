/** Properties of filling placeholders. Source: docs/suites.md, Placeholders. */
import type { fillPlaceholders, Json, placeholdersOf } from "@earshot/core"
import * as fc from "fast-check"
import { expectEqual, type Property, property } from "../Property.js"

interface Rules {
  readonly fill: typeof fillPlaceholders
  readonly namesIn: typeof placeholdersOf
}

/** Values with placeholders in them, replacement patterns of regular expressions, and names of what objects inherit. */
const VARIABLES: { readonly [name: string]: Json } = {
  name: "Ann",
  braces: "{{name}}",
  pattern: "$& $1 $$",
  count: 3,
  nothing: null,
  no: false,
  account: { id: 7, owner: { name: "Bo" } },
  "account.id": "dotted",
  list: [1, "two"]
}

const printed: ReadonlyMap<string, string> = new Map(
  Object.entries({
    name: "Ann",
    braces: "{{name}}",
    pattern: "$& $1 $$",
    count: "3",
    nothing: "",
    no: "false",
    account: '{"id":7,"owner":{"name":"Bo"}}',
    "account.id": "dotted",
    "account.owner.name": "Bo",
    list: '[1,"two"]'
  })
)

const unknown = [
  "missing",
  "account.missing",
  "name.length",
  "toString",
  "__proto__",
  "constructor.name",
  "list.length"
]

/** A piece of a text: a placeholder with spaces around its name, or a text that has none. */
const piece = fc.oneof(
  fc
    .tuple(fc.constantFrom(...printed.keys(), ...unknown), fc.constantFrom("", " ", "  "))
    .map(([name, space]) => ({ text: `{{${space}${name}${space}}}`, name })),
  fc.constantFrom("Hello ", "", " {x} ", "} {", "$1", "é ").map((text) => ({ text, name: undefined }))
)

export const placeholderProperties = ({ fill, namesIn }: Rules): ReadonlyArray<Property> => [
  property(
    "each placeholder with a value is replaced by it once, and every other text is left",
    [fc.array(piece, { maxLength: 8 })],
    (pieces) => {
      const text = pieces.map((one) => one.text).join("")
      const expected = pieces
        .map((one) => (one.name === undefined ? one.text : (printed.get(one.name) ?? one.text)))
        .join("")
      expectEqual("the filled text", fill(text, VARIABLES), expected)
      expectEqual("its names", namesIn(text), [...new Set(pieces.flatMap(({ name }) => name ?? []))])
    }
  ),
  property(
    "variables that are no object fill nothing",
    [fc.array(piece), fc.constantFrom(null, 1, "x", ["Ann"])],
    (pieces, variables) => {
      const text = pieces.map((one) => one.text).join("")
      expectEqual("the text", fill(text, variables), text)
    }
  )
]
