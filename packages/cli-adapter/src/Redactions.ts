import type { RedactionCount } from "@earshot/redaction"
import { type Column, table } from "./Table.js"

const redactionColumns: ReadonlyArray<Column<RedactionCount>> = [
  { name: "FIELD", of: ({ field }) => field },
  { name: "WHERE", of: ({ where }) => where },
  { name: "RECOGNIZER", of: ({ recognizer }) => recognizer },
  { name: "COUNT", of: ({ count }) => String(count), right: true }
]

/** The report of what was redacted in a call, as the lines of a table. */
export const describeRedactions = (redactions: ReadonlyArray<RedactionCount>, columns: number): ReadonlyArray<string> =>
  table(redactionColumns, redactions, columns)
