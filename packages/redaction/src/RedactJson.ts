import type { Json } from "./Json.js"
import { MAX_JSON_DEPTH } from "./Json.js"
import { runSync, type Steps } from "./Steps.js"
import { callOfWindow, LeafSpans, SharedValues, windowsOf } from "./JsonWindows.js"
import { knownCandidates, knownLeaves } from "./KnownValues.js"
import { type Leaf, leafOf } from "./Leaf.js"
import { plainCharacters } from "./PlainText.js"
import { byLabel, replacer } from "./Replacement.js"
import type { SensitiveField } from "./SensitiveField.js"
import { type KnownValue, MAX_KNOWN, type RedactOptions, spansToRedact } from "./SpansToRedact.js"

/** Whatever `JSON.parse` answers is JSON; its type does not say so. */
const isJson = (value: unknown): value is Json => value !== undefined

/** Parses JSON text; throws where it is none. */
export const parseJson = (text: string): Json => {
  const parsed: unknown = JSON.parse(text)
  return isJson(parsed) ? parsed : null
}

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

/** Keys are redacted too where they may hold a value: a phone number, an address, a name with a space. */
const mayHoldValue = (key: string): boolean => /[@\s]|\d{4}/.test(plainCharacters(key).text)

/** Leaves in the order `rewrite` meets them, up to `most`. Deeper than JSON is allowed to be, a part is taken as one leaf. */
const leavesOf = (value: Json, key: string, depth: number, into: Array<Leaf>, most = Infinity): void => {
  if (into.length >= most) return
  if (typeof value === "string") into.push(leafOf(key, value))
  else if (typeof value === "number") into.push(leafOf(key, String(value)))
  else if (typeof value === "object" && value !== null) {
    if (depth > MAX_JSON_DEPTH) into.push(leafOf(key, JSON.stringify(value)))
    else if (isList(value)) for (const item of value) leavesOf(item, key, depth + 1, into, most)
    else {
      for (const [name, item] of Object.entries(value)) {
        if (mayHoldValue(name)) into.push(leafOf("", name))
        leavesOf(item, name, depth + 1, into, most)
      }
    }
  }
}

/** The same document with new texts for its leaves; `undefined` leaves one as it is. */
const rewrite = (value: Json, depth: number, next: () => string | undefined): Json => {
  if (typeof value === "string" || typeof value === "number") return next() ?? value
  if (typeof value !== "object" || value === null) return value
  if (depth > MAX_JSON_DEPTH) return next() ?? value
  if (isList(value)) return value.map((item) => rewrite(item, depth + 1, next))
  const written: Array<readonly [string, Json]> = []
  const taken = new Set<string>()
  for (const [name, item] of Object.entries(value)) {
    let key = (mayHoldValue(name) ? next() : undefined) ?? name
    while (taken.has(key)) key += "'"
    taken.add(key)
    written.push([key, rewrite(item, depth + 1, next)])
  }
  return Object.fromEntries(written)
}

export interface ReadJson {
  readonly leaves: ReadonlyArray<Leaf>
  /** The document, or undefined where the text is no JSON and is one leaf itself. */
  readonly document: Json | undefined
}

