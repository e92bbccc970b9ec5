import { wordSet } from "../Lexicon.js"
import type { Candidate } from "../TextSpan.js"
import { matchClasses } from "../Tokens.js"
import { belowHundred } from "../Cardinals.js"
import { atWords, byToken, type CallReader, type Recognizer } from "./CallReader.js"
import { YEAR } from "./ClassPatterns.js"
import { birthEvidence, dateCandidate } from "./DateContext.js"

export const classPatterns = {
  /** "March 2020", "may of twenty nineteen" */
  monthYear: new RegExp(`[Mm]\\.?f?${YEAR}`, "g"),
  /** A month whose name is no other word. */
  month: /M/g,
  /** A month whose name is another word too. */
  ambiguousMonth: /m/g,
  /** "nineteen eighty four", "two thousand and five" */
  spokenYear: /[ty](?:z|yd?|t|od)|dk&?(?:z|yd?|t|d)|dkod/g
} as const

const yearPrepositions = wordSet(
  "in since during from until till year of by circa around early late mid before after class"
)
const monthContext =
  /^(in|of|since|by|until|during|through|early|late|mid|last|next|this|every|from|for|before|after|around|to|till|between|and|or)$/
const beforeAmbiguousMonth = /^(in|since|of|by|until|during|early|late|mid|next|this|last|every)$/

const isYear = (value: number): boolean => value > 1900 && value < 2100

const monthYears = (reader: CallReader): ReadonlyArray<Candidate> =>
  matchClasses(reader.call.tokens, classPatterns.monthYear).flatMap(({ from, to }) =>
    reader.cls(to - 1) === "N" && !isYear(reader.value(to - 1))
      ? []
      : [dateCandidate(reader, from, to, 0.85, "month and year")]
  )

const isHalfOfName = (reader: CallReader, at: number): boolean =>
  reader.written(at) === "-" && reader.isTight(at) && reader.isTight(at + 1) && /^\p{L}+$/u.test(reader.written(at + 1))

const months = (reader: CallReader): ReadonlyArray<Candidate> =>
  matchClasses(reader.call.tokens, classPatterns.month).flatMap(({ from, to }) =>
    // "four percent apr"; "Jun-ho"
    /^(percent|%)$/.test(reader.word(from - 1)) || isHalfOfName(reader, to)
      ? []
      : dateCandidate(reader, from, to, monthContext.test(reader.word(from - 1)) ? 0.75 : 0.56, "month")
  )

/** "in may", "last march": months whose names are other words too. */
const ambiguousMonths = (reader: CallReader): ReadonlyArray<Candidate> =>
  matchClasses(reader.call.tokens, classPatterns.ambiguousMonth).flatMap(({ from: at }) => {
    const before = reader.word(at - 1)
    const next = reader.word(at + 1)
    const isMonth =
      beforeAmbiguousMonth.test(before) &&
      !(reader.word(at) === "may" && /^(i|we|you|be|he|she|they|it|have|not)$/.test(next)) &&
      !/^(of|the|on|band)$/.test(next)
    return isMonth ? [dateCandidate(reader, at, at + 1, 0.7, "month", `after "${before}"`)] : []
  })

/** "fiscal year twenty twenty four", "fiscal twenty five": years of a business or of a product, which tell of nobody. */
const isOfBusiness = (reader: CallReader, at: number): boolean =>
  businessYears.has(reader.word(at - 1)) || (reader.word(at - 1) === "year" && businessYears.has(reader.word(at - 2)))
const businessYears = wordSet("fiscal fy financial tax model budget accounting plan")

const spokenYears = (reader: CallReader): ReadonlyArray<Candidate> =>
  matchClasses(reader.call.tokens, classPatterns.spokenYear).flatMap(({ from, to }) => {
    const first = reader.value(from)
    if (isOfBusiness(reader, from)) return [reader.candidate("nothing", from, to, 0.9, "year of a business")]
    if (first !== 19 && first !== 20 && first !== 2) return []
    if (yearPrepositions.has(reader.word(from - 1)) && !/^[uCh$%k]$/.test(reader.cls(to)))
      return [dateCandidate(reader, from, to, 0.6, "year")]
    return birthEvidence(reader, from, to) === undefined ? [] : [dateCandidate(reader, from, to, 0.8, "year")]
  })

/** Least number that is a year of birth rather than a count: "born in eighty six". */
const SHORT_YEAR = 20

/** "I was born in eighty six" */
const shortBirthYear = atWords("in", (reader, at, found) => {
  const before = /^(back|there|here|up)$/.test(reader.word(at - 1)) ? at - 2 : at - 1
  const number = reader.word(before) === "born" ? belowHundred(reader.all, at + 1) : undefined
  if (number !== undefined && number.value >= SHORT_YEAR)
    found.push(reader.candidate("dob", at + 1, number.to, 0.85, 'year after "born in"'))
  return undefined
})

const writtenYears = (reader: CallReader): ReadonlyArray<Candidate> =>
  reader.runs.flatMap((run) => {
    if (run.pieces.length !== 1 || run.spoken || run.chars.length !== 4) return []
    const value = Number(run.chars)
    const isDate =
      value >= 1900 &&
      value < 2100 &&
      !isOfBusiness(reader, run.from) &&
      (yearPrepositions.has(reader.word(run.from - 1)) || birthEvidence(reader, run.from, run.to) !== undefined)
    return isDate ? [dateCandidate(reader, run.from, run.to, 0.56, "year")] : []
  })

/** "spring of twenty twenty three" */
const season = atWords("spring summer fall autumn winter", (reader, at, found) => {
  const from = reader.cls(at + 1) === "f" ? at + 2 : at + 1
  YEAR_AT.lastIndex = from
  const year = YEAR_AT.exec(reader.call.tokens.classes)
  const isWritten = reader.cls(from) === "N"
  if (year === null || (isWritten && !isYear(reader.value(from)))) return undefined
  if (isWritten || /^(?:19|20|2)$/.test(String(reader.value(from))))
    found.push(dateCandidate(reader, at, from + year[0].length, 0.8, "season and year"))
  return undefined
})
const YEAR_AT = new RegExp(YEAR, "y")

const birthYearsAndSeasons = byToken([shortBirthYear, season])

/** Months and years, together and alone. */
export const monthsAndYears: Recognizer = (reader) => [
  ...monthYears(reader),
  ...months(reader),
  ...ambiguousMonths(reader),
  ...spokenYears(reader),
  ...writtenYears(reader),
  ...birthYearsAndSeasons(reader)
]
