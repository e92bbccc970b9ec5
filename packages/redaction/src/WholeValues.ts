import { functionWords, wordSet } from "./Lexicon.js"
import type { CallReader } from "./recognizers/CallReader.js"
import type { Candidate } from "./TextSpan.js"
import { tokenAt } from "./Tokens.js"
import { nameParticles } from "./WordLists.js"

/** Most letters of the second half of a first name in lower case: "Hyun-woo". */
const SHORT = 5

const isHyphen = (reader: CallReader, at: number): boolean =>
  reader.written(at) === "-" && reader.isTight(at) && reader.isTight(at + 1)

const isName = (reader: CallReader, at: number, field: string): boolean => {
  if (reader.cls(at) !== "w") return false
  if (reader.isCapitalized(at)) return true
  const word = reader.word(at)
  return (
    field === "person_name" && word.length <= SHORT && !reader.isIn("common1", word) && !reader.isIn("common2", word)
  )
}

const SIGN = /^[#*]$/
const signWords = wordSet("star pound hash asterisk")

/** A code with the signs around it that are dialed with it: "4471#", "star four four one nine". */
const withSigns = (reader: CallReader, one: Candidate): Candidate => {
  const { text, tokens } = reader.call
  const isSpoken = /[a-z]/i.test(text.slice(one.start, one.end))
  const before = tokenAt(tokens, one.start) - 1
  const start = isSpoken && signWords.has(reader.word(before)) ? reader.start(before) : one.start
  const next = tokenAt(tokens, one.end - 1) + 1
  const isSignBehind = isSpoken && signWords.has(reader.word(next)) && reader.turn(next) === reader.turn(before + 1)
  const end = SIGN.test(text[one.end] ?? "") ? one.end + 1 : isSignBehind ? reader.end(next + 1) : one.end
  return start === one.start && end === one.end ? one : { ...one, start, end }
}

/** Most initials before a name. */
const MAX_INITIALS = 2

/** "r j mccluskey": a name in lower case with the initials before it. */
const withInitials = (reader: CallReader, one: Candidate): Candidate => {
  const { text, tokens } = reader.call
  if (one.field !== "person_name" || text[one.start - 1] !== " " || text[one.start - 3] !== " ") return one
  let from = tokenAt(tokens, one.start)
  const first = from
  while (first - from < MAX_INITIALS && reader.cls(from - 1) === "L" && reader.word(from - 1) !== "i") from--
  return from === first || reader.runFrom(first) !== undefined ? one : { ...one, start: reader.start(from) }
}

/** What a name stands behind that begins with words which are first names too. */
const INTRODUCES = /^(with|is|name's|names|i'm|this|to|for|it's|am|called|named)$/

/** Most first names that are words. */
const MAX_FIRST_NAMES = 2

/** "speaking with april may hutchins": a name in lower case with the first names before it, though they are words. */
const withFirstNames = (reader: CallReader, one: Candidate): Candidate => {
  const first = tokenAt(reader.call.tokens, one.start)
  let from = first
  while (
    first - from < MAX_FIRST_NAMES &&
    /^[wMm]$/.test(reader.cls(from - 1)) &&
    (reader.cls(from - 1) === "m" || !functionWords.has(reader.word(from - 1))) &&
    reader.isIn("firstNames", reader.word(from - 1))
  )
    from--
  return from < first && INTRODUCES.test(reader.word(from - 1)) ? { ...one, start: reader.start(from) } : one
}

/** "fourteen not forty four maple street": a value with the number that it corrects. */
const withCorrected = (reader: CallReader, one: Candidate): Candidate => {
  const from = tokenAt(reader.call.tokens, one.start)
  if (!/^[dtyzN]$/.test(reader.cls(from)) || !/^(not|sorry|no)$/.test(reader.word(from - 1))) return one
  const run = reader.runTo(from - 1)
  // "order two not 3 pm": said in words and written, they are two things.
  const isAlike = run?.spoken === (reader.cls(from) !== "N")
  return run === undefined || !isAlike || reader.turn(run.from) !== reader.turn(from)
    ? one
    : { ...one, start: reader.start(run.from) }
}

/** "four fifteen": minutes that were read as a time, with their hour. */
const withHour = (reader: CallReader, one: Candidate): Candidate => {
  const at = tokenAt(reader.call.tokens, one.start)
  const hour = reader.value(at - 1)
  const isHour = /^[dt]$/.test(reader.cls(at - 1)) && hour >= 1 && hour <= 12 && !/^[dtyz]$/.test(reader.cls(at - 2))
  return isHour && /^[tyz]$/.test(reader.cls(at)) && reader.turn(at - 1) === reader.turn(at)
    ? { ...one, start: reader.start(at - 1) }
    : one
}

const DIRECTION = /^(north|south|east|west|northeast|northwest|southeast|southwest)$/

/** Most figures of a number in a street. */
const MAX_STREET_NUMBER = 5

/** "six eleven east main": a street that begins with a direction, with its number. */
const withStreetNumber = (reader: CallReader, one: Candidate): Candidate => {
  const from = tokenAt(reader.call.tokens, one.start)
  const run = DIRECTION.test(reader.word(from)) ? reader.runTo(from) : undefined
  return run !== undefined && run.digits > 0 && run.chars.length <= MAX_STREET_NUMBER
    ? { ...one, start: reader.start(run.from) }
    : one
}

/** A name or a place with the other halves of it that hyphens tie to it: all of "Adebayo-Clarke" where one half was found. */
const withHyphens = (reader: CallReader, one: Candidate): Candidate => {
  if (one.field !== "person_name" && one.field !== "location") return one
  const { text, tokens } = reader.call
  const isInitial = one.field === "person_name" && /^[A-Z]\. $/.test(text.slice(Math.max(0, one.start - 3), one.start))
  if (isInitial) return withHyphens(reader, { ...one, start: one.start - 3 })
  if (one.field === "person_name") {
    // "Jacqueline du Preez"
    const next = tokenAt(tokens, one.end - 1) + 1
    const isParticle = nameParticles.has(reader.word(next)) && reader.written(next) === reader.word(next)
    if (isParticle && reader.isCapitalized(next + 1) && reader.cls(next + 1) === "w")
      return withHyphens(reader, { ...one, end: reader.end(next + 2) })
  }
  if (text[one.end] !== "-" && text[one.start - 1] !== "-") return one
  let from = tokenAt(tokens, one.start)
  let to = tokenAt(tokens, one.end - 1) + 1
  while (isHyphen(reader, to) && isName(reader, to + 1, one.field)) to += 2
  while (isHyphen(reader, from - 1) && reader.cls(from - 2) === "w" && reader.isCapitalized(from - 2)) from -= 2
  return { ...one, start: Math.min(one.start, reader.start(from)), end: Math.max(one.end, reader.end(to)) }
}

const PERIOD_OF = /^(?:last|next|this)$/
const PERIOD = /^(?:month|week|year)$/

/** "the twenty sixth of last month" */
const withPeriod = (reader: CallReader, one: Candidate): Candidate => {
  const next = tokenAt(reader.call.tokens, one.end - 1) + 1
  const at = /^(?:of|in)$/.test(reader.word(next)) ? next + 1 : next
  return PERIOD_OF.test(reader.word(at)) && PERIOD.test(reader.word(at + 1)) ? { ...one, end: reader.end(at + 2) } : one
}

/** A value with one kind of rest of it, where it has one. */
type Rest = (reader: CallReader, one: Candidate) => Candidate

/** What may belong to a value of a field, in the order that it is looked for. */
const rests: ReadonlyMap<string, ReadonlyArray<Rest>> = new Map<string, ReadonlyArray<Rest>>([
  ["person_name", [withInitials, withFirstNames, withHyphens]],
  ["location", [withStreetNumber, withHyphens, withCorrected]],
  ["time", [withHour, withCorrected]],
  ["date", [withPeriod, withCorrected]],
  ...["age", "dob", "money"].map((field) => [field, [withCorrected]] as const)
])

/** What was proposed with the rest of its value: signs of a code, other halves of a name. */
export const wholeValue = (reader: CallReader, one: Candidate): Candidate =>
  one.field === "password"
    ? withSigns(reader, one)
    : (rests.get(one.field) ?? []).reduce((whole, withRest) => withRest(reader, whole), one)
