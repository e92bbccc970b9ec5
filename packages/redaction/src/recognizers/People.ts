import { functionWords, wordSet } from "../Lexicon.js"
import type { Candidate } from "../TextSpan.js"
import { spelledStretches } from "./answers/Stretches.js"
import type { CallReader, Recognizer } from "./CallReader.js"
import { calledName, introduction, introductionEnd } from "./IntroducedNames.js"
import { NameReader, type NameRule } from "./NameReading.js"
import { spelledNames } from "./SpelledNames.js"
import { streetEndings } from "./Streets.js"
import { titledNameRules } from "./TitledNames.js"
import { wordNames } from "../WordLists.js"

const introducers = wordSet("speaking calling")

/** "Maria speaking", "Tom Lee calling from ..." */
const speakingName: NameRule = (names, at, found) => {
  const { reader } = names
  const word = reader.word(at)
  if (!introducers.has(word)) return undefined
  if (!reader.endsAt(at + 1, /^[.,!?n]$/) && !/^(from|how)$/.test(reader.word(at + 1))) return undefined
  let first = at
  while (
    at - first < 3 &&
    names.isNameLike(first - 1, names.isCapital(first - 1)) &&
    reader.word(first - 1) !== "calling"
  )
    first--
  if (first < at) found.push(names.candidate("person_name", first, at, 0.7, `before "${word}"`))
  return undefined
}

const personLead =
  /\b(ask|asking|asked|speak|spoke|speaking|talk|talked|talking|calling|attention|looking|name|deal|dealing|work)\b/

/** "ask for bill or sunny": behind a name that somebody asks for and "or", a first name is one though it is a word. */
const otherName: NameRule = (names, at, found) => {
  const { reader } = names
  const word = reader.word(at)
  if ((word !== "or" && word !== "and") || !names.areFirstNames(at - 1, at) || !names.areFirstNames(at + 1, at + 2))
    return undefined
  const isAsked =
    /^(for|to|with|is|by|from)$/.test(reader.word(at - 2)) && personLead.test(reader.phrase(at - 4, at - 2))
  // "we work with rose and violet paint"
  const isName = reader.endsAt(at + 2, /^[.,!?;n]$/) || functionWords.has(reader.word(at + 2))
  if (!isAsked || !isName || functionWords.has(reader.word(at + 1))) return undefined
  found.push(names.candidate("person_name", at - 1, at, 0.66, "beside another name"))
  found.push(names.candidate("person_name", at + 1, at + 2, 0.66, "beside another name"))
  return undefined
}

/** "name olu surname adebayo": names by their labels alone. */
const labeledName: NameRule = (names, at, found) => {
  const { reader } = names
  if (reader.word(at) !== "name" || !/^(surname|last|family|second)$/.test(reader.word(at + 2))) return undefined
  if (reader.cls(at + 1) !== "w" || functionWords.has(reader.word(at + 1))) return undefined
  // "name tag surname sticker"
  if (names.isWord(names.bare(at + 1)) && !names.areFirstNames(at + 1, at + 2)) return undefined
  found.push(names.candidate("person_name", at + 1, at + 2, 0.75, 'between "name" and "surname"'))
  return undefined
}

/** Whether a turn, or what a greeting opens, begins with two capitalized words that are in no dictionary. */
const areUnknownNames = (names: NameReader, at: number): boolean => {
  const { reader } = names
  const isUnknown = (word: number): boolean =>
    reader.cls(word) === "w" &&
    /^\p{Lu}\p{Ll}+$/u.test(reader.written(word)) &&
    !names.isWord(names.bare(word)) &&
    !reader.isIn("places", names.bare(word))
  return (
    isUnknown(at) &&
    isUnknown(at + 1) &&
    (reader.turn(at - 1) !== reader.turn(at) || reader.endsAt(at - 1, /^[.,!?n]$/))
  )
}

