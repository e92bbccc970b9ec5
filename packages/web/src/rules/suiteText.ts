/** Where the errors of a suite stand in its text. */
import { findNodeAtLocation, type Node, parseTree } from "jsonc-parser"
import { isNode, parseDocument } from "yaml"

/** A position in a text; both count from 1. */
export interface Place {
  readonly offset: number
  readonly line: number
  readonly column: number
}

export interface SuiteError {
  readonly path: string
  readonly message: string
  /** Null where the text does not show it, as for CSV. */
  readonly place: Place | null
}

type Path = ReadonlyArray<string | number>

/** Names joined by dots and positions in brackets, the keys of the API's field errors, as segments. */
const segmentsOf = (path: string): Path =>
  [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, position, name]) =>
    position === undefined ? (name ?? "") : Number(position)
  )

/** The offsets at which lines start. They are found once, since a text may have thousands of errors. */
const lineStarts = (text: string): ReadonlyArray<number> => [
  0,
  ...Array.from(text.matchAll(/\r\n|\r|\n/g), ({ 0: end, index }) => index + end.length)
]

const placeAt = (starts: ReadonlyArray<number>, offset: number): Place => {
  let line = 0
  for (let beyond = starts.length; beyond - line > 1;) {
    const middle = (line + beyond) >> 1
    if ((starts[middle] ?? 0) <= offset) line = middle
    else beyond = middle
  }
  return { offset, line: line + 1, column: offset - (starts[line] ?? 0) + 1 }
}

/** The offset of the value at a path, if the text has one there. */
type Find = (path: Path) => number | undefined

const findInJson = (text: string): Find => {
  const tree = parseTree(text)
  return (path) => {
    const node: Node | undefined = tree === undefined ? undefined : findNodeAtLocation(tree, [...path])
    return node?.offset
  }
}

/** Beyond it the server refuses YAML, and the page would wait for the parser. */
const MAX_YAML = 256_000

const findInYaml = (text: string): Find => {
  if (text.length > MAX_YAML) return () => undefined
  const document = parseDocument(text)
  return (path) => {
    const node = path.length === 0 ? document.contents : document.getIn(path, true)
    return isNode(node) ? node.range?.[0] : undefined
  }
}

/** A message that states its own position, as those of invalid syntax do. */
const STATED = /\(line (\d+), column (\d+)\)/

const statedPlace = (starts: ReadonlyArray<number>, message: string): Place | null => {
  const [, line, column] = STATED.exec(message) ?? []
  if (line === undefined || column === undefined) return null
  const offset = (starts[Number(line) - 1] ?? 0) + Number(column) - 1
  return { offset, line: Number(line), column: Number(column) }
}

const isJson = (text: string): boolean => /^[\s\uFEFF]*[{[]/.test(text)

/**
 * Every message of field errors with its place: that of the value, or of the nearest value around it where it is missing.
 * Errors are in the order of the text; those without a place come first.
 */
export const placeErrors = (
  text: string,
  errors: Readonly<Record<string, ReadonlyArray<string>>>
): ReadonlyArray<SuiteError> => {
  const find = isJson(text) ? findInJson(text) : findInYaml(text)
  const starts = lineStarts(text)
  const nearest = (path: Path): Place | null => {
    for (let length = path.length; length > 0; length--) {
      const offset = find(path.slice(0, length))
      if (offset !== undefined) return placeAt(starts, offset)
    }
    // A field that the whole text lacks is missing at its beginning.
    const start = find([])
    return start === undefined ? null : placeAt(starts, start)
  }
  return Object.entries(errors)
    .flatMap(([path, messages]) =>
      messages.map((message) => ({ path, message, place: statedPlace(starts, message) ?? nearest(segmentsOf(path)) }))
    )
    .toSorted((one, other) => (one.place?.offset ?? -1) - (other.place?.offset ?? -1))
}
