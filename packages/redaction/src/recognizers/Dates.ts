import { belowHundred } from "../Cardinals.js"
import { wordSet } from "../Lexicon.js"
import type { Candidate } from "../TextSpan.js"
import { matchClasses, tokenAt } from "../Tokens.js"
import { atWords, byPattern, byToken, type CallReader, type Recognizer } from "./CallReader.js"
import { DAY, NUMBER, YEAR } from "./ClassPatterns.js"
import {
  birthEvidence,
  clockFollowers,
  dateCandidate,
  dayPrepositions,
  isCardExpiry,
  isDay,
  weekdayBefore
} from "./DateContext.js"
import { alsoReadings } from "./NumbersByCue.js"

export const classPatterns = {
  /** "March third", "mar 3, 2020" */
  monthDay: new RegExp(`[Mm]\\.?T?${DAY}(?:,?f?${YEAR})?(?![:$hk%])`, "g"),
  /** "the third of March", "3 mar 2020" */
  dayMonth: new RegExp(`T?(?:yF|ys|F|s|z|yd?|t|d|N)f?[Mm]\\.?(?:,?f?${YEAR})?`, "g"),
  /** "the second or the third of November": the first of two days of a month. */
  dayAndDay: /T?(?:yF|ys|F|s)(?:&|w|-|,)T?(?:yF|ys|F|s)f?[Mm]/g,
  /** "the sixteenth of the seventh", "27th of the 9th 1984" */
  ordinals: new RegExp(`T?(?:yF|ys|F|s)fT?(?:yF|ys|F|s)(?:,?${YEAR})?`, "g"),
  /** "el veintiuno de marzo de mil novecientos ochenta y cinco", "5. März 1990", "el 3 del 4": in other languages than English */
  foreign: /(?:F|s|z|y(?:[&L]d)?|t|d|N)\.?f{0,2}[Mm](?:,?f?(?:[dtyzhkN]|[&L](?=[dtyz])){1,9})?/g,
  /** "eleven fourteen twenty twenty", "11 18 2016", "oh nine, sixteen, eighty four" */
  figures: new RegExp(`o?${NUMBER},?o?${NUMBER}${YEAR}`, "g"),
  /** "one one seventy four" */
  shortYear: new RegExp(`o?${NUMBER},?o?${NUMBER},?(?:z|yd)`, "g"),
  /** "the twenty third" */
  ordinalDay: /T(?:yF|ys|F|s)/g
} as const

