/** Values that one side reads back, and the other corrects or goes on with. */
import { isApart, speakerAt } from "../../CallText.js"
import { lastCueBefore } from "../../Cues.js"
import { anyPart } from "../../dialogue/Dialogue.js"
import type { Reading } from "../../dialogue/Questions.js"
import { wordSet } from "../../Lexicon.js"
import type { SensitiveField } from "../../SensitiveField.js"
import type { Candidate } from "../../TextSpan.js"
import { tokenAt } from "../../Tokens.js"
import type { CallReader } from "../CallReader.js"
import { inExchange } from "./InExchange.js"

/** How a value is read that corrects one of a field. */
const readingsOfFields: Readonly<Partial<Record<SensitiveField, Reading>>> = {
  person_name: "name",
  medical_professional: "name",
  location: "place",
  email_address: "email",
  time: "time",
  date: "date",
  dob: "date",
  age: "number",
  money: "money",
  physical_attribute: "measure"
}

const corrects = wordSet("no nope nah actually wait close almost sorry negative not")

/** Most tokens of a turn that corrects a value. */
const MAX_CORRECTION = 16

/**
 * What corrects a value that the other side has just said: "so two pm" - "no two forty five". `found` are the values
 * themselves.
 */
export const corrections = (reader: CallReader, found: ReadonlyArray<Candidate>): ReadonlyArray<Candidate> => {
  const { call } = reader
  const seen = new Set<string>()
  return found.flatMap((one) => {
    const { everyday, field, score } = one
    if (field === "nothing" || everyday === true || score < CORRECTED) return []
    const reads = readingsOfFields[field]
    const last = tokenAt(call.tokens, one.end - 1)
    const turn = reader.turn(last)
    const key = `${turn} ${field}`
    if (reads === undefined || seen.has(key)) return []
    seen.add(key)
    let from = last
    while (from < reader.all.length && reader.turn(from) === turn) from++
    if (!corrects.has(reader.word(from)) || isApart(call, from, last)) return []
    if (speakerAt(call, from) === speakerAt(call, last)) return []
    let to = from
    while (to < reader.all.length && reader.turn(to) === turn + 1 && reader.cls(to) !== "n") to++
    if (to - from > MAX_CORRECTION) return []
    const asked = { field, reads, min: 1, max: 34, phrase: "read back", isWeak: false, from: last, to: last }
    const place = { turn: turn + 1, from: from + 1, to, end: to, byAsker: false }
    return inExchange(reader, { asked: [asked], answers: [place] })
  })
}

const goesOnWith = wordSet("right yes yeah yep correct and then okay")

/** Fewest figures of a number that one side reads back. */
const MIN_READ_BACK = 3

/** Whether a number repeats, and goes on with, the last figures of another: "... oh one four" - "oh one four six". */
const sharesEnd = (first: string, next: string): boolean =>
  next.length > MIN_READ_BACK && first.endsWith(next.slice(0, MIN_READ_BACK))

/** Whether a harmless number was named in the turn of a number or the one before: "your order is ..." */
const isOfHarmless = ({ call, cues }: CallReader, { from }: { readonly from: number }): boolean => {
  const turn = call.turnOf[from] ?? 0
  for (let at = lastCueBefore(cues, from); at >= 0; at--) {
    const cue = cues[at]
    if (cue === undefined || (call.turnOf[cue.from] ?? 0) < turn - 1) return false
    if (cue.field === "nothing") return true
  }
  return false
}

/**
 * Numbers that correct or go on with one that the other side has read back without saying of what: "so that was two three one
 * forty four" - "right and then nine eight oh seven".
 */
export const readBacks = (reader: CallReader): ReadonlyArray<Candidate> => {
  const { call, runs } = reader
  return runs.flatMap((run, at) => {
    const next = runs[at + 1]
    if (next === undefined || run.digits < MIN_READ_BACK || reader.turn(next.from) !== reader.turn(run.from) + 1)
      return []
    const turn = reader.turn(next.from)
    let from = next.from
    while (from > 0 && reader.turn(from - 1) === turn && reader.cls(from - 1) !== "n") from--
    const opens =
      corrects.has(reader.word(from)) || goesOnWith.has(reader.word(from)) || sharesEnd(run.chars, next.chars)
    // "nope still five oh one" corrects nothing.
    const isUnchanged = reader.word(next.from - 1) === "still"
    if (!opens || isUnchanged || next.from - from > MAX_LEAD || speakerAt(call, from) === speakerAt(call, run.from))
      return []
    if (isOfHarmless(reader, next)) return []
    let to = next.to
    while (to < reader.all.length && reader.turn(to) === turn && reader.cls(to) !== "n") to++
    if (isApart(call, from, run.from) || to - from > MAX_CORRECTION) return []
    return inExchange(reader, { asked: anyPart, answers: [{ turn, from, to, end: to, byAsker: false }] })
  })
}

/** Most tokens before the number that corrects one. */
const MAX_LEAD = 5

/** Least score of a value of which a correction is looked for. */
const CORRECTED = 0.6
