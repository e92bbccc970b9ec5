import type { CallText } from "../CallText.js"
import { wordSet } from "../Lexicon.js"
import type { Candidate } from "../TextSpan.js"
import { type Token, tokenAt } from "../Tokens.js"
import { UNREAD } from "./CallTagger.js"

/** What a recognizer finds of some fields, or of all but some. */
interface Doubtful {
  /** How likely a token has to be part of a value at least for what the recognizer finds to count. */
  readonly least: number
  readonly only?: ReadonlySet<string>
  readonly except?: ReadonlySet<string>
  /** Only what has a score below this. */
  readonly below?: number
  /** Whether it counts only in turns that are read, not in those near placeholders. */
  readonly needsReading?: boolean
}

/**
 * By recognizer, what counts only where the tagger of calls does not rule it out. Recognizers of forms and lists, of people,
 * descriptions, secrets, ages and numbers are not among them: what they find, a phrase or a form names.
 */
const DOUBTFUL: ReadonlyMap<string, Doubtful> = new Map<string, Doubtful>([
  ["money", { least: 0.2, needsReading: true }],
  ["tagger", { least: 0.1, only: new Set(["person_name", "location", "time"]) }],
  // Any word may be a user name or a password, and few words that are an origin are nothing else.
  ["answers", { least: 0.03, except: new Set(["username", "password", "origin"]) }],
  // Names that a list alone tells.
  ["people", { least: 0.05, below: 0.55, needsReading: true }],
  ["clockTimes", { least: 0.08, needsReading: true }],
  ["monthsAndYears", { least: 0.05 }],
  ["spelledCodes", { least: 0.03 }]
])

/** Who has, does or pays something: an amount or an hour behind one of them in a sentence may be somebody's. */
const PERSONS = wordSet("i i'm i've i'd i'll me my he he's him his she she's her")
/** How many tokens before a value they are looked for. */
const NEAR = 6
const SENTENCE_END = /^[.?!;n]$/
/** What `least` is multiplied by there. */
const OF_PERSON = 0.2

const isOfPerson = (all: ReadonlyArray<Token>, from: number): boolean => {
  for (let at = from - 1; at >= from - NEAR; at--) {
    const token = all[at]
    if (token === undefined || SENTENCE_END.test(token.cls)) return false
    if (PERSONS.has(token.lower)) return true
  }
  return false
}

/** What of a recognizer is doubtful, if a candidate is among it. */
const doubtfulOf = ({ byCue, field, isNamed, recognizer = "", score }: Candidate): Doubtful | undefined => {
  const doubtful = DOUBTFUL.get(recognizer)
  if (doubtful === undefined || field === "nothing" || isNamed === true || byCue === true) return undefined
  const { below = Infinity, except, only } = doubtful
  return score >= below || except?.has(field) === true || only?.has(field) === false ? undefined : doubtful
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
    const doubtful = doubtfulOf(one)
    if (doubtful === undefined) return true
    const from = tokenAt(tokens, one.start)
    const least = isOfPerson(tokens.all, from) ? doubtful.least * OF_PERSON : doubtful.least
    for (let at = from; (tokens.all[at]?.start ?? Infinity) < one.end; at++) {
      const value = values[at] ?? Number.NaN
      const counts = value === UNREAD ? doubtful.needsReading !== true : !(value < least)
      if (counts) return true
    }
    return false
  })
}
