import { sanitize, padEnd, padStart, displayWidth } from "./Text.js"

export interface Column<A> {
  readonly name: string
  readonly of: (row: A) => string
  /** Numbers stand flush right. */
  readonly right?: boolean
  /** Columns of the screen that the column is cut down to where there is no room. */
  readonly least?: number
}

const GAP = "  "

/** Rows under their headings, cut to so many columns of the screen. Whatever the cells say, a row is one line. */
export const table = <A>(
  columns: ReadonlyArray<Column<A>>,
  rows: ReadonlyArray<A>,
  screen: number
): ReadonlyArray<string> => {
  const cells = rows.map((row) => columns.map((column) => sanitize(column.of(row))))
  const widths = columns.map((column, at) =>
    Math.max(displayWidth(column.name), ...cells.map((row) => displayWidth(row[at] ?? "")))
  )
  let over = widths.reduce((sum, width) => sum + width, 0) + GAP.length * (columns.length - 1) - screen
  while (over > 0) {
    // The widest column that may still give way gives way.
    const widest = widths.reduce<number | undefined>((best, width, at) => {
      const least = columns[at]?.least ?? width
      return width > least && (best === undefined || width > (widths[best] ?? 0)) ? at : best
    }, undefined)
    if (widest === undefined) break
    widths[widest] = (widths[widest] ?? 1) - 1
    over--
  }
  const line = (texts: ReadonlyArray<string>): string =>
    texts
      .map((text, at) => (columns[at]?.right === true ? padStart : padEnd)(text, widths[at] ?? 0))
      .join(GAP)
      .trimEnd()
  return [line(columns.map((column) => column.name)), ...cells.map(line)]
}
