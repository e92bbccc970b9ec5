import type { CallText } from "../CallText.js"
import type { Candidate } from "../TextSpan.js"

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
 * Leaves out what the phrases around it make a value though the tagger of calls is sure that it is none: "would you like
 * the hope collection". What has the form of a value stays one.
 */
export const withoutUnlikely = (
  { tokens: { all } }: CallText,
  candidates: ReadonlyArray<Candidate>,
  values: Float64Array
): ReadonlyArray<Candidate> => {
  if (values.length === 0) return candidates
  return candidates.filter((one) => {
    const least = LEAST.get(one.recognizer ?? "")
    if (one.field === "nothing" || least === undefined || OF_ANY_WORD.has(one.field)) return true
    if (one.isNamed === true || (one.recognizer === "money" && one.byCue === true)) return true
    let at = firstToken(all, one.start)
    for (; at < all.length && (all[at]?.start ?? Infinity) < one.end; at++)
      if (!((values[at] ?? Number.NaN) < least)) return true
    return false
  })
}

/** The first token that ends behind a place. */
const firstToken = (all: CallText["tokens"]["all"], place: number): number => {
  let low = 0
  let high = all.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((all[middle]?.end ?? Infinity) <= place) low = middle + 1
    else high = middle
  }
  return low
}
