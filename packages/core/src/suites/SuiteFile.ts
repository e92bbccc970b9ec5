/** A spec as a file: JSON text with places, so that a fault can be told with its line and column. */
import * as Either from "effect/Either"
import { findNodeAtLocation, type Node, parse, type ParseError, parseTree, visit } from "jsonc-parser"
import { faultCollector } from "../kernel/FaultCollector.js"
import { type Faults, fault, isFaulty, NON_FIELD } from "../kernel/Faults.js"
import { MAX_JSON_DEPTH } from "../kernel/Json.js"
import { SuiteLimits } from "./Suite.js"

/** A place in a text; both count from 1, columns in UTF-16 units as editors count them. */
export interface Place {
  readonly line: number
  readonly column: number
}

const placeOf = (text: string, offset: number): Place => {
  let line = 1
  let start = 0
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) {
    line++
    start = at + 1
  }
  return { line, column: offset - start + 1 }
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
  const { column, line } = placeOf(text, errors[0]?.offset ?? 0)
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

const TOO_LARGE = `Ensure this file has no more than ${SuiteLimits.bytes} bytes.`

/** Reads a spec's JSON text: the document, or its faults by path (`non_field_errors` for the text as a whole). */
export const parseSuiteText = (text: string): Either.Either<unknown, Faults> => {
  const json = text.startsWith("\u{feff}") ? text.slice(1) : text
  if (Buffer.byteLength(text) > SuiteLimits.bytes) return Either.left(fault(NON_FIELD, TOO_LARGE))
  if (json.trim() === "") return Either.left(fault(NON_FIELD, "The file is empty."))
  if (isTooDeep(json)) {
    return Either.left(fault(NON_FIELD, `Ensure this value is nested no deeper than ${MAX_JSON_DEPTH} levels.`))
  }
  return Either.flatMap(
    Either.try({ try: (): unknown => JSON.parse(json), catch: () => fault(NON_FIELD, syntaxFault(json)) }),
    (document) => {
      const twice = duplicateFaults(json)
      return isFaulty(twice) ? Either.left(twice) : Either.right(document)
    }
  )
}

/** The same of a file's bytes. */
export const parseSuiteBytes = (bytes: Uint8Array): Either.Either<unknown, Faults> =>
  bytes.byteLength > SuiteLimits.bytes
    ? Either.left(fault(NON_FIELD, TOO_LARGE))
    : Either.flatMap(
        Either.try({
          try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
          catch: () => fault(NON_FIELD, "The file is not valid UTF-8.")
        }),
        parseSuiteText
      )

/** The steps of a fault's path: `scenarios[1].metrics[0]`. */
const stepsOf = (path: string): ReadonlyArray<string | number> =>
  path === NON_FIELD
    ? []
    : Array.from(path.matchAll(/\[(\d+)\]|([^.[\]]+)/g), ([, index, name]) =>
        index === undefined ? (name ?? "") : Number(index)
      )

/**
 * Where in a spec's text the faults of paths are: at the key of what is wrong, at the item of a list, or, for what is
 * missing, at the nearest thing around it. Null for faults that are not of the text.
 */
export const locator = (text: string): ((path: string) => Place | null) => {
  const json = text.startsWith("\u{feff}") ? text.slice(1) : text
  if (Buffer.byteLength(text) > SuiteLimits.bytes || isTooDeep(json)) return () => null
  const tree = parseTree(json, [], STRICT)
  return (path) => {
    if (tree === undefined) return null
    const steps = stepsOf(path)
    for (let length = steps.length; length > 0; length--) {
      const node = findNodeAtLocation(tree, steps.slice(0, length))
      if (node !== undefined) return placeOf(json, (keyOf(node) ?? node).offset)
    }
    return steps.length === 0 || tree.type !== "object" || TOP.has(String(steps[0])) ? placeOf(json, tree.offset) : null
  }
}

/** Parts of a spec whose absence is a fault of the text; `channel` and the like are said elsewhere. */
const TOP = new Set(["version", "suite", "scenarios", "defaults"])

const keyOf = (node: Node): Node | undefined =>
  node.parent?.type === "property" ? node.parent.children?.[0] : undefined
