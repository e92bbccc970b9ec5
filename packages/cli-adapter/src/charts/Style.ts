/** How charts are drawn: how wide, and whether in colors. */
export interface Style {
  /** Columns that a drawing may take. */
  readonly columns: number
  readonly color: boolean
}

const CODES = { bold: "1", dim: "2", cyan: "36", green: "32", yellow: "33" } as const

/** A text in a color, where there are any. Color never says what the text does not. */
export const painted = (style: Style, paint: keyof typeof CODES, text: string): string =>
  style.color && text !== "" ? `\u001b[${CODES[paint]}m${text}\u001b[0m` : text
