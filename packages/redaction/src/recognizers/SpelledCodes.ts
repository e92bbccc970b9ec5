import { isApart, speakerAt } from "../CallText.js"
import { isOfThing, mayBeOf, unknownNumber } from "../dialogue/Questions.js"
import { wordSet } from "../Lexicon.js"
import type { Run } from "../SpokenNumbers.js"
import type { Candidate } from "../TextSpan.js"
import { codeStretches, type Stretch } from "./answers/Stretches.js"
import type { CallReader, Recognizer } from "./CallReader.js"

/** Letters and figures of a turn that are said one by one. */
interface Spelled extends Stretch {
  /** How many of them there are. */
  readonly units: number
  readonly digits: number
}

/** Fewest figures of a code that is spelled. */
const LEAST_UNITS = 4

/** Fewest letters and figures, and fewest figures, of one with letters in it. */
const LEAST_MIXED = 5
const LEAST_MIXED_DIGITS = 2

/** Most tokens between a code and words that tell it is nobody's. */
const REACH = 12

/** Fewest letters and figures of a code that is no model of a thing, with an article before it. */
const LONG = 7

/** Most turns from one part of a code to the next, and most parts. */
const PART_TURNS = 2
const MAX_PARTS = 12

/** What is said of a key or a letter, around it. */
const signs = wordSet("hash star pound asterisk capital upper lower uppercase lowercase")

const isUnit = (reader: CallReader, at: number): boolean =>
  /^[dxoL]$/.test(reader.cls(at)) || (reader.cls(at) === "N" && reader.written(at).length === 1)

/** Fewest numbers of two figures that are a code together. */
const LEAST_PAIRS = 3

/** "twenty eighty four fifty one": a turn that is nothing but figures in pairs; "ten twenty thirty" counts. */
const isInPairs = (reader: CallReader, run: Run): boolean => {
  const { from, to } = reader.dialogue.turns[reader.turn(run.from)] ?? { from: 0, to: 0 }
  let pairs = 0
  let isRound = true
  for (const { chars, spoken } of run.pieces) {
    if (!spoken || !/^\d\d?$/.test(chars)) return false
    if (chars.length === 2) pairs++
    isRound &&= chars.endsWith("0")
  }
  return pairs >= LEAST_PAIRS && !isRound && run.from === from && run.to === to
}

const spelledOf = (reader: CallReader, one: Stretch): Spelled => {
  let units = 0
  let digits = 0
  for (let at = one.from; at < one.to; at++) {
    const run = reader.runFrom(at)
    if (run !== undefined && run.to <= one.to) {
      const isPaired = isInPairs(reader, run)
      for (const { chars, from, to } of run.pieces) {
        // "double seven" is spelled, "nineteen eighty five" is not.
        if (chars.length === 1) units++
        else if (isPaired) units += chars.length
        else units += to - from > 1 && /^(.)\1+$/.test(chars) ? chars.length : -1
      }
      digits += run.digits
      at = run.to - 1
    } else if (isUnit(reader, at)) {
      units++
      if (reader.cls(at) !== "L") digits++
    }
  }
  return { ...one, units, digits }
}

const isCode = (parts: ReadonlyArray<Spelled>): boolean => {
  const sum = (count: (one: Spelled) => number): number => parts.reduce((total, one) => total + count(one), 0)
  if (sum((one) => one.chars.length) > unknownNumber.max) return false
  const units = sum((one) => one.units)
  const digits = sum((one) => one.digits)
  return (units >= LEAST_UNITS && digits >= units) || (units >= LEAST_MIXED && digits >= LEAST_MIXED_DIGITS)
}

/** Whether a part goes on with those before it: its speaker said nothing else, and the other side asked for nothing. */
const goesOn = (reader: CallReader, parts: ReadonlyArray<Spelled>, next: Spelled): boolean => {
  const last = parts[parts.length - 1]
  if (last === undefined || parts.length >= MAX_PARTS || next.turn - last.turn > PART_TURNS) return false
  if (speakerAt(reader.call, last.from) !== speakerAt(reader.call, next.from)) return false
  if (isApart(reader.call, last.from, next.from)) return false
  for (let turn = last.turn + 1; turn < next.turn; turn++) if (reader.dialogue.breaks[turn] === 1) return false
  return true
}

