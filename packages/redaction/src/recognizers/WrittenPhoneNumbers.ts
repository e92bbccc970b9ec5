import { candidate } from "../TextSpan.js"
import { byPattern, type Recognizer } from "./CallReader.js"

export const patterns = {
  /** North American form with an extension: "(978)645-9740x11144". */
  extended: /(?<![\w.])(?:(?:\+|00)?1[-. ]?)?\(?\d{3}\)?[-. ]?\d{3}[-. ]?\d{4} ?(?:x|ext\.? ?)\d{1,6}\b/gi,
  /** A number of any country with a label behind it, as in a letter's foot: "9885 1152 office". */
  labeled: /(?<![\w.,$€£+/ -])\(?\d[\d ()-]{4,16}\d(?=[- ]\(?(?:office|fax|mobile|cell|landline)\b(?! ?\p{L}))/giu
} as const

/** Phone numbers in forms that are written only. All others: PhoneNumbers.ts. */
export const writtenPhoneNumbers: Recognizer = ({ call: { text } }) => [
  ...byPattern(text, patterns.extended, (value, start) =>
    candidate(
      "phone_number",
      text[start - 1] === "+" ? start - 1 : start,
      start + value.length,
      0.9,
      "given as 3-3-4 with an extension"
    )
  ),
  ...byPattern(text, patterns.labeled, (value, start) => {
    const digits = value.replace(/\D/g, "").length
    return digits >= 6 && digits <= 13
      ? candidate("phone_number", start, start + value.length, 0.75, "named as a phone number")
      : undefined
  })
]
