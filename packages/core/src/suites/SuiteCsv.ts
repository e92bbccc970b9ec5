/**
 * The scenarios of a spec as CSV: a header of field names, then a row per scenario. Empty cells are left out; lists are
 * separated by semicolons; `variables.NAME` is a variable of an inline test profile. Loaded when the first such file is read.
 */
import { CsvError } from "csv-parse"
import { parse } from "csv-parse/sync"
import * as Either from "effect/Either"
import { VARIABLES_SECTION } from "../catalog/ProfileRules.js"
import { type FieldErrorCollector, fieldErrorCollector } from "../kernel/FieldErrorCollector.js"
import { type FieldErrors, fieldError, NON_FIELD } from "../kernel/FieldErrors.js"
import { SUITE_VERSION, SuiteLimits } from "./Suite.js"
import { positionIn, type SuiteSyntax, type TextNode } from "./SuiteText.js"

interface Cell {
  readonly text: string
  /** Where it begins in the text. */
  readonly offset: number
}

const VARIABLE = /^variables\.(.+)$/

const wholeNumber = (text: string): number | string => (/^\d{1,15}$/.test(text) ? Number(text) : text)

const items = (text: string): ReadonlyArray<string> =>
  text
    .split(";")
    .map((item) => item.trim())
    .filter((item) => item !== "")

/** How the cell of a column is read. Columns that are not listed hold texts. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  frequency: wholeNumber,
  max_duration: wholeNumber,
  personality: wholeNumber,
  test_profile: wholeNumber,
  metrics: (text) => items(text).map(wholeNumber),
  tools: (text) => items(text).map(wholeNumber),
  tags: items,
  assertions: (text): unknown => JSON.parse(text),
  conditional_actions: (text): unknown => JSON.parse(text)
}

const leaf = (cell: Cell, value: unknown): TextNode => ({
  type: Array.isArray(value) ? "list" : typeof value,
  value,
  offset: cell.offset,
  length: cell.text.length
})

/** A property whose errors are reported at its cell. */
const property = (name: string, at: number, value: TextNode): TextNode => ({
  type: "property",
  offset: at,
  length: value.length,
  value: value.value,
  children: [{ type: "string", value: name, offset: at, length: name.length }, value]
})

const object = (offset: number, properties: ReadonlyArray<TextNode>): TextNode => ({
  type: "object",
  offset,
  length: 0,
  value: Object.fromEntries(properties.map(({ children, value }) => [String(children?.[0]?.value), value])),
  children: properties
})

/** The rows of a text. Throws `CsvError`. */
const rowsOf = (text: string): ReadonlyArray<ReadonlyArray<Cell>> => {
  const bytes = Buffer.from(text)
  const rows: Array<Array<Cell>> = []
  /** The end of the last cell in bytes and in UTF-16 units. */
  let end = 0
  let endOffset = 0
  parse(bytes, {
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    skip_empty_lines: true,
    cast: (value, context) => {
      if (context.index === 0) rows.push([])
      // `bytes` is where the cell ends; a delimiter, or line ends, precede it.
      const before = bytes.toString("utf8", end, context.bytes)
      const skipped = context.index === 0 ? (/^[\r\n]*/.exec(before)?.[0].length ?? 0) : 1
      rows[rows.length - 1]?.push({ text: value, offset: endOffset + skipped })
      end = context.bytes
      endOffset += before.length
      return value
    }
  })
  return rows
}

