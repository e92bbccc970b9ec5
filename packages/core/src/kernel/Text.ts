/**
 * Why an untrusted text cannot be stored: it contains NUL (PostgreSQL rejects it) or lone surrogates (not expressible in
 * UTF-8). Returns the error message, or undefined for a valid text.
 */
export const textError = (text: string): string | undefined =>
  text.includes("\0")
    ? "Null characters are not allowed."
    : text.isWellFormed()
      ? undefined
      : "Lone surrogate characters are not allowed."

/** Length in characters (code points), which is what every limit of the interface counts. */
export const lengthOf = (text: string): number => {
  let length = text.length
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0xd800 && unit <= 0xdbff) {
      length--
      i++
    }
  }
  return length
}

/** Whether a text is within a limit; counts code points only where its length in UTF-16 units does not decide. */
export const isWithin = (limit: number, text: string): boolean => text.length <= limit || lengthOf(text) <= limit

/** Orders texts by code point, as both databases do with binary collation (UTF-16 order differs beyond U+FFFF). */
export const compareText = (a: string, b: string): -1 | 0 | 1 => {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) {
      // A surrogate stands for a code point above every other unit.
      const leftIsHigh = left >= 0xd800 && left <= 0xdfff
      const rightIsHigh = right >= 0xd800 && right <= 0xdfff
      return leftIsHigh === rightIsHigh ? (left < right ? -1 : 1) : leftIsHigh ? 1 : -1
    }
  }
  return a.length === b.length ? 0 : a.length < b.length ? -1 : 1
}
