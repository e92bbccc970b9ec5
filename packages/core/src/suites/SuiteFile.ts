/** A spec as a file: JSON text with positions, so that an error can be reported with its line and column. */
import * as Either from "effect/Either"
import { type Node, parse, type ParseError, parseTree, visit } from "jsonc-parser"
import { fieldErrorCollector } from "../kernel/FieldErrorCollector.js"
import { type FieldErrors, fieldError, hasFieldErrors, NON_FIELD } from "../kernel/FieldErrors.js"
import { MAX_JSON_DEPTH } from "../kernel/Json.js"
import { MAX_KEY_IN_ERROR, SuiteLimits } from "./Suite.js"

/** A position in a text; both count from 1, columns in UTF-16 units as in editors. Lines end in LF, CRLF or CR. */
export interface TextPosition {
  readonly line: number
  readonly column: number
}

/** Converts offsets to positions. The lines are found once, since a text may have thousands of errors. */
const positionIn = (text: string): ((offset: number) => TextPosition) => {
  const starts = [0, ...Array.from(text.matchAll(/\r\n|\r|\n/g), ({ 0: end, index }) => index + end.length)]
  return (offset) => {
    let line = 0
    for (let beyond = starts.length; beyond - line > 1;) {
      const middle = (line + beyond) >> 1
      if ((starts[middle] ?? 0) <= offset) line = middle
      else beyond = middle
    }
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 }
  }
}

/** JSON without comments or trailing commas, which the scanner allows by default. */
const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false }

/** Whether brackets nest deeper than the limit; checked first, since the scanner recurses. */
const isTooDeep = (text: string): boolean => {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22:
        for (at++; at < text.length && text.charCodeAt(at) !== 0x22; at++) if (text.charCodeAt(at) === 0x5c) at++
        break
      case 0x5b:
      case 0x7b:
        if (++depth > MAX_JSON_DEPTH) return true
        break
      case 0x5d:
      case 0x7d:
        depth--
        break
      default:
    }
  }
  return false
}

const syntaxError = (text: string): string => {
  const errors: Array<ParseError> = []
  parse(text, errors, STRICT)
  const { column, line } = positionIn(text)(errors[0]?.offset ?? 0)
  const hint = /^\s*(?:---\s|[A-Za-z_][\w-]*\s*:(?:\s|$))/.test(text) ? " It looks like YAML; a spec is JSON." : ""
  return `This is not valid JSON (line ${line}, column ${column}).${hint}`
}

/** Errors for duplicate keys, of which JSON.parse silently keeps the last. */
const duplicateKeyErrors = (text: string): FieldErrors => {
  const found = fieldErrorCollector()
  const open: Array<Set<string>> = []
  visit(
    text,
    {
      onObjectBegin: () => {
        open.push(new Set())
      },
      onObjectEnd: () => {
        open.pop()
      },
      onObjectProperty: (name, _offset, _length, line, column, path) => {
        const keys = open[open.length - 1]
        if (keys === undefined) return
        if (keys.has(name)) {
          const at = [...path(), name].reduce<string>(
            (printed, step) =>
              typeof step === "number" ? `${printed}[${step}]` : printed === "" ? step : `${printed}.${step}`,
            ""
          )
          found.add(
            at.slice(0, 500),
            `The key is given more than once (again at line ${line + 1}, column ${column + 1}).`
          )
        }
        keys.add(name)
      }
    },
    STRICT
  )
  return found.errors()
}

/** Some editors begin a file with one; it is not part of the JSON. */
const withoutByteOrderMark = (text: string): string => (text.startsWith("\u{feff}") ? text.slice(1) : text)

const TOO_LARGE = `Ensure this file has no more than ${SuiteLimits.bytes} bytes.`

/** The decoded text of a spec. */
export interface SuiteText {
  readonly document: unknown
  /** Duplicate keys, by path; the document has the last value of each. */
  readonly errors: FieldErrors
}

