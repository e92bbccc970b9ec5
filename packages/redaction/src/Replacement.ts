import { createHmac } from "node:crypto"
import { plainTextOf } from "./PlainText.js"
import { runsOf } from "./SpokenNumbers.js"
import { labelOf, type SensitiveField } from "./SensitiveField.js"
import { tokenize } from "./Tokens.js"

/**
 * What stands in a value's place: `label` is `[PHONE_NUMBER]`; `numbered` is `[PHONE_NUMBER_1]`, the same number for the
 * same value within a call; `hashed` is `[PHONE_NUMBER#3fa9c1d20b7e]`, the same for the same value under the same key.
 */
export type ReplacementStyle =
  { readonly style: "label" } | { readonly style: "numbered" } | { readonly style: "hashed"; readonly key: string }

export const byLabel: ReplacementStyle = { style: "label" }

/** One form for a value however it was said: figures for spoken numbers, lower case, no spaces or marks. */
export const canonicalValue = (value: string): string => {
  const tokens = tokenize(plainTextOf(value).text)
  const runs = runsOf(tokens)
  let written = ""
  let at = 0
  for (const run of runs) {
    for (; at < run.from; at++) written += tokens.all[at]?.lower ?? ""
    written += run.chars.toLowerCase()
    at = run.to
  }
  for (; at < tokens.all.length; at++) written += tokens.all[at]?.lower ?? ""
  return written.replace(/[^\p{L}\p{N}@]/gu, "")
}

/** Makes the function that writes placeholders for one call; it remembers which values it numbered. */
export const replacer = (style: ReplacementStyle): ((field: SensitiveField, value: string) => string) => {
  switch (style.style) {
    case "label":
      return (field) => `[${labelOf(field)}]`
    case "numbered": {
      const known = new Map<string, number>()
      const counts = new Map<SensitiveField, number>()
      return (field, value) => {
        const key = `${field} ${canonicalValue(value)}`
        let number = known.get(key)
        if (number === undefined) {
          number = (counts.get(field) ?? 0) + 1
          counts.set(field, number)
          known.set(key, number)
        }
        return `[${labelOf(field)}_${number}]`
      }
    }
    case "hashed":
      return (field, value) =>
        `[${labelOf(field)}#${createHmac("sha256", style.key)
          .update(`${field}\0${canonicalValue(value)}`)
          .digest("hex")
          .slice(0, 12)}]`
  }
}