const scenarioOf = (
  errors: FieldErrorCollector,
  header: ReadonlyArray<Cell>,
  row: ReadonlyArray<Cell>,
  path: string
): TextNode => {
  const offset = row[0]?.offset ?? 0
  const variables: Array<TextNode> = []
  const properties = row.flatMap((cell, column): ReadonlyArray<TextNode> => {
    const name = header[column]?.text.trim()
    if (name === undefined) {
      if (cell.text.trim() !== "") errors.add(path, "The row has more cells than the header.")
      return []
    }
    if (cell.text.trim() === "" || name === "") return []
    const variable = VARIABLE.exec(name)?.[1]
    if (variable !== undefined) {
      variables.push(property(variable, cell.offset, leaf(cell, cell.text)))
      return []
    }
    return Either.match(
      Either.try((): unknown => (readers[name] ?? String)(cell.text)),
      {
        onLeft: () => {
          errors.add(`${path}.${name}`, "This is not valid JSON.")
          return [property(name, cell.offset, leaf(cell, []))]
        },
        onRight: (value) => [property(name, cell.offset, leaf(cell, value))]
      }
    )
  })
  const has = (name: string) => properties.some(({ children }) => children?.[0]?.value === name)
  if (variables.length > 0) {
    if (has("test_profile")) errors.add(`${path}.test_profile`, "Give test_profile or variables, not both.")
    const key = row[header.findIndex(({ text }) => text.trim() === "key")]
    const section = property(VARIABLES_SECTION, offset, object(offset, variables))
    const name = property("name", offset, leaf({ text: "", offset }, `Variables of ${key?.text ?? "a row"}`))
    properties.push(
      property(
        "test_profile",
        offset,
        object(offset, [name, property("information", offset, object(offset, [section]))])
      )
    )
  }
  if (!has("type")) properties.push(property("type", offset, leaf({ text: "", offset }, "instruction")))
  return object(offset, properties)
}

interface Converted {
  readonly tree: TextNode
  readonly errors: FieldErrors
}

const convert = (text: string, suiteName: string): Converted => {
  const errors = fieldErrorCollector()
  const [header = [], ...rows] = rowsOf(text)
  const positionOf = positionIn(text)
  const seen = new Map<string, number>()
  for (const { offset, text: name } of header) {
    const { column, line } = positionOf(offset)
    if (seen.has(name.trim())) {
      errors.add(
        NON_FIELD,
        `The column "${name.trim().slice(0, 100)}" is given more than once (again at line ${line}, column ${column}).`
      )
    }
    seen.set(name.trim(), offset)
  }
  const scenarios = rows.slice(0, SuiteLimits.scenarios + 1)
  const list = scenarios.map((row, index) => scenarioOf(errors, header, row, `scenarios[${index}]`))
  const text0 = { text: "", offset: 0 }
  const tree = object(0, [
    property("version", 0, leaf(text0, SUITE_VERSION)),
    property("suite", 0, object(0, [property("name", 0, leaf(text0, suiteName === "" ? "Scenarios" : suiteName))])),
    property("scenarios", 0, {
      type: "array",
      offset: 0,
      length: text.length,
      value: list.map(({ value }) => value),
      children: list
    })
  ])
  return { tree, errors: errors.errors() }
}

interface InvalidCsv {
  readonly offset: number
  readonly reason: string
}

const REASONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: "A quotation mark is not closed.",
  CSV_INVALID_CLOSING_QUOTE: "A closing quotation mark is followed by more text; write two for one inside a cell.",
  INVALID_OPENING_QUOTE: "A quotation mark is inside a cell that does not begin with one."
}

const parseCsv = (text: string, suiteName: string): Either.Either<Converted, InvalidCsv> =>
  Either.try({
    try: () => convert(text, suiteName),
    catch: (error): InvalidCsv => {
      const lines = error instanceof CsvError && typeof error.lines === "number" ? error.lines : 1
      const starts = [0, ...Array.from(text.matchAll(/\r\n|\r|\n/g), ({ 0: end, index }) => index + end.length)]
      return {
        offset: starts[lines - 1] ?? 0,
        reason: error instanceof CsvError ? (REASONS[error.code] ?? error.message) : "The table cannot be read."
      }
    }
  })

export const csvSyntax: SuiteSyntax = {
  name: "csv",
  maxBytes: SuiteLimits.bytes,
  decode: (text, suiteName) =>
    Either.mapBoth(parseCsv(text, suiteName), {
      onLeft: ({ offset, reason }) =>
        fieldError(NON_FIELD, `This is not valid CSV (line ${positionIn(text)(offset).line}): ${reason}`),
      onRight: ({ errors, tree }) => ({ document: tree.value, errors })
    }),
  parse: (text) =>
    Either.match(parseCsv(text, ""), {
      onLeft: ({ offset }) => ({ tree: undefined, brokenAt: offset }),
      onRight: ({ tree }) => ({ tree, brokenAt: undefined })
    })
}