/** Reads a tool's arguments or answer: JSON where it is JSON, plain text otherwise. */
export const readJsonText = (text: string): ReadJson => {
  if (/^\s*[[{"]/.test(text)) {
    try {
      const document: unknown = JSON.parse(text)
      if (!isJson(document)) return { leaves: [{ text, from: 0 }], document: undefined }
      const leaves: Array<Leaf> = []
      leavesOf(document, "", 0, leaves)
      return { leaves, document }
    } catch {
      // Not JSON after all: plain text.
    }
  }
  return { leaves: [{ text, from: 0 }], document: undefined }
}

const WHITE = /\s+/g

/** Puts redacted leaves back. What lost nothing stays as it was sent, to the byte. */
export const writeJsonText = (original: string, read: ReadJson, leaves: ReadonlyArray<string | undefined>): string => {
  if (read.document === undefined) return leaves[0] ?? original
  if (leaves.every((leaf) => leaf === undefined)) {
    // A key given twice or an escaped letter hides text from whoever reads the parsed document: write what was read.
    const plain = JSON.stringify(read.document)
    return plain.replace(WHITE, "") === original.replace(WHITE, "") ? original : plain
  }
  let at = 0
  return JSON.stringify(rewrite(read.document, 0, () => leaves[at++]))
}

/** Redacts a text that stands alone, such as feedback. */
export const redactText = (
  text: string,
  fields: ReadonlyArray<SensitiveField>,
  options: RedactOptions = {}
): string => {
  const redacted = redactJson(text, fields, options)
  return typeof redacted === "string" ? redacted : text
}

/**
 * Redacts a call's `customer_number` (interface, Call record: "phone number or identifier"): as a whole where it is a
 * phone number or an identifier of a field that was asked for, else as any text.
 */
export const redactCustomerNumber = (
  value: string,
  fields: ReadonlyArray<SensitiveField>,
  options: RedactOptions = {}
): string => {
  const write = replacer(options.replacement ?? byLabel)
  const plain = plainCharacters(value).text
  const digits = plain.replace(/\D/g, "").length
  if (digits >= 7 && digits <= 15 && /^[+\d\s().-]+$/.test(plain))
    return fields.includes("phone_number") ? write("phone_number", value) : value
  if (digits > 0 && !/[@\s[]/.test(plain) && fields.includes("account_number")) return write("account_number", value)
  return redactText(value, fields, options)
}

/**
 * Redacts a free-form JSON value (`metadata`, `dynamic_variables`): texts, numbers, and keys that hold a value. A number
 * that goes becomes its placeholder, a text. With no fields the value is answered as it is.
 */
export const redactJson = (value: Json, fields: ReadonlyArray<SensitiveField>, options: RedactOptions = {}): Json =>
  runSync(redactingJson(value, fields, options))

/** The same, in steps. */
export function* redactingJson(
  value: Json,
  fields: ReadonlyArray<SensitiveField>,
  options: RedactOptions = {}
): Steps<Json> {
  if (fields.length === 0) return value
  const leaves: Array<Leaf> = []
  leavesOf(value, "", 0, leaves)
  const { extra: _, known = [], replacement = byLabel, ...find } = options
  const facts = knownLeaves(known)
  const windows = windowsOf(leaves)
  const spans = new LeafSpans()
  const shared = new SharedValues()
  for (const pieces of windows) {
    const call = callOfWindow(pieces, facts)
    yield
    const found = yield* spansToRedact(call, new Set(fields), {
      ...find,
      extra: knownCandidates(call, pieces.length, known, facts)
    })
    spans.add(call, pieces, found)
    if (windows.length > 1) shared.add(call, found)
    yield
  }
  // A value that one window gives away stands in the others too.
  if (windows.length > 1)
    for (const pieces of windows) {
      const call = callOfWindow(pieces)
      spans.add(call, pieces, shared.places(call))
      yield
    }
  const write = replacer(replacement)
  const texts = leaves.map((leaf, index) => {
    const here = spans.of(index)
    if (here.length === 0) return undefined
    const original = leaf.text.slice(leaf.from)
    let text = ""
    let at = 0
    for (const { end, field, start } of here) {
      text += original.slice(at, start) + write(field, original.slice(start, end))
      at = end
    }
    return text + original.slice(at)
  })
  let at = 0
  return rewrite(value, 0, () => texts[at++])
}

/** The texts and numbers of a document with their keys, as values that are known of a call: at most the first 200. */
export const knownValuesIn = (document: Json): ReadonlyArray<KnownValue> => {
  const leaves: Array<Leaf> = []
  leavesOf(document, "", 0, leaves, MAX_KNOWN)
  return leaves
    .slice(0, MAX_KNOWN)
    .map(({ from, text }) => ({ value: text.slice(from), key: text.slice(0, from).replace(/: $/, "") }))
}
