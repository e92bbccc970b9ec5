import type { Run } from "../SpokenNumbers.js"
import { wordSet } from "../Lexicon.js"
import type { Candidate } from "../TextSpan.js"
import { atWords, byToken, type CallReader, type Recognizer, type TokenRule } from "./CallReader.js"

const age = (reader: CallReader, from: number, to: number, score: number, why: string): Candidate =>
  reader.candidate("age", from, to, score, why)

/** The last token of the number before a unit at `at`: over a hyphen, and over "and a half". */
const numberBefore = (reader: CallReader, at: number): number => {
  let before = at - 1
  if (reader.written(before) === "-") before--
  if (reader.word(before) === "half" && reader.cls(before - 1) === "a") before -= reader.cls(before - 2) === "&" ? 3 : 2
  return before
}

/** Where the number begins that ends with a token: "twenty five", "twenty - five". */
const numberStart = (reader: CallReader, last: number): number => {
  let from = last
  if (reader.cls(from) === "d" && reader.cls(from - 1) === "y") from--
  if (reader.cls(from) === "d" && reader.written(from - 1) === "-" && reader.cls(from - 2) === "y") from -= 2
  return from
}

/** "45 years old", "a five-year-old", "six months of age", "45 y/o" */
const yearsOld: TokenRule = (reader, at, found) => {
  const word = reader.word(at)
  const isShort = word === "y/o" || word === "yo"
  if (reader.cls(at) !== "u" && !isShort && word !== "y") return undefined
  const next = reader.written(at + 1) === "-" ? at + 2 : at + 1
  const isOf = reader.word(next) === "of" && reader.word(next + 1) === "age"
  const isOld = isOf || /^olds?$/.test(reader.word(next))
  const before = numberBefore(reader, at)
  // "she's only nineteen months"
  const first = numberStart(reader, before)
  const isInfant =
    /^(weeks|months)$/.test(word) &&
    /^[dtyzN]$/.test(reader.cls(before)) &&
    /^(he's|she's|baby's|they're)$/.test(
      reader.word(/^(only|just|about|almost|nearly)$/.test(reader.word(first - 1)) ? first - 2 : first - 1)
    ) &&
    endsAge(reader, at + 1)
  if (isInfant) {
    found.push(age(reader, first, at + 1, 0.7, "months of an infant"))
    return undefined
  }
  if ((!isOld && !isShort) || !/^[zdtyNha]$/.test(reader.cls(before))) return undefined
  found.push(age(reader, numberStart(reader, before), isOf ? next + 2 : isOld ? next + 1 : next, 0.95, "years old"))
  return undefined
}

const endsAge = (reader: CallReader, to: number): boolean =>
  reader.endsAt(to, /^[.,?!;n]$/) ||
  /^(and|now|but|so|today|tomorrow|years|already|this|last|next|or|i|in|on|when|male|female|with|she|he|they|we|who|which|because|come|going|soon|if|as|though|still)$/.test(
    reader.word(to)
  )

