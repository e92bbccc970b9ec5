/** Blocks of code in fences, as Markdown has them. Source: CommonMark 0.31, section 4.5. */

/** What a line of a prompt is. */
export type LineKind = "plain" | "fence" | "code"

/** What opens a block; inline code that begins a line does not. */
const OPENING = /^\s*(?:(`{3,})[^`]*|(~{3,}).*)$/s
const CLOSING = /^\s*(`{3,}|~{3,})\s*$/

/** Tells of each line, one after the other, what it is: a block ends at a fence as long as its own, or with the text. */
export const fences = (): ((line: string) => LineKind) => {
  let open: string | undefined
  return (line) => {
    if (open === undefined) {
      const [, ticks, tildes] = OPENING.exec(line) ?? []
      open = ticks ?? tildes
      return open === undefined ? "plain" : "fence"
    }
    if (CLOSING.exec(line)?.[1]?.startsWith(open) !== true) return "code"
    open = undefined
    return "fence"
  }
}
