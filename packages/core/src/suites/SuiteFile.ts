/** A spec as a file: text with positions, so that an error can be reported with its line and column. */
import * as Either from "effect/Either"
import { parse, type ParseError, parseTree, visit } from "jsonc-parser"
import { type FieldErrors, fieldError, hasFieldErrors, NON_FIELD } from "../kernel/FieldErrors.js"
import { MAX_JSON_DEPTH } from "../kernel/Json.js"
import { MAX_KEY_IN_ERROR, SuiteLimits } from "./Suite.js"
import {
  duplicateKeys,
  positionIn,
  type SuiteSyntax,
  type SuiteText,
  type SyntaxName,
  type TextNode,
  type TextPosition
} from "./SuiteText.js"

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
  return `This is not valid JSON (line ${line}, column ${column}).`
}

/** Errors for duplicate keys, of which JSON.parse silently keeps the last. */
const duplicateKeyErrors = (text: string): FieldErrors => {
  const found = duplicateKeys()
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
        if (keys.has(name)) found.add([...path(), name], { line: line + 1, column: column + 1 })
        keys.add(name)
      }
    },
    STRICT
  )
  return found.errors()
}

/** Some editors begin a file with one; it is not part of the JSON. */
const withoutByteOrderMark = (text: string): string => (text.startsWith("\u{feff}") ? text.slice(1) : text)

const TOO_DEEP = `Ensure this value is nested no deeper than ${MAX_JSON_DEPTH} levels.`

export const jsonSyntax: SuiteSyntax = {
  name: "json",
  maxBytes: SuiteLimits.bytes,
  decode: (json) =>
    isTooDeep(json)
      ? Either.left(fieldError(NON_FIELD, TOO_DEEP))
      : Either.map(
          Either.try({ try: (): unknown => JSON.parse(json), catch: () => fieldError(NON_FIELD, syntaxError(json)) }),
          (document) => ({ document, errors: duplicateKeyErrors(json) })
        ),
  parse: (json) => {
    if (isTooDeep(json)) return { tree: undefined, brokenAt: undefined }
    const errors: Array<ParseError> = []
    const tree = parseTree(json, errors, STRICT)
    return { tree, brokenAt: errors[0]?.offset }
  }
}