export const datePatterns = {
  slashed:
    /(?<![\d/.-])(?:\d{1,2}[/.-]\d{1,2}[/.-](?:\d{4}|\d{2})|\d{4}[/.-]\d{1,2}[/.-]\d{1,2})(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?(?![\d/-])/g,
  short: /(?<![\d/.-])(?:0?[1-9]|1[0-2])\/(?:0?[1-9]|[12]\d|3[01])(?![\d/.-])/g
} as const

const partsOf = (written: string): ReadonlyArray<number> => (written.split(/[T ]/)[0] ?? "").split(/[/.-]/).map(Number)

/** Whether year, month and day, in whatever order, may be a date of the calendar. */
const isCalendarDate = ([a = 0, b = 0, c = 0]: ReadonlyArray<number>): boolean =>
  a > 31 ? b <= 12 && c <= 31 : (a <= 12 && b <= 31) || (b <= 12 && a <= 31)

/** "the invoice of 01/09", but "a ratio of 1/9" */
const FULL_SHORT = /^\d\d\/\d\d$/

const written = (reader: CallReader, value: string, start: number): Candidate | undefined => {
  const parts = partsOf(value)
  if (parts[0] === 0 || parts[1] === 0) return undefined
  const from = tokenAt(reader.call.tokens, start)
  const to = tokenAt(reader.call.tokens, start + value.length - 1) + 1
  if (parts.length > 2) return isCalendarDate(parts) ? dateCandidate(reader, from, to, 0.93, "written date") : undefined
  // "5/12" may be a fraction or a ratio, so something has to announce it.
  const before = reader.word(from - 1)
  const hasCue =
    dayPrepositions.has(before) ||
    before === "date" ||
    (before === "of" && FULL_SHORT.test(value)) ||
    birthEvidence(reader, from, to) !== undefined ||
    isCardExpiry(reader, from, to)
  return hasCue ? dateCandidate(reader, from, to, 0.6, "written date") : undefined
}

/** Days and months in another language, with years in words. */
const foreignDates = (reader: CallReader): ReadonlyArray<Candidate> =>
  reader.call.tokens.isForeign === true
    ? matchClasses(reader.call.tokens, classPatterns.foreign).flatMap(({ from, to }) =>
        isDay(reader.value(from)) ? [dateCandidate(reader, from, to, 0.93, "day and month")] : []
      )
    : []

const ordinalDates = (reader: CallReader): ReadonlyArray<Candidate> =>
  matchClasses(reader.call.tokens, classPatterns.ordinals).flatMap(({ from, to }) => {
    const end = twoFigureYearEnd(reader, to)
    const one = dateCandidate(reader, from, end, 0.87, "day and month in ordinals")
    return end > to ? mayBeBirth(one) : [one]
  })

/** A date with a year of two figures, which is one of a birth where nothing tells: other dates rarely have a year. */
const mayBeBirth = (one: Candidate): ReadonlyArray<Candidate> =>
  one.field === "date" ? [one, ...alsoReadings(["dob"], one)] : [one]

/** "the second of the second sixty eight": where a year of two figures ends that follows two ordinals. */
const twoFigureYearEnd = (reader: CallReader, to: number): number => {
  const year = belowHundred(reader.all, to)
  return year !== undefined && /^[yz]$/.test(reader.cls(to)) && !/^[uC%$hk]$/.test(reader.cls(year.to)) ? year.to : to
}

/** The numbers of a stretch of tokens, "twenty one" as one. */
const numbersOf = (reader: CallReader, from: number, to: number): ReadonlyArray<number> => {
  const values: Array<number> = []
  for (let at = from; at < to; at++) {
    const number = belowHundred(reader.all, at)
    if (number !== undefined) {
      values.push(number.value)
      at = number.to - 1
    } else if (/^[N]$/.test(reader.cls(at))) values.push(reader.value(at))
  }
  return values
}

const LEADS_TO_FIGURES = /^(on|since|from|until|till|dated|by|before|after|born)$/

/** Whether figures end what is said, and a name stands before them. */
const isBehindName = (reader: CallReader, from: number, to: number): boolean =>
  reader.endsAt(to, /^[.n]$/) &&
  (reader.isIn("firstNames", reader.word(from - 1)) || reader.isIn("otherNames", reader.word(from - 1))) &&
  !reader.isIn("common1", reader.word(from - 1))

/** Three numbers behind a name that may be month, day and year of a birth: "beatrix one one eighty four". */
const datesBehindNames = (reader: CallReader): ReadonlyArray<Candidate> =>
  matchClasses(reader.call.tokens, classPatterns.shortYear).flatMap(({ from, to }) => {
    if (!isBehindName(reader, from, to)) return []
    const [month = 0, day = 0] = numbersOf(reader, from, to)
    if (!isDay(month) || !isDay(day) || Math.min(month, day) > 12) return []
    return mayBeBirth(dateCandidate(reader, from, to, 0.6, "a date behind a name"))
  })

/** Three numbers that may be month, day and year, behind a word that a date follows. */
const figureDates = (reader: CallReader): ReadonlyArray<Candidate> =>
  matchClasses(reader.call.tokens, classPatterns.figures).flatMap(({ from, to }) => {
    const before = reader.word(from - 1)
    if (!LEADS_TO_FIGURES.test(before)) return []
    const [month = 0, day = 0] = numbersOf(reader, from, to)
    if (!isDay(month) || !isDay(day) || Math.min(month, day) > 12 || /^[uC%$dtyzN:-]$/.test(reader.cls(to))) return []
    return [dateCandidate(reader, from, to, 0.6, "month, day and year in figures")]
  })

const modalMonths = /^(may|march|mar|dec)$/

/** "may two" is a date, "may one ask" is not; figures and ordinals decide. */
const isVerb = (reader: CallReader, from: number, day: number, to: number): boolean => {
  if (!modalMonths.test(reader.word(from)) || reader.cls(from) !== "m") return false
  if (reader.cls(day) === "F" || reader.cls(day + 1) === "F") return false
  if (reader.cls(day) === "N" && /^[A-Z]/.test(reader.written(from))) return false
  return reader.cls(to) === "w" && !clockFollowers.has(reader.word(to)) && !dayPrepositions.has(reader.word(from - 1))
}

/** Where a date of birth ends that goes on with a year of two figures: "may fourth, oh nine". */
const shortYearEnd = (reader: CallReader, from: number, to: number): number =>
  reader.cls(to) === "o" &&
  reader.cls(to + 1) === "d" &&
  !/^[dtyzoxN]$/.test(reader.cls(to + 2)) &&
  birthEvidence(reader, from, to) !== undefined
    ? to + 2
    : to

const monthDays = (reader: CallReader): ReadonlyArray<Candidate> =>
  matchClasses(reader.call.tokens, classPatterns.monthDay).flatMap(({ from, to }) => {
    let day = from + 1
    while (/^[.T]$/.test(reader.cls(day))) day++
    const value = reader.value(day)
    if (!isDay(value) && !(value > 1900 && value < 2100)) return []
    return isVerb(reader, from, day, to)
      ? []
      : [dateCandidate(reader, from, shortYearEnd(reader, from, to), 0.93, "month and day")]
  })

const dayMonths = (reader: CallReader): ReadonlyArray<Candidate> =>
  matchClasses(reader.call.tokens, classPatterns.dayMonth).flatMap(({ from, to }) => {
    let month = from
    while (month < to && !/[Mm]/.test(reader.cls(month))) month++
    const day = reader.cls(from) === "T" ? from + 1 : from
    if (!isDay(reader.value(day))) return []
    const isMonth =
      reader.cls(month) !== "m" ||
      reader.cls(day) === "F" ||
      /^[fF]$/.test(reader.cls(month - 1)) ||
      (reader.cls(day) === "N" && /^[A-Z]/.test(reader.written(month)))
    // "january fifty nine": the year of a birth in two figures, of which a pattern reads the tens alone
    const year = reader.cls(to - 1) === "y" ? to - 1 : to
    const short = reader.cls(year) === "y" && reader.cls(year + 1) === "d" ? year + 2 : shortYearEnd(reader, from, to)
    return isMonth ? [dateCandidate(reader, from, short, 0.92, "day and month")] : []
  })

const DAY_LINK = /^(and|or|to|til|till|until|through|thru|-|,)$/

/** The first of two days of a month. */
const firstDays = (reader: CallReader): ReadonlyArray<Candidate> =>
  matchClasses(reader.call.tokens, classPatterns.dayAndDay).flatMap(({ from }) => {
    const first = reader.cls(from) === "T" ? from + 1 : from
    const link = reader.cls(first) === "y" ? first + 2 : first + 1
    return DAY_LINK.test(reader.word(link)) ? [dateCandidate(reader, from, link, 0.8, "one of two days")] : []
  })

const endsOrdinal = (reader: CallReader, to: number): boolean =>
  reader.endsAt(to, /^[.,?!;nR]$/) ||
  clockFollowers.has(reader.word(to)) ||
  reader.word(to) === "instead" ||
  (reader.cls(to) === "f" && reader.word(to + 1) === "the") ||
  /^(this|next)$/.test(reader.word(to + 1)) ||
  // "the ninth of last month"
  (/^(of|in)$/.test(reader.word(to)) && reader.word(to + 1) === "last" && PERIOD.test(reader.word(to + 2)))

const PERIOD = /^(month|year|week)$/

const ordinalDays = (reader: CallReader): ReadonlyArray<Candidate> =>
  matchClasses(reader.call.tokens, classPatterns.ordinalDay).flatMap(({ from, to }) => {
    const value = reader.value(from + 1) + (to - from === 3 ? reader.value(from + 2) : 0)
    if (!isDay(value) || !endsOrdinal(reader, to)) return []
    const isDate =
      value > 3 ||
      weekdayBefore(reader, from) !== undefined ||
      dayPrepositions.has(reader.word(from - 1)) ||
      birthEvidence(reader, from, to) !== undefined
    return isDate ? [dateCandidate(reader, from + 1, to, 0.6, "day of the month")] : []
  })

const HOLIDAYS = wordSet(
  "easter christmas xmas thanksgiving pentecost whitsun diwali eid hanukkah passover ramadan halloween michaelmas midsummer hogmanay juneteenth"
)
/** First words of holidays that are none alone: "labor day", "good friday". */
const STARTS_OF_HOLIDAYS = wordSet(
  `memorial independence new good boxing black palm ash shrove canada australia anzac valentine's mother's father's
 patrick's veterans presidents columbus`
)
/** Words of a holiday behind its first one. */
const REST_OF_HOLIDAY = wordSet("day year year's years eve friday monday tuesday wednesday sunday")

/** Where a holiday ends that begins at a token; undefined where none does. */
const holidayEnd = (reader: CallReader, first: number): number | undefined => {
  const isAlone = HOLIDAYS.has(reader.word(first))
  if (!isAlone && !STARTS_OF_HOLIDAYS.has(reader.word(first)) && !/^labou?r$/.test(reader.word(first))) return undefined
  let to = first + 1
  while (REST_OF_HOLIDAY.has(reader.word(to)) && to - first < 3) to++
  return isAlone || to > first + 1 ? to : undefined
}

/** "the monday after easter", "the week before christmas day" */
const nearHolidays = byToken([
  atWords("before after of following", (reader, at, found) => {
    const to = holidayEnd(reader, at + 1)
    const isDay = reader.cls(at - 1) === "W" || /^(day|week|weekend|fortnight)$/.test(reader.word(at - 1))
    if (to === undefined || !isDay) return undefined
    const from = /^(the|a)$/.test(reader.word(at - 2)) ? at - 2 : at - 1
    found.push(reader.candidate("date", from, to, 0.9, "a day near a holiday"))
    return undefined
  })
])

/** Holidays among events: dates too, for those who request dates alone. */
export const holidayDates = (reader: CallReader, candidates: ReadonlyArray<Candidate>): ReadonlyArray<Candidate> =>
  candidates
    .filter(
      ({ field, start }) => field === "event" && holidayEnd(reader, tokenAt(reader.call.tokens, start)) !== undefined
    )
    .map((one) => ({ ...one, field: "date", isAlso: true }))

/** Days of the calendar: "3/14/2020", "March third", "the third of March", "on the 23rd". */
export const dates: Recognizer = (reader) => [
  ...[datePatterns.slashed, datePatterns.short].flatMap((pattern) =>
    byPattern(reader.call.text, pattern, (value, start) => written(reader, value, start))
  ),
  ...monthDays(reader),
  ...ordinalDates(reader),
  ...firstDays(reader),
  ...figureDates(reader),
  ...datesBehindNames(reader),
  ...dayMonths(reader),
  ...foreignDates(reader),
  ...ordinalDays(reader),
  ...nearHolidays(reader)
]
