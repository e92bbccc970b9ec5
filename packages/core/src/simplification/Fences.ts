/** Fenced code blocks of Markdown. Source: CommonMark 0.31, section 4.5. */

/** What a line of a prompt is. */
export type LineKind = "plain" | "fence" | "code"

/** Opening fences; inline code at the start of a line is none. */
const OPENING = /^\s*(?:(`{3,})[^`]*|(~{3,}).*)$/s
const CLOSING = /^\s*(`{3,}|~{3,})\s*$/

/** Classifies lines one after the other. A block ends at a fence at least as long as its opening one, or with the text. */
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
