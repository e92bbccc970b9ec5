import { functionWords, numberNames } from "./Lexicon.js"
import { isInternational, isNanp, isNational } from "./Numbering.js"
import { isCardNumber, isSsn } from "./Validators.js"

/** Value forms that differ from product codes even next to a letter. Bounded, so that matching is linear. */
export const gluedPatterns = {
  "glued card": /(?<!\d)\d{4}[-. ]{0,3}\d{4}[-. ]{0,3}\d{4}[-. ]{0,3}\d{1,7}(?!\d)/g,
  "glued short card": /(?<!\d)\d{4}[-. ]{0,3}\d{6}[-. ]{0,3}\d{4,5}(?!\d)/g,
  "glued ssn": /(?<!\d)\d{3}[-. ]{1,3}\d{2}[-. ]{1,3}\d{4}(?!\d)/g,
  "glued phone": /(?<!\d)(?:1[-. ]{0,3})?\(?\d{3}(?:\)[-. ]{0,3}|[-. ]{1,3})\d{3}[-. ]{1,3}\d{4}(?!\d)/g,
  "glued international": /\+\d[\d() .-]{6,20}\d(?!\d)/g,
  "glued national": /(?<!\d)\(?0\d{1,5}(?:\)?[-. ]{1,2}\d{2,8}){1,4}(?!\d)/g,
  /** A word that names the value after it: "phone4155552671", "pin4421". */
  "glued to its name": /(?<![\p{L}\d])\p{L}{2,12}(?=\d{4})/gu
} as const

const checks: ReadonlyArray<readonly [RegExp, (digits: string) => boolean]> = [
  [gluedPatterns["glued card"], isCardNumber],
  [gluedPatterns["glued short card"], isCardNumber],
  [gluedPatterns["glued ssn"], isSsn],
  [gluedPatterns["glued phone"], isNanp],
  [gluedPatterns["glued international"], isInternational],
  [gluedPatterns["glued national"], isNational]
]

const isName = (word: string): boolean => numberNames.has(word) || functionWords.has(word)

const LETTER = /[\p{L}\p{M}]/u
const GLUED = /\p{L}\p{M}*\d|\d\p{L}/u

/** Sorted offsets in a plain text at which a value begins or ends next to a letter that is not part of it. */
export const gluedBreaks = (text: string): ReadonlyArray<number> => {
  if (!GLUED.test(text)) return []
  const found = new Set<number>()
  for (const [pattern, isValue] of checks) {
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const start = match.index
      const end = start + match[0].length
      const before = LETTER.test(text[start - 1] ?? "")
      const after = LETTER.test(text[end] ?? "")
      if ((before || after) && isValue(match[0].replace(/\D/g, ""))) {
        if (before) found.add(start)
        if (after) found.add(end)
      }
      // The next value may begin inside this rejected match.
      else pattern.lastIndex = start + 1
    }
  }
  const pattern = gluedPatterns["glued to its name"]
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text))
    if (isName(match[0].toLowerCase())) found.add(match.index + match[0].length)
  return [...found].sort((a, b) => a - b)
}
