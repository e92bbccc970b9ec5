/**
 * A value inside a JSON document, as a line of text that its key introduces: `phone_number` and `"5551234567"` become
 * `phone number: 5551234567`, so that the key serves as the cue.
 */
export interface Leaf {
  readonly text: string
  /** Where the value itself begins in `text`. */
  readonly from: number
}

const KEY_BREAK = /(?<=\p{Ll})(?=\p{Lu})|[_\-.\s]+/u

/** A key and its value as a line of text. */
export const leafOf = (key: string, value: string): Leaf => {
  const label = key
    .split(KEY_BREAK)
    .filter((word) => word !== "")
    .join(" ")
    .toLowerCase()
  const text = label === "" ? "" : `${label}: `
  return { text: text + value, from: text.length }
}