/** Whether the words before a code, or the turn before it, tell that it is nobody's: of an order, a device, an amount. */
const isOfNobody = (reader: CallReader, parts: ReadonlyArray<Spelled>): boolean => {
  const [first] = parts
  const last = parts[parts.length - 1]
  if (first === undefined || last === undefined) return false
  const digits = parts.map(({ chars }) => chars.replace(/\D/g, "")).join("")
  // "an s m s four six": the model of a thing
  if (/^an?$/.test(reader.word(first.from - 1)) && first.chars.length < LONG) return true
  if (/^(\d)\1*$/.test(digits) || "0123456789".includes(digits)) return true
  const length = parts.reduce((sum, { chars }) => sum + chars.length, 0)
  const nearest = reader.nearestCue(first.from, last.to, (cue) => cue.field !== "nothing" || length <= cue.max)
  if (nearest?.cue.field === "nothing" && nearest.distance <= REACH) return true
  let from = first.from
  while (from > 0 && reader.turn(from - 1) >= first.turn - 1 && first.from - from < 3 * REACH) from--
  return isOfThing(reader.all, from, first.from)
}

const candidatesOf = (reader: CallReader, parts: ReadonlyArray<Spelled>): ReadonlyArray<Candidate> => {
  if (!isCode(parts) || isOfNobody(reader, parts)) return []
  const chars = parts.map((one) => one.chars).join("")
  // A number as long as that of a card, or longer by what was corrected in it, is hardly another one.
  const isOfCard = /^\d+$/.test(chars) && (CARD.test(chars) || reader.isNearCard(parts[0]?.turn ?? 0))
  const fields = [unknownNumber.field, ...unknownNumber.also, "password" as const].filter(
    (field) =>
      (mayBeOf(field, chars) && (field !== "ssn" || chars.length === SSN_LENGTH)) ||
      (field === "credit_card" && isOfCard)
  )
  return parts.flatMap((one) => {
    let { from, to } = one
    while (signs.has(reader.word(from - 1)) && reader.turn(from - 1) === one.turn) from--
    while (signs.has(reader.word(to)) && reader.turn(to) === one.turn) to++
    const read = reader.candidate(unknownNumber.field, from, to, SCORE, "a code that is spelled")
    return fields.map((field, at) => ({ ...read, field, isGuess: true, isAlso: at > 0 }))
  })
}

const CARD = /^[3-6]\d{14,19}$/
const SCORE = 0.5
const SSN_LENGTH = 9

/** Turns with a run of at least two letters and figures that are said one by one. */
const turnsWithUnits = (reader: CallReader): ReadonlySet<number> => {
  const turns = new Set<number>()
  for (const run of reader.runs) {
    let units = 0
    for (const { chars, from, to } of run.pieces) if (chars.length === 1 || to - from > 1) units++
    if (units > 1 || (run.pieces.length >= LEAST_PAIRS && isInPairs(reader, run))) turns.add(reader.turn(run.from))
  }
  return turns
}

/** Codes that are spelled figure by figure, and that nothing tells to be nobody's, whatever names them. */
export const spelledCodes: Recognizer = (reader) => {
  const found: Array<Candidate> = []
  let parts: Array<Spelled> = []
  for (const turn of turnsWithUnits(reader)) {
    const { from, to } = reader.dialogue.turns[turn] ?? { from: 0, to: 0 }
    for (const stretch of codeStretches(reader, { turn, from, to, end: to, byAsker: false }, true, false)) {
      const one = spelledOf(reader, stretch)
      if (one.units < 2) continue
      if (!goesOn(reader, parts, one)) {
        found.push(...candidatesOf(reader, parts))
        parts = []
      }
      parts.push(one)
    }
  }
  found.push(...candidatesOf(reader, parts))
  return found
}
