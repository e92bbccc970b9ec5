/** What the syntaxes of a spec share: JSON, YAML and CSV are read into one form of nodes, so errors have the same places. */
import type * as Either from "effect/Either"
import { type FieldErrorCollector, fieldErrorCollector } from "../kernel/FieldErrorCollector.js"
import { type FieldErrors, formatPath, type PathSegment } from "../kernel/FieldErrors.js"

/** A position in a text; both count from 1, columns in UTF-16 units as in editors. Lines end in LF, CRLF or CR. */
export interface TextPosition {
  readonly line: number
  readonly column: number
}

/** The decoded text of a spec. */
export interface SuiteText {
  readonly document: unknown
  /** Duplicate keys and the like, by path; the document has the last value of each. */
  readonly errors: FieldErrors
}

/** A part of a text: the form in which jsonc-parser has it. */
export interface TextNode {
  readonly type: string
  readonly value?: unknown
  readonly offset: number
  readonly length: number
  readonly children?: ReadonlyArray<TextNode>
}

/** A text as nodes; without them where its syntax breaks, at `brokenAt`. */
export interface TextTree {
  readonly tree: TextNode | undefined
  readonly brokenAt: number | undefined
}

export type SyntaxName = "json" | "yaml" | "csv"

/** A syntax in which a spec can be written. Texts have no byte order mark. */
export interface SuiteSyntax {
  readonly name: SyntaxName
  /** The largest text in bytes. */
  readonly maxBytes: number
  /** The document, or why the text is invalid, under `non_field_errors`. `suiteName` is for texts that state no name. */
  readonly decode: (text: string, suiteName: string) => Either.Either<SuiteText, FieldErrors>
  readonly parse: (text: string) => TextTree
}

/** Converts offsets to positions. The lines are found once, since a text may have thousands of errors. */
export const positionIn = (text: string): ((offset: number) => TextPosition) => {
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

/** Collects errors for keys that are given more than once. */
export interface DuplicateKeys {
  readonly add: (path: ReadonlyArray<PathSegment>, again: TextPosition) => void
  readonly errors: FieldErrorCollector["errors"]
}

export const duplicateKeys = (): DuplicateKeys => {
  const found = fieldErrorCollector()
  return {
    add: (path, { column, line }) => {
      found.add(
        formatPath(path).slice(0, 500),
        `The key is given more than once (again at line ${line}, column ${column}).`
      )
    },
    errors: found.errors
  }
}
