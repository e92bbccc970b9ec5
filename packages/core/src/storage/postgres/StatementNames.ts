/**
 * Names of prepared statements. The server parses and plans a named statement once per connection; without a name it does
 * so for each execution, which takes longer than most of these statements themselves.
 */

/** How often a text is executed before it gets a name: lists of values of many lengths have many texts, each used rarely. */
const USES_BEFORE = 5

/** The most names. Each connection keeps a statement, and about 30 KB of the server's memory, for each. */
const MAX_NAMES = 250

/** The most texts that are counted at a time; then counting starts again. */
const MAX_COUNTED = 1000

/** The name under which the statement of this text is prepared, and nothing for texts that are used rarely. */
export type StatementNames = (text: string) => string | undefined

export const make = (): StatementNames => {
  const names = new Map<string, string>()
  const uses = new Map<string, number>()
  return (text) => {
    const name = names.get(text)
    if (name !== undefined || names.size === MAX_NAMES) return name
    const count = (uses.get(text) ?? 0) + 1
    if (count <= USES_BEFORE) {
      if (uses.size === MAX_COUNTED) uses.clear()
      uses.set(text, count)
      return undefined
    }
    uses.delete(text)
    const given = `earshot_${String(names.size + 1)}`
    names.set(text, given)
    return given
  }
}

/** Statements that are never prepared: they begin and end transactions, or run once. */
export const none: StatementNames = () => undefined