const relatives =
  /\b(son|daughter|wife|husband|mother|father|mom|mum|dad|nan|gran|granddad|grandad|brother|partner|niece|nephew|uncle|aunt|auntie|cousin|sister|kid|child|grandson|granddaughter|grandmother|grandma|grandpa|baby|patient|caller|tenant|customer|client|driver|guest|resident|applicant|insured|claimant|boy|girl|he|she|i|am|i'm|oldest|youngest)$/

/** "my son is 12", "she was almost 40" */
const afterVerb = (reader: CallReader, { chars, from, to }: Run, before: string): ReadonlyArray<Candidate> => {
  const weighed = reader.nearestCue(from, to, (cue) => cue.strength > 0)
  if (weighed?.cue.field === "age" && weighed.distance <= 10)
    return [age(reader, from, to, 0.85, `cue "${weighed.cue.phrase}"`)]
  return Number(chars) >= 1 && !/^(at|under|over)$/.test(before) && relatives.test(reader.phrase(from - 4, from - 1))
    ? [age(reader, from, to, 0.6, "a person is ...")]
    : Number(chars) >= 1 && (isNameBefore(reader, from - 2) || isRelativeBefore(reader, from - 2))
      ? [age(reader, from, to, 0.6, "somebody is ...")]
      : []
}

/** "my wife ottavia is seventy one": a name that no list has. */
const isRelativeBefore = (reader: CallReader, verb: number): boolean =>
  reader.cls(verb) === "w" &&
  /^(my|his|her|our)$/.test(reader.word(verb - 2)) &&
  relatives.test(reader.word(verb - 1)) &&
  !reader.isIn("common1", reader.word(verb))

/** "my daughter Saoirse is six", "Rosalind Achebe, is 72": a name behind which an age is said. */
const isNameBefore = (reader: CallReader, verb: number): boolean => {
  const at = reader.written(verb) === "," ? verb - 1 : verb
  const word = reader.word(at)
  const isName = (["firstNames", "lastNames", "otherNames"] as const).some((names) => reader.isIn(names, word))
  return isName && !reader.isIn("common1", word) && !reader.isIn("common2", word)
}

const hasNumber = (reader: CallReader, from: number, to: number): boolean => {
  for (let at = from; at < to; at++) if (/^[dtyzN]$/.test(reader.cls(at))) return true
  return false
}

/** "How old are you?" - "45" */
const afterQuestion = (reader: CallReader, { from, to }: Run): ReadonlyArray<Candidate> => {
  const weighed = reader.nearestCue(from, to, (cue) => cue.strength > 0)
  if (
    weighed?.cue.field !== "age" ||
    weighed.side !== "before" ||
    hasNumber(reader, weighed.cue.to, from) ||
    reader.turn(from) - reader.turn(weighed.cue.from) > 1
  )
    return []
  const why = `cue "${weighed.cue.phrase}"`
  if (weighed.distance <= 8 && endsAge(reader, to) && !/^[uC$%]$/.test(reader.cls(to)))
    return [age(reader, from, to, 0.8, why)]
  return reader.word(to).startsWith("year") ? [age(reader, from, to + 1, 0.85, why)] : []
}

const subjects = /^(i'm|he's|she's|who's|am|they're|i'll be|he'll be|she'll be|they'll be|we're both|they're both)$/

/** "my mum's eighty one", "dad's seventy": a word for a person and "is". */
const isPersonWith = (word: string): boolean => word.endsWith("'s") && relatives.test(word.slice(0, -2))

/** "I'm 45" */
const isSubjectsAge = (reader: CallReader, run: Run, before: string): boolean =>
  (subjects.test(before) || subjects.test(reader.phrase(run.from - 2, run.from)) || isPersonWith(before)) &&
  endsAge(reader, run.to) &&
  Number(run.chars) >= 2 &&
  !/^(years|with)$/.test(reader.word(run.to)) &&
  // "i'll be forty in june", but "i'm twelve in line"
  !(reader.word(run.to) === "in" && !/^[Mm]$/.test(reader.cls(run.to + 1)))

const persons = /^(i|he|she|they|we|i'm|he's|she's|i'll|he'll|she'll|they'll|i've|he's|is|am|just|be|who)$/
const reaching = wordSet("turn turns turned turning pushing nearing approaching reached")

/** Least age that "at" tells from an hour. */
const OLD = 65

/** "I turn fifty five on friday", "he's pushing eighty", "at seventy six you don't climb ladders" */
const isReached = (reader: CallReader, { chars, from, to }: Run): boolean => {
  const before = reader.word(from - 1)
  if (reaching.has(before)) return persons.test(reader.word(from - 2)) && endsAge(reader, to)
  return (
    before === "at" && Number(chars) >= OLD && Number(chars) <= 110 && /^(you|i|he|she|they|we)$/.test(reader.word(to))
  )
}

/** Least age that is told from a count without a name that is known before it. */
const ADULT = 16

/** "Cornelius, 91, fell": a number between commas behind a name or a word for a person. */
const isApposition = (reader: CallReader, { chars, from, to }: Run): boolean => {
  if (chars.length > 2 || !/^[,(]$/.test(reader.written(from - 1))) return false
  if (!/^[,).]$/.test(reader.written(to))) return false
  if (Number(chars) < ADULT) return reader.isCapitalized(from - 2) && isNameBefore(reader, from - 2)
  const owner = reader.written(from - 2)
  const isName =
    reader.isCapitalized(from - 2) && !reader.isIn("common1", owner.toLowerCase()) && /^\p{L}+$/u.test(owner)
  // "Maple 12, 14, 16": a list of figures
  return (isName || relatives.test(owner.toLowerCase())) && !/^[N]$/.test(reader.cls(to + 1))
}

const ofRun = (reader: CallReader, run: Run): ReadonlyArray<Candidate> => {
  const { from, to } = run
  const value = Number(run.chars)
  if (run.digits !== run.chars.length || run.digits > 3 || run.pieces.length > 2 || value > 120) return []
  const before = reader.word(from - 1)
  const ends = endsAge(reader, to)
  if (/^(aged?|turn(ed|ing))$/.test(before) && (ends || before.startsWith("age")))
    return [age(reader, from, to, before.startsWith("turn") ? 0.75 : 0.85, `after "${before}"`)]
  if (isReached(reader, run)) return [age(reader, from, to, 0.66, `after "${before}"`)]
  if (isApposition(reader, run)) return [age(reader, from, to, 0.6, "between commas behind a name")]
  if (isSubjectsAge(reader, run, before))
    return [
      age(
        reader,
        from,
        to,
        value >= 13 || /^s?he's$/.test(before) || isPersonWith(before) ? 0.62 : 0.45,
        `after "${before}"`
      )
    ]
  return ends && /^(is|was|be|just|only|almost|about|over|under|nearly|at)$/.test(before)
    ? afterVerb(reader, run, before)
    : afterQuestion(reader, run)
}

const decades = "twenties thirties forties fifties sixties seventies eighties nineties 20s 30s 40s 50s 60s 70s 80s 90s"

/** "in her late fifties" */
const decadeOfLife = atWords(decades, (reader, at, found) => {
  const isQualified = /^(late|early|mid)$/.test(reader.word(at - 1))
  const isHyphenated = reader.word(at - 1) === "-"
  const owner = reader.word(isQualified ? at - 2 : isHyphenated ? at - 3 : at - 1)
  if (!/^(my|his|her|their|your)$/.test(owner)) return undefined
  found.push(age(reader, isQualified ? at - 1 : isHyphenated ? at - 2 : at, at + 1, 0.85, "decade of life"))
  return undefined
})

const inWords = byToken([yearsOld, decadeOfLife], "")

/** How old somebody is. */
export const ages: Recognizer = (reader) => [...inWords(reader), ...reader.runs.flatMap((run) => ofRun(reader, run))]