/** "Tom Lee here" */
const presentName: NameRule = (names, at, found) => {
  const { reader } = names
  if (reader.word(at) !== "here" || /^(is|was)$/.test(reader.word(at - 3))) return undefined
  if (names.isFullName(at - 2) || areUnknownNames(names, at - 2))
    found.push(names.candidate("person_name", at - 2, at, 0.72, 'before "here"'))
  return undefined
}

/** "Quimbla Zorvetti, phone 415-555-2671": a name that nothing introduces, at the beginning of a turn. */
const openingName: NameRule = (names, at, found) => {
  const { reader } = names
  const isFirst = at === 0 || reader.turn(at - 1) !== reader.turn(at) || reader.cls(at - 1) === "n"
  if (isFirst && areUnknownNames(names, at) && reader.endsAt(at + 2, /^[.,?!n;:]$/))
    found.push(names.candidate("person_name", at, at + 2, 0.6, "opens the turn"))
  return undefined
}

const spellers = wordSet("spelled spell spelling spells spelt")

/** Most tokens of a name that is spelled. */
const SPELLING_REACH = 40

const spelledOut: NameRule = ({ reader }, at, found) => {
  const word = reader.word(at)
  if (!spellers.has(word)) return undefined
  found.push(...spelledNames(reader, at + 1, word))
  const turn = reader.turn(at)
  let to = at + 1
  while (to - at < SPELLING_REACH && reader.exists(to) && reader.turn(to) === turn && reader.cls(to) !== "n") to++
  const letters = spelledStretches(reader, { turn, from: at + 1, to, end: to, byAsker: false })
  const [first] = letters
  if (first !== undefined && (first.to - first.from > 1 || letters.length > 1))
    for (const one of letters)
      found.push(reader.candidate("person_name", one.from, one.to, 0.84, `spelled after "${word}"`))
  return undefined
}

/** Most letters of an acronym that is said letter by letter. */
const ACRONYM = 4

/** "o k o n k w o" anywhere: more letters one by one than an acronym has, without figures. */
const spelledAnywhere: NameRule = ({ reader }, at, found) => {
  const run = reader.runFrom(at)
  if (run === undefined || run.digits > 0 || reader.runTo(at) !== undefined) return undefined
  const single = run.pieces.filter((piece) => piece.chars.length === 1).length
  if (single > ACRONYM && single === run.pieces.length && !/^(HTTPS?|WWW)/.test(run.chars))
    found.push(reader.candidate("person_name", run.from, run.to, 0.56, "spelled letter by letter"))
  return undefined
}

/** What stands before a word that names no person. */
const BEFORE_THING = /^(?:the|an?|these|those|some)$/
/** Most tokens of a turn in which an article tells a thing from a name; prose says "the anna keller version". */
const SHORT_TURN = 14

const isThing = (reader: CallReader, at: number): boolean => {
  const { from, to } = reader.dialogue.turns[reader.turn(at)] ?? { from: 0, to: Infinity }
  return to - from <= SHORT_TURN && BEFORE_THING.test(reader.word(at - 1))
}

const COUNT = /^[dtyzN]$/

/**
 * "thanks bartholomew", "the driver sanjay": in speech without capitals, a name that is no English word and no place is one
 * wherever it stands. A second one behind it belongs to it.
 */
const listedName: NameRule = (names, at, found) => {
  if (!names.isOnlyName(at) || wordNames.has(names.bare(at)) || (names.isCased(at) && !names.isCapital(at)))
    return undefined
  // "a ray of light"
  if (/^an?$/.test(names.reader.word(at - 1)) && names.reader.cls(at + 1) === "f" && !names.isCapital(at))
    return undefined
  // "the matt one", "two cokes": a thing, or how many of it
  const isCounted = COUNT.test(names.reader.cls(at - 1)) && names.bare(at).endsWith("s")
  if (!names.isCapital(at) && (isCounted || isThing(names.reader, at))) return undefined
  // "the left lane", "what's the ip"
  if (streetEndings.has(names.bare(at)) || names.reader.isInCue(at)) return undefined
  found.push(names.candidate("person_name", at, names.isOnlyName(at + 1) ? at + 2 : at + 1, 0.52, "listed name"))
  return undefined
}

