import type { CallText } from "../CallText.js"
import type { Candidate } from "../TextSpan.js"
import { tokenAt } from "../Tokens.js"

/**
 * By recognizer, how likely a token has to be part of a value at least for what it makes of the phrases around it to count.
 * Recognizers of forms and lists, of people, ages and numbers are not among them: what they find, a phrase or a form names.
 */
const LEAST: ReadonlyMap<string, number> = new Map([
  ["secrets", 0.03],
  ["answers", 0.01],
  ["money", 0.01],
  ["spelledCodes", 0.01],
  ["clockTimes", 0.01]
])

/** What any word may be an answer for. */
const OF_ANY_WORD: ReadonlySet<string> = new Set(["username", "password", "origin"])

/**
 * Leaves out what only a question, a currency or a manner of speaking makes a value though the tagger of calls is sure that
 * it is none. What has the form of a value, or is named by a phrase, stays one.
 */
export const withoutUnlikely = (
  { tokens }: CallText,
  candidates: ReadonlyArray<Candidate>,
  values: Float64Array
): ReadonlyArray<Candidate> => {
  if (values.length === 0) return candidates
  return candidates.filter((one) => {
    const least = LEAST.get(one.recognizer ?? "")
    if (one.field === "nothing" || least === undefined || OF_ANY_WORD.has(one.field)) return true
    if (one.isNamed === true || one.byCue === true) return true
    for (let at = tokenAt(tokens, one.start); (tokens.all[at]?.start ?? Infinity) < one.end; at++)
      if (!((values[at] ?? Number.NaN) < least)) return true
    return false
  })
}
