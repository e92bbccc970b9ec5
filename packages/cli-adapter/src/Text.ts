/** Texts on a terminal: what callers said must not move the cursor, change colors or reorder a line. */
import stringWidth from "string-width"

const CONTROL_PICTURES = 0x2400

/**
 * Characters that a terminal would act on: C0 and C1 controls, DEL, line and paragraph separators, marks and overrides
 * of the writing direction, lone surrogates.
 */
const CONTROL_CHARACTERS =
  // eslint-disable-next-line no-control-regex -- finding control characters is what it is for
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

const controlPicture = (character: string): string => {
  const code = character.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code)
  if (code === 0x7f) return "\u2421"
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`
}

/** Marks that would join what stands before the text, such as the blanks of a table. */
const LEADING_MARK = /^[\p{M}\p{Emoji_Modifier}\u200c\u200d]/u

const segmenter = new Intl.Segmenter()

/** A sign that joins what follows the text, as an Arabic number sign does, gets a dotted circle to stand before. */
const withTrailingCircle = (text: string): string => {
  if (!/[^ -~]$/.test(text)) return text
  const last = Array.from(segmenter.segment(`${text.slice(-4)} `), ({ segment }) => segment).at(-1)
  return last === " " ? text : `${text}◌`
}

/**
 * A text as one harmless line: controls become visible pictures of themselves (ESC is shown as ␛), and a mark at its
 * beginning or a sign at its end that would join its neighbors stands at a dotted circle.
 */
export const sanitize = (text: string): string =>
  withTrailingCircle(text.replace(CONTROL_CHARACTERS, controlPicture).replace(LEADING_MARK, "◌$&"))

/** The same for a text of several lines, which stays one. */
export const sanitizeLines = (text: string): string => text.split(/\r?\n/).map(sanitize).join("\n")

/** A text as one word of a POSIX shell. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** JSON on one line in which nothing acts on a terminal; its value is the same. */
export const jsonLine = (value: unknown): string =>
  JSON.stringify(value).replace(
    CONTROL_CHARACTERS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** Columns that a sanitized text takes. */
export const displayWidth = (text: string): number => stringWidth(text)

/** Cuts a text to so many columns, with an ellipsis where something was cut off. */
export const truncate = (text: string, columns: number): string => {
  if (displayWidth(text) <= columns) return text
  if (columns < 1) return ""
  let kept = ""
  let taken = 0
  for (const { segment } of segmenter.segment(text)) {
    const width = displayWidth(segment)
    if (taken + width > columns - 1) break
    kept += segment
    taken += width
  }
  return `${kept}…`
}

/** A text in a field of so many columns, cut or filled up with blanks at the end. */
export const padEnd = (text: string, columns: number): string => {
  const fit = truncate(text, columns)
  return fit + " ".repeat(Math.max(0, columns - displayWidth(fit)))
}

/** The same with the blanks in front, for numbers. */
export const padStart = (text: string, columns: number): string => {
  const fit = truncate(text, columns)
  return " ".repeat(Math.max(0, columns - displayWidth(fit))) + fit
}
