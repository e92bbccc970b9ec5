import { isApart } from "../CallText.js"
import { type Cue, lastCueBefore } from "../Cues.js"
import { wordSet } from "../Lexicon.js"
import type { Candidate } from "../TextSpan.js"
import type { CallReader } from "./CallReader.js"

export const dayPrepositions = wordSet("on by until till before after from since due for through thru to between")

export const clockFollowers = wordSet(
  "on in for today tomorrow tonight or and please sharp this every because so but if then to until with next is would works was if thanks i we my at am pm each would between from around about"
)

export const isDay = (value: number): boolean => value >= 1 && value <= 31

/** Most tokens between a cue such as "born" and the date of birth. */
export const BIRTH_REACH = 14

/** Most tokens between "expires" and the date. */
const EXPIRY_REACH = 8

/** Most tokens between a card number and its expiry date. */
const CARD_REACH = 120

/** The evidence that a date is one of birth, or undefined. */
export const birthEvidence = (reader: CallReader, from: number, to: number): string | undefined => {
  const weighed = reader.nearestCue(from, to, (cue) => cue.field === "dob" || cue.kind === "expiry")
  return weighed?.cue.field === "dob" && weighed.distance <= BIRTH_REACH ? `cue "${weighed.cue.phrase}"` : undefined
}

const mayExpire = (cue: Cue): boolean =>
  cue.kind === "expiry" || cue.field === "dob" || cue.field === "passport_number" || cue.field === "driver_license"

const isCard = (cue: Cue): boolean => cue.field === "credit_card" && cue.kind !== "expiry"

/** Whether a date is the expiry of a payment card. */
export const isCardExpiry = (reader: CallReader, from: number, to: number): boolean => {
  const { call, cues } = reader
  const weighed = reader.nearestCue(from, to, mayExpire)
  if (weighed?.cue.kind !== "expiry" || weighed.distance > EXPIRY_REACH) return false
  // The card number itself may stand between the cue of the card and that of the expiry.
  for (let at = lastCueBefore(cues, weighed.cue.from); at >= 0; at--) {
    const cue = cues[at]
    if (cue === undefined || from - cue.to > CARD_REACH || isApart(call, cue.from, from)) break
    if (isCard(cue)) return true
  }
  return reader.nearestCue(from, to, isCard) !== undefined
}

/** The day of the week before a date: "Friday 9 August", "tuesday the ninth", "last wednesday the 12th", "yesterday the 18th". */
export const weekdayBefore = (reader: CallReader, from: number): number | undefined => {
  const hasArticle = reader.word(from - 1) === "the" || reader.word(from) === "the"
  let at = from - 1
  if (reader.word(at) === "the") at--
  if (reader.written(at) === ",") at--
  if (reader.cls(at) === "R") return hasArticle ? at : undefined
  if (reader.cls(at) !== "W") return undefined
  return /^(last|next|this)$/.test(reader.word(at - 1)) ? at - 1 : at
}

/** A date as what its context makes of it: a date of birth, a card's expiry, or a plain date. */
export const dateCandidate = (
  reader: CallReader,
  from: number,
  to: number,
  score: number,
  ...evidence: ReadonlyArray<string>
): Candidate => {
  const weekday = weekdayBefore(reader, from)
  if (weekday !== undefined) from = weekday
  const birth = birthEvidence(reader, from, to)
  if (birth !== undefined) return reader.candidate("dob", from, to, Math.max(0.9, score), ...evidence, birth)
  return isCardExpiry(reader, from, to)
    ? reader.candidate("credit_card", from, to, Math.max(0.92, score), ...evidence, "card expiry")
    : reader.candidate("date", from, to, score, ...evidence)
}
