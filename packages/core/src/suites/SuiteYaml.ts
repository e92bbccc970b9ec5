/**
 * A spec as YAML 1.2 (core schema). Keys are texts, tags of other schemas are errors, and what aliases expand to is bounded.
 * Loaded when the first such file is read.
 */
import * as Either from "effect/Either"
import { type Document, isAlias, isMap, isScalar, isSeq, Lexer, type Node, parseDocument } from "yaml"
import { type FieldErrors, fieldError, NON_FIELD, type PathSegment } from "../kernel/FieldErrors.js"
import { MAX_JSON_DEPTH, MAX_JSON_NODES } from "../kernel/Json.js"
import { duplicateKeys, positionIn, type SuiteSyntax, type TextNode } from "./SuiteText.js"

/** The largest text in bytes: parsing takes about a millisecond per kilobyte on the calling thread. */
export const MAX_YAML_BYTES = 256_000

const TOO_DEEP = `Ensure this value is nested no deeper than ${MAX_JSON_DEPTH} levels.`

/**
 * Whether the text nests too deep, by its tokens: flow collections, and collections that begin on one line (`- - - a`). The
 * parser takes seconds for some of these. What is nested by indentation is bounded by its size, and checked afterwards.
 */
const isTooDeep = (text: string): boolean => {
  let flow = 0
  let onLine = 0
  for (const token of new Lexer().lex(text)) {
    if (token === "[" || token === "{") flow++
    else if (token === "]" || token === "}") flow--
    else if (token === "-" || token === "?") onLine++
    else if (token.endsWith("\n")) onLine = 0
    if (flow > MAX_JSON_DEPTH || onLine > MAX_JSON_DEPTH) return true
  }
  return false
}

const CORE_TAGS = new Set(
  ["map", "seq", "str", "null", "bool", "int", "float"].map((name) => `tag:yaml.org,2002:${name}`)
)

/** What is wrong with a text, and where. */
interface InvalidYaml {
  readonly offset: number
  readonly reason: string
}

interface Converted {
  readonly tree: TextNode
  /** Duplicate keys. */
  readonly errors: FieldErrors
}

/** The nodes of a text. After the first error nothing more is visited, so that aliases expand to no more than the limit. */
const convert = (text: string, parsed: Document.Parsed): Either.Either<Converted, InvalidYaml> => {
  const positionOf = positionIn(text)
  const duplicates = duplicateKeys()
  const wrong: Array<InvalidYaml> = []
  let nodes = 0

  const invalid = (offset: number, reason: string): TextNode => {
    wrong.push({ offset, reason })
    return { type: "null", value: null, offset, length: 0 }
  }

  const keyOf = (key: Node, at: number): TextNode => {
    const [start = at, end = at] = key.range ?? []
    return isScalar(key) && typeof key.value === "string"
      ? { type: "string", value: key.value, offset: start, length: end - start }
      : invalid(start, "Keys are texts; put other keys in quotation marks.")
  }

  const visit = (given: Node | null, path: ReadonlyArray<PathSegment>, at: number): TextNode => {
    const start = given?.range?.[0] ?? at
    const node = isAlias(given) ? given.resolve(parsed) : given
    const [offset = start, end = start] = node?.range ?? []
    if (wrong.length > 0) return { type: "null", value: null, offset, length: 0 }
    if (node === undefined) return invalid(start, "There is no such anchor before this alias.")
    if (++nodes > MAX_JSON_NODES) return invalid(start, `Ensure this value has no more than ${MAX_JSON_NODES} parts.`)
    if (path.length > MAX_JSON_DEPTH) return invalid(offset, TOO_DEEP)
    if (node?.tag !== undefined && !CORE_TAGS.has(node.tag)) {
      return invalid(offset, `The tag ${node.tag} is not allowed.`)
    }
    const place = { offset, length: end - offset }
    if (isMap<Node, Node | null>(node)) {
      const seen = new Set<string>()
      const children = node.items.map(({ key, value }): TextNode => {
        const name = keyOf(key, offset)
        const text = String(name.value)
        if (seen.has(text)) duplicates.add([...path, text], positionOf(name.offset))
        seen.add(text)
        const child = visit(value, [...path, text], name.offset)
        return { type: "property", ...place, value: [text, child.value], children: [name, child] }
      })
      const value = Object.fromEntries(
        children.map(({ children: [name, child] = [] }) => [String(name?.value), child?.value])
      )
      return { type: "object", ...place, value, children }
    }
    if (isSeq<Node | null>(node)) {
      const children = node.items.map((item, index) => visit(item, [...path, index], offset))
      return { type: "array", ...place, value: children.map((child) => child.value), children }
    }
    const value = isScalar(node) ? node.value : null
    return { type: value === null ? "null" : typeof value, ...place, value }
  }

  const tree = visit(parsed.contents, [], 0)
  const [first] = wrong
  return first === undefined ? Either.right({ tree, errors: duplicates.errors() }) : Either.left(first)
}

const parseYaml = (text: string): Either.Either<Converted, InvalidYaml> =>
  isTooDeep(text)
    ? Either.left({ offset: 0, reason: TOO_DEEP })
    : Either.flatMap(
        Either.try({
          try: () => parseDocument(text, { schema: "core", uniqueKeys: false, prettyErrors: false, logLevel: "error" }),
          // The parser recurses: what exhausts the stack is nested far too deep.
          catch: () => ({ offset: 0, reason: TOO_DEEP })
        }),
        (parsed) => {
          const [first] = [...parsed.errors, ...parsed.warnings]
          return first === undefined
            ? convert(text, parsed)
            : Either.left({
                offset: first.pos[0],
                reason: first.code === "MULTIPLE_DOCS" ? "A spec is one document." : first.message
              })
        }
      )

const errorsOf = (text: string, { offset, reason }: InvalidYaml): FieldErrors => {
  const { column, line } = positionIn(text)(offset)
  return fieldError(NON_FIELD, `This is not valid YAML (line ${line}, column ${column}): ${reason}`)
}

export const yamlSyntax: SuiteSyntax = {
  name: "yaml",
  maxBytes: MAX_YAML_BYTES,
  decode: (text) =>
    Either.mapBoth(parseYaml(text), {
      onLeft: (error) => errorsOf(text, error),
      onRight: ({ errors, tree }) => ({ document: tree.value, errors })
    }),
  parse: (text) =>
    Either.match(parseYaml(text), {
      onLeft: ({ offset }) => ({ tree: undefined, brokenAt: offset }),
      onRight: ({ tree }) => ({ tree, brokenAt: undefined })
    })
}