/** Decodes a spec's JSON text, or says why it is invalid, under `non_field_errors`. */
export const decodeSuiteText = (text: string): Either.Either<SuiteText, FieldErrors> => {
  const json = withoutByteOrderMark(text)
  if (Buffer.byteLength(text) > SuiteLimits.bytes) return Either.left(fieldError(NON_FIELD, TOO_LARGE))
  if (json.trim() === "") return Either.left(fieldError(NON_FIELD, "The file is empty."))
  if (isTooDeep(json)) {
    return Either.left(fieldError(NON_FIELD, `Ensure this value is nested no deeper than ${MAX_JSON_DEPTH} levels.`))
  }
  return Either.map(
    Either.try({ try: (): unknown => JSON.parse(json), catch: () => fieldError(NON_FIELD, syntaxError(json)) }),
    (document) => ({ document, errors: duplicateKeyErrors(json) })
  )
}

/** As `decodeSuiteText`, from a file's bytes. */
export const decodeSuiteBytes = (bytes: Uint8Array): Either.Either<SuiteText, FieldErrors> =>
  bytes.byteLength > SuiteLimits.bytes
    ? Either.left(fieldError(NON_FIELD, TOO_LARGE))
    : Either.flatMap(
        Either.try({
          try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
          catch: () => fieldError(NON_FIELD, "The file is not valid UTF-8.")
        }),
        decodeSuiteText
      )

/** The document in a spec's JSON text, or its errors by path. */
export const parseSuiteText = (text: string): Either.Either<unknown, FieldErrors> =>
  Either.flatMap(decodeSuiteText(text), ({ document, errors }) =>
    hasFieldErrors(errors) ? Either.left(errors) : Either.right(document)
  )

/** A node of a document, and the rest of the path below it. */
interface Found {
  readonly node: Node
  readonly rest: string
}

const without = (rest: string, step: string): string => rest.slice(step.length).replace(/^\./, "")

const itemBelow = ({ node, rest }: Found): Found | undefined => {
  const [step = "", index] = /^\[(\d+)\]/.exec(rest) ?? []
  const item = index === undefined ? undefined : node.children?.[Number(index)]
  return item === undefined ? undefined : { node: item, rest: without(rest, step) }
}

/** The next node along a path. Keys may contain dots and brackets: the longest that fits is taken. */
const below = (found: Found): Found | undefined => {
  const { node, rest } = found
  if (node.type === "array") return itemBelow(found)
  let longest: { readonly name: string; readonly value: Node } | undefined
  for (const property of node.type === "object" ? (node.children ?? []) : []) {
    const [key, value] = property.children ?? []
    if (typeof key?.value !== "string" || value === undefined) continue
    const name = key.value.slice(0, MAX_KEY_IN_ERROR)
    const fits = rest.startsWith(name) && ["", ".", "["].includes(rest.charAt(name.length))
    if (fits && name !== "" && name.length > (longest?.name.length ?? 0)) longest = { name, value }
  }
  return longest === undefined ? undefined : { node: longest.value, rest: without(rest, longest.name) }
}

/**
 * Converts the path of an error to its position in a spec's text: at the key, at the item of a list, or, where a value is
 * missing, at the nearest node around it; `non_field_errors` is where the JSON syntax breaks. Null for errors that are not
 * about the text.
 */
export const locator = (text: string): ((path: string) => TextPosition | null) => {
  const json = withoutByteOrderMark(text)
  if (Buffer.byteLength(text) > SuiteLimits.bytes || isTooDeep(json)) return () => null
  const errors: Array<ParseError> = []
  const tree = parseTree(json, errors, STRICT)
  const positionOf = positionIn(json)
  return (path) => {
    if (path === NON_FIELD && errors[0] !== undefined) return positionOf(errors[0].offset)
    if (tree === undefined) return null
    if (path === NON_FIELD) return positionOf(tree.offset)
    let at: Found = { node: tree, rest: path }
    for (let next = below(at); next !== undefined; next = below(next)) at = next
    const isOfText = at.node !== tree || tree.type !== "object" || TOP.has(path.replace(/[.[].*$/s, ""))
    return isOfText ? positionOf((keyOf(at.node) ?? at.node).offset) : null
  }
}

/** Parts of a spec whose absence is an error of the text; `channel` and the like are request fields. */
const TOP = new Set(["version", "suite", "scenarios", "defaults"])

const keyOf = (node: Node): Node | undefined =>
  node.parent?.type === "property" ? node.parent.children?.[0] : undefined
