import type { CallText } from "../CallText.js"
import type { Candidate } from "../TextSpan.js"
import { tokenAt } from "../Tokens.js"

/** What a recognizer finds of some fields, or of all but some. */
interface Doubtful {
  /** How likely a token has to be part of a value at least for what the recognizer finds to count. */
  readonly least: number
  readonly only?: ReadonlySet<string>
  readonly except?: ReadonlySet<string>
  /** Only what has a score below this. */
  readonly below?: number
}

/**
 * By recognizer, what counts only where the tagger of calls does not rule it out. Recognizers of forms and lists, of people,
 * descriptions, secrets, ages and numbers are not among them: what they find, a phrase or a form names.
 */
const DOUBTFUL: ReadonlyMap<string, Doubtful> = new Map<string, Doubtful>([
  ["money", { least: 0.2 }],
  ["tagger", { least: 0.1, only: new Set(["person_name", "location", "time"]) }],
  // Any word may be a user name or a password, and few words that are an origin are nothing else.
  ["answers", { least: 0.03, except: new Set(["username", "password", "origin"]) }],
  // Names that a list alone tells.
  ["people", { least: 0.05, below: 0.55 }],
  ["clockTimes", { least: 0.08 }],
  ["monthsAndYears", { least: 0.05 }],
  ["spelledCodes", { least: 0.03 }]
])

const leastOf = ({ field, recognizer = "", score }: Candidate): number => {
  const { below = Infinity, except, least = 0, only } = DOUBTFUL.get(recognizer) ?? {}
  return score >= below || except?.has(field) === true || only?.has(field) === false ? 0 : least
}

/**
 * Leaves out what only a question, a currency, a manner of speaking or its sentence makes a value though the tagger of calls is
 * sure that it is none. What has the form of a value, or is named by a phrase, stays one.
 */
export const withoutUnlikely = (
  { tokens }: CallText,
  candidates: ReadonlyArray<Candidate>,
  values: Float64Array
): ReadonlyArray<Candidate> => {
  if (values.length === 0) return candidates
  return candidates.filter((one) => {
    const least = leastOf(one)
    if (one.field === "nothing" || least === 0 || one.isNamed === true || one.byCue === true) return true
    for (let at = tokenAt(tokens, one.start); (tokens.all[at]?.start ?? Infinity) < one.end; at++)
      if (!((values[at] ?? Number.NaN) < least)) return true
    return false
  })
}
