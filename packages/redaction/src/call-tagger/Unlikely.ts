import type { CallText } from "../CallText.js"
import type { Candidate } from "../TextSpan.js"
import { tokenAt } from "../Tokens.js"
import { UNREAD } from "./CallTagger.js"

/**
 * By recognizer, how likely a token has to be part of a value at least for what the recognizer finds to count. Recognizers of forms
 * are not among them: what has the form of a value stays one.
 */
const LEAST: ReadonlyMap<string, number> = new Map([
  ["answers", 0.02],
  ["descriptions", 0.02],
  ["tagger", 0.1],
  ["people", 0.05],
  ["locations", 0.02],
  ["secrets", 0.02],
  ["ages", 0.05],
  ["money", 0.1],
  ["clockTimes", 0.05],
  ["monthsAndYears", 0.05],
  ["numbers", 0.005],
  ["spelledCodes", 0.02],
  ["repeats", 0.05]
])
/** What `LEAST` is multiplied by where a phrase names the value: "my last name is ...". */
const NAMED = 0.1
/** The score of names from which on more than a list tells them: "my name is", "Mrs". */
const MORE_THAN_LISTED = 0.55
/** Least length of a number that a phrase next to it names for certain, in characters: shorter ones may be talk. */
const NAMED_LENGTH = 4
/** Recognizers that are wrong too often where no tagger rules anything out: what they find in blocks that are not read does not count. */
const NEEDS_READING: ReadonlySet<string> = new Set(["money", "people", "clockTimes"])

/** Leaves out what the tagger of calls is sure is no value, but for what has the form of one. */
export const withoutUnlikely = (
  { tokens }: CallText,
  candidates: ReadonlyArray<Candidate>,
  values: Float64Array
): ReadonlyArray<Candidate> => {
  if (values.length === 0) return candidates
  return candidates.filter(({ byCue, end, field, isGuess, isNamed, recognizer = "", score, start }) => {
    const least = LEAST.get(recognizer)
    // A number is certain by its groups, its check digit or a phrase next to it, and not by a distant phrase or its length.
    const isCertain = byCue === true ? isNamed === true && end - start >= NAMED_LENGTH : isGuess !== true
    if (least === undefined || field === "nothing" || (recognizer === "numbers" && isCertain)) return true
    const isPhrase =
      isNamed === true ||
      (byCue === true && recognizer !== "numbers") ||
      (recognizer === "people" && score >= MORE_THAN_LISTED)
    for (let at = tokenAt(tokens, start); (tokens.all[at]?.start ?? Infinity) < end; at++) {
      const value = values[at] ?? Number.NaN
      const counts =
        value === UNREAD ? isPhrase || !NEEDS_READING.has(recognizer) : !(value < (isPhrase ? least * NAMED : least))
      if (counts) return true
    }
    return false
  })
}