const personVerbs = wordSet(
  `called said asked wants wanted wrote rang emailed texted complained replied told lives prefers owes thinks says phoned mentioned signed
 requested insisted apologized`
)

/** "Ragnhild called": at the beginning of a sentence, a word that no dictionary has and that does what people do. */
const actingName: NameRule = (names, at, found) => {
  const { reader } = names
  if (!personVerbs.has(reader.word(at)) || !names.isCapital(at - 1)) return undefined
  if (reader.cls(at - 1) === "w" && !names.isWord(names.bare(at - 1)) && reader.endsAt(at - 2, /^[.?!n:]$/))
    found.push(names.candidate("person_name", at - 1, at, 0.6, `before "${reader.word(at)}"`))
  return undefined
}

/** "bryan with a y": a word and how it is spelled. */
const explainedName: NameRule = (names, at, found) => {
  const { reader } = names
  const isLetter = reader.word(at) === "with" && /^an?$/.test(reader.word(at + 1)) && reader.cls(at + 2) === "L"
  if (isLetter && reader.cls(at - 1) === "w" && !names.isCommon(names.bare(at - 1)))
    found.push(names.candidate("person_name", at - 1, at, 0.7, "explained by a letter"))
  return undefined
}

/** Shapes that only surnames have. */
const SURNAME = /^(?:[OD]['’]\p{Lu}|Ma?c\p{Lu}|Fitz\p{Lu})\p{Ll}{2,}/u
const SURNAME_STARTS = "ODMFo"
const SHORTEST_SURNAME = 5
const SURNAME_IN_LOWER_CASE = /^o['’]\p{Ll}{4,}$/u

/** "O'Shaughnessy called", "mcgillicuddy" is left to the lists. */
const shapedName: NameRule = (names, at, found) => {
  const { reader } = names
  const text = reader.written(at)
  if (text.length < SHORTEST_SURNAME || !SURNAME_STARTS.includes(text[0] ?? "")) return undefined
  const isShaped = SURNAME.test(text) || (SURNAME_IN_LOWER_CASE.test(text) && reader.cls(at) === "w")
  if (isShaped) found.push(names.candidate("person_name", at, at + 1, 0.62, "a surname's shape"))
  return undefined
}

/** "dubey d u b e y": a word and its own letters. */
const spelledBehind: NameRule = (names, at, found) => {
  const { reader } = names
  const run = reader.cls(at) === "w" ? reader.runFrom(reader.word(at + 1) === "," ? at + 2 : at + 1) : undefined
  if (run === undefined || run.digits > 0 || run.chars.length < 3) return undefined
  if (!names.bare(at).toUpperCase().startsWith(run.chars) || functionWords.has(reader.word(at))) return undefined
  found.push(names.candidate("person_name", at, at + 1, 0.8, "word that is spelled"))
  found.push(reader.candidate("person_name", run.from, run.to, 0.8, "spelling of a word"))
  return undefined
}

const rules: ReadonlyArray<NameRule> = [
  ...titledNameRules,
  calledName,
  introduction,
  speakingName,
  presentName,
  otherName,
  labeledName,
  openingName,
  listedName,
  shapedName,
  actingName,
  explainedName,
  spelledBehind,
  spelledOut,
  spelledAnywhere
]

/** People by what introduces them: "my name is", titles, roles, a question for a name and its answer, spelling. */
export const people: Recognizer = (reader) => {
  const names = new NameReader(reader)
  const found: Array<Candidate> = []
  for (let at = 0; at < reader.all.length;) {
    let next: number | undefined
    const cls = reader.cls(at)
    if (cls !== "P" && cls !== "n") {
      for (const rule of rules) {
        next = rule(names, at, found)
        if (next !== undefined) break
      }
      next ??= introductionEnd(names, at)
    }
    at = next ?? at + 1
  }
  return found
}
