/**
 * Names of prepared statements. The server parses and plans a named statement once per connection; without a name it does
 * so for each execution, which takes longer than most of these statements themselves.
 */
import { createHash } from "node:crypto"

/** How often a text is executed before it gets a name. */
const USES_BEFORE = 5

/** The most names. Each connection keeps a statement for each name it has used, 10 to 60 KB of the server's memory. */
const MAX_NAMES = 250

/**
 * The most values of a statement with a name. Statements with more have lists of rows, whose texts are as many as there are
 * lengths of lists, and take 600 KB with 500 rows.
 */
const MAX_VALUES = 32

/** The most texts that are counted at a time; then counting starts again. */
const MAX_COUNTED = 1000

/**
 * The name under which the statement of this text is prepared, and nothing for one that is not to be. A statement without
 * values has none, since its text may be several statements.
 */
export type StatementNames = (text: string, values: number) => string | undefined

/** Of the text alone: behind a pooler that mixes connections, a name must not be another statement's of another process. */
const nameOf = (text: string): string => `earshot_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`

/** Names for statements that are executed again and again, of which those that were used last keep theirs. */
export const make = (): StatementNames => {
  const names = new Map<string, string>()
  const uses = new Map<string, number>()

  const keep = (text: string, name: string): string => {
    names.delete(text)
    names.set(text, name)
    const [oldest] = names.keys()
    if (names.size > MAX_NAMES && oldest !== undefined) names.delete(oldest)
    return name
  }

  return (text, values) => {
    if (values === 0 || values > MAX_VALUES) return undefined
    const name = names.get(text)
    if (name !== undefined) return keep(text, name)
    const count = (uses.get(text) ?? 0) + 1
    if (count > USES_BEFORE) {
      uses.delete(text)
      return keep(text, nameOf(text))
    }
    if (uses.size >= MAX_COUNTED) uses.clear()
    uses.set(text, count)
    return undefined
  }
}

/** Statements that are never prepared: they begin and end transactions, or run once. */
export const none: StatementNames = () => undefined
