import { type Candidate, candidate } from "../TextSpan.js"
import { hasIbanShape, isIban } from "../Validators.js"
import { byPattern, type CallReader, type Recognizer } from "./CallReader.js"

export const patterns = {
  iban: /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]){11,30}\b/gi
} as const

/** Fewest letters and digits of an IBAN (Norway's). */
const SHORTEST = 15

/** The IBAN at the start of a match, which may have run on into the next words: its country says how long it is. */
const written = (value: string, start: number): Candidate | undefined => {
  for (let end = value.length; end >= SHORTEST; end--) {
    const bare = value.slice(0, end).replace(/ /g, "")
    if (bare.length < SHORTEST) return undefined
    if (value[end - 1] === " " || !hasIbanShape(bare)) continue
    if (isIban(bare)) return candidate("bank_account", start, start + end, 0.98, "check digits: IBAN")
    return /\d{6}/.test(bare) ? candidate("bank_account", start, start + end, 0.8, "IBAN shape") : undefined
  }
  return undefined
}

/** Given in parts, or spelled. */
const ofRuns = (reader: CallReader): ReadonlyArray<Candidate> =>
  reader.runs.flatMap(({ chars, from, to }) => {
    if (chars.length < SHORTEST || !hasIbanShape(chars)) return []
    return isIban(chars)
      ? [reader.candidate("bank_account", from, to, 0.98, "check digits: IBAN")]
      : [reader.candidate("bank_account", from, to, 0.8, "IBAN shape")]
  })

/** International bank account numbers, by the shape of their country and their check digits. */
export const ibans: Recognizer = (reader) => [...byPattern(reader.call.text, patterns.iban, written), ...ofRuns(reader)]
