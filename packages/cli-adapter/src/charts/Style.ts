/** How charts are drawn: how wide, and whether in colours. */
export interface Style {
  /** Columns that a drawing may take. */
  readonly columns: number
  readonly colour: boolean
}

const CODES = { bold: "1", dim: "2", cyan: "36", green: "32", yellow: "33" } as const

/** A text in a colour, where there are any. Colour never says what the text does not. */
export const painted = (style: Style, paint: keyof typeof CODES, text: string): string =>
  style.colour && text !== "" ? `\u001b[${CODES[paint]}m${text}\u001b[0m` : text