/** How YAML begins: with a document marker, a directive, a comment or a key. */
const YAML_START = /^\s*(?:---(?:\s|$)|%YAML\s|#|[A-Za-z_][\w-]*\s*:(?:\s|$))/

const EXTENSIONS: ReadonlyArray<readonly [RegExp, SyntaxName]> = [
  [/\.json$/i, "json"],
  [/\.ya?ml$/i, "yaml"],
  [/\.csv$/i, "csv"]
]

const MEDIA_TYPES: ReadonlyArray<readonly [RegExp, SyntaxName]> = [
  [/\bjson\b/i, "json"],
  [/\byaml\b/i, "yaml"],
  [/\bcsv\b/i, "csv"]
]

/** The syntax of a file, by its name, otherwise its media type, otherwise by how its text begins. */
export const syntaxOf = (
  text: string,
  { name = "", type = "" }: { readonly name?: string; readonly type?: string } = {}
): SyntaxName =>
  EXTENSIONS.find(([pattern]) => pattern.test(name))?.[1] ??
  MEDIA_TYPES.find(([pattern]) => pattern.test(type))?.[1] ??
  (YAML_START.test(withoutByteOrderMark(text)) ? "yaml" : "json")

/** The reader of a syntax. Those of YAML and CSV are loaded when they are first used. */
export const loadSyntax = async (name: SyntaxName): Promise<SuiteSyntax> => {
  switch (name) {
    case "json":
      return jsonSyntax
    case "yaml":
      return (await import("./SuiteYaml.js")).yamlSyntax
    case "csv":
      return (await import("./SuiteCsv.js")).csvSyntax
  }
}

const tooLarge = ({ maxBytes, name }: SuiteSyntax): FieldErrors =>
  fieldError(
    NON_FIELD,
    `Ensure this file has no more than ${maxBytes} bytes${maxBytes === SuiteLimits.bytes ? "" : ` as ${name.toUpperCase()}`}.`
  )

/** Decodes a spec's text, or says why it is invalid, under `non_field_errors`. */
export const decodeSuiteText = (
  text: string,
  syntax: SuiteSyntax = jsonSyntax,
  suiteName = ""
): Either.Either<SuiteText, FieldErrors> => {
  const plain = withoutByteOrderMark(text)
  if (Buffer.byteLength(text) > syntax.maxBytes) return Either.left(tooLarge(syntax))
  if (plain.trim() === "") return Either.left(fieldError(NON_FIELD, "The file is empty."))
  return syntax.decode(plain, suiteName)
}

/** The text of a file's bytes, with its byte order mark. */
const suiteTextOf = (bytes: Uint8Array): Either.Either<string, FieldErrors> =>
  Either.try({
    try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    catch: () => fieldError(NON_FIELD, "The file is not valid UTF-8.")
  })

/** As `decodeSuiteText`, from a file's bytes. */
export const decodeSuiteBytes = (
  bytes: Uint8Array,
  syntax: SuiteSyntax = jsonSyntax,
  suiteName = ""
): Either.Either<SuiteText, FieldErrors> =>
  bytes.byteLength > syntax.maxBytes
    ? Either.left(tooLarge(syntax))
    : Either.flatMap(suiteTextOf(bytes), (text) => decodeSuiteText(text, syntax, suiteName))

/** The document in a spec's text, or its errors by path. */
export const parseSuiteText = (text: string, syntax: SuiteSyntax = jsonSyntax): Either.Either<unknown, FieldErrors> =>
  Either.flatMap(decodeSuiteText(text, syntax), ({ document, errors }) =>
    hasFieldErrors(errors) ? Either.left(errors) : Either.right(document)
  )

/** A node of a document with its key, if it has one, and the rest of the path below it. */
interface Found {
  readonly node: TextNode
  readonly key: TextNode | undefined
  readonly rest: string
}

const without = (rest: string, step: string): string => rest.slice(step.length).replace(/^\./, "")

const itemBelow = ({ node, rest }: Found): Found | undefined => {
  const [step = "", index] = /^\[(\d+)\]/.exec(rest) ?? []
  const item = index === undefined ? undefined : node.children?.[Number(index)]
  return item === undefined ? undefined : { node: item, key: undefined, rest: without(rest, step) }
}

/** The next node along a path. Keys may contain dots and brackets: the longest that fits is taken. */
const below = (found: Found): Found | undefined => {
  const { node, rest } = found
  if (node.type === "array") return itemBelow(found)
  let longest: { readonly name: string; readonly key: TextNode; readonly value: TextNode } | undefined
  for (const property of node.type === "object" ? (node.children ?? []) : []) {
    const [key, value] = property.children ?? []
    if (typeof key?.value !== "string" || value === undefined) continue
    const name = key.value.slice(0, MAX_KEY_IN_ERROR)
    const fits = rest.startsWith(name) && ["", ".", "["].includes(rest.charAt(name.length))
    if (fits && name !== "" && name.length > (longest?.name.length ?? 0)) longest = { name, key, value }
  }
  return longest === undefined
    ? undefined
    : { node: longest.value, key: longest.key, rest: without(rest, longest.name) }
}

/**
 * Converts the path of an error to its position in a spec's text: at the key, at the item of a list, or, where a value is
 * missing, at the nearest node around it; `non_field_errors` is where the syntax breaks. Null for errors that are not about
 * the text.
 */
export const locator = (text: string, syntax: SuiteSyntax = jsonSyntax): ((path: string) => TextPosition | null) => {
  const plain = withoutByteOrderMark(text)
  if (Buffer.byteLength(text) > syntax.maxBytes) return () => null
  const { brokenAt, tree } = syntax.parse(plain)
  const positionOf = positionIn(plain)
  return (path) => {
    if (path === NON_FIELD && brokenAt !== undefined) return positionOf(brokenAt)
    if (tree === undefined) return null
    if (path === NON_FIELD) return positionOf(tree.offset)
    let at: Found = { node: tree, key: undefined, rest: path }
    for (let next = below(at); next !== undefined; next = below(next)) at = next
    const isOfText = at.node !== tree || tree.type !== "object" || TOP.has(path.replace(/[.[].*$/s, ""))
    return isOfText ? positionOf((at.key ?? at.node).offset) : null
  }
}

/** Parts of a spec whose absence is an error of the text; `channel` and the like are request fields. */
const TOP = new Set(["version", "suite", "scenarios", "defaults"])
