/** A spec as a file: JSON text with places, so that a fault can be told with its line and column. */
import * as Either from "effect/Either"
import { type Node, parse, type ParseError, parseTree, visit } from "jsonc-parser"
import { faultCollector } from "../kernel/FaultCollector.js"
import { type Faults, fault, isFaulty, NON_FIELD } from "../kernel/Faults.js"
import { MAX_JSON_DEPTH } from "../kernel/Json.js"
import { MAX_TOLD_KEY, SuiteLimits } from "./Suite.js"

/** A place in a text; both count from 1, columns in UTF-16 units as editors count them. Lines end in LF, CRLF or CR. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** Tells places in a text; its lines are looked for once, since a text may have thousands of faults. */
const placer = (text: string): ((offset: number) => Place) => {
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

/** JSON without comments or trailing commas, which the scanner would let pass. */
const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false }

/** Whether brackets nest deeper than anything real: the scanner recurses, so it is asked before. */
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

const syntaxFault = (text: string): string => {
  const errors: Array<ParseError> = []
  parse(text, errors, STRICT)
  const { column, line } = placer(text)(errors[0]?.offset ?? 0)
  const hint = /^\s*(?:---\s|[A-Za-z_][\w-]*\s*:(?:\s|$))/.test(text) ? " It looks like YAML; a spec is JSON." : ""
  return `This is not valid JSON (line ${line}, column ${column}).${hint}`
}

/** Keys that an object gives twice: JSON.parse keeps the last and says nothing, and nobody meant that. */
const duplicateFaults = (text: string): Faults => {
  const found = faultCollector()
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
  return found.faults()
}

/** Editors of some systems begin a file with one; it is no part of the JSON. */
const withoutByteOrderMark = (text: string): string => (text.startsWith("\u{feff}") ? text.slice(1) : text)

const TOO_LARGE = `Ensure this file has no more than ${SuiteLimits.bytes} bytes.`

/** A spec's text, read. */
export interface SuiteText {
  readonly document: unknown
  /** Keys that are given twice, by path; of these the document has the last. */
  readonly faults: Faults
}

/** Reads a spec's JSON text, or tells why it is none (`non_field_errors`, since it has no parts then). */
export const readSuiteText = (text: string): Either.Either<SuiteText, Faults> => {
  const json = withoutByteOrderMark(text)
  if (Buffer.byteLength(text) > SuiteLimits.bytes) return Either.left(fault(NON_FIELD, TOO_LARGE))
  if (json.trim() === "") return Either.left(fault(NON_FIELD, "The file is empty."))
  if (isTooDeep(json)) {
    return Either.left(fault(NON_FIELD, `Ensure this value is nested no deeper than ${MAX_JSON_DEPTH} levels.`))
  }
  return Either.map(
    Either.try({ try: (): unknown => JSON.parse(json), catch: () => fault(NON_FIELD, syntaxFault(json)) }),
    (document) => ({ document, faults: duplicateFaults(json) })
  )
}

/** The same of a file's bytes. */
export const readSuiteBytes = (bytes: Uint8Array): Either.Either<SuiteText, Faults> =>
  bytes.byteLength > SuiteLimits.bytes
    ? Either.left(fault(NON_FIELD, TOO_LARGE))
    : Either.flatMap(
        Either.try({
          try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
          catch: () => fault(NON_FIELD, "The file is not valid UTF-8.")
        }),
        readSuiteText
      )

/** The document that a spec's JSON text is, or its faults by path. */
export const parseSuiteText = (text: string): Either.Either<unknown, Faults> =>
  Either.flatMap(readSuiteText(text), ({ document, faults }) =>
    isFaulty(faults) ? Either.left(faults) : Either.right(document)
  )

/** A part of a document, and what of a path is left below it. */
interface Found {
  readonly node: Node
  readonly rest: string
}

const without = (rest: string, step: string): string => rest.slice(step.length).replace(/^\./, "")

/** The next part along a path. Keys may have dots and brackets themselves: the longest that fits is meant. */
const below = ({ node, rest }: Found): Found | undefined => {
  if (node.type === "array") {
    const [step = "", index] = /^\[(\d+)\]/.exec(rest) ?? []
    const item = index === undefined ? undefined : node.children?.[Number(index)]
    return item === undefined ? undefined : { node: item, rest: without(rest, step) }
  }
  let longest: { readonly name: string; readonly value: Node } | undefined
  for (const property of node.type === "object" ? (node.children ?? []) : []) {
    const [key, value] = property.children ?? []
    if (typeof key?.value !== "string" || value === undefined) continue
    const name = key.value.slice(0, MAX_TOLD_KEY)
    const fits = rest.startsWith(name) && ["", ".", "["].includes(rest.charAt(name.length))
    if (fits && name !== "" && name.length > (longest?.name.length ?? 0)) longest = { name, value }
  }
  return longest === undefined ? undefined : { node: longest.value, rest: without(rest, longest.name) }
}

/**
 * Where in a spec's text the faults of paths are: at the key of what is wrong, at the item of a list, or, for what is
 * missing, at the nearest thing around it; `non_field_errors` where the text stops being JSON. Null for faults that are not
 * of the text.
 */
export const locator = (text: string): ((path: string) => Place | null) => {
  const json = withoutByteOrderMark(text)
  if (Buffer.byteLength(text) > SuiteLimits.bytes || isTooDeep(json)) return () => null
  const errors: Array<ParseError> = []
  const tree = parseTree(json, errors, STRICT)
  const placeOf = placer(json)
  return (path) => {
    if (path === NON_FIELD && errors[0] !== undefined) return placeOf(errors[0].offset)
    if (tree === undefined) return null
    if (path === NON_FIELD) return placeOf(tree.offset)
    let at: Found = { node: tree, rest: path }
    for (let next = below(at); next !== undefined; next = below(next)) at = next
    const isOfText = at.node !== tree || tree.type !== "object" || TOP.has(path.replace(/[.[].*$/s, ""))
    return isOfText ? placeOf((keyOf(at.node) ?? at.node).offset) : null
  }
}

/** Parts of a spec whose absence is a fault of the text; `channel` and the like are said elsewhere. */
const TOP = new Set(["version", "suite", "scenarios", "defaults"])

const keyOf = (node: Node): Node | undefined =>
  node.parent?.type === "property" ? node.parent.children?.[0] : undefined
