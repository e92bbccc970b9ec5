import type { Candidate } from "../TextSpan.js"
import { matchClasses } from "../Tokens.js"
import { functionWords, wordSet } from "../Lexicon.js"
import { atWords, byToken, type CallReader, type Recognizer } from "./CallReader.js"

export const classPatterns = {
  /** "$1,200.50", "€ 5 million" */
  signed: /\$N(?:,N){0,6}(?:\.N)?[kl]?(?:[GC])?/g,
  /** "40€", "1.200,50 €" */
  signedAfter: /N(?:[,.]N){0,6}\$(?!N)/g,
  /** "two hundred and fifty dollars and thirty cents", "20 bucks", "1,200.50 USD" */
  named:
    /(?:[dtyzN]|[hkla](?![^hklCGdtyz]))(?:[dtyzNhkl]|&(?=[dtyzh])|,(?=N)|\.(?=N)|o(?=d)){0,24}-?(?:&a?q)?(?:qC|C(?:&?[dtyz](?:d)?C?)?|G)/g,
  /** "four and a half thousand pounds" */
  halves: /[dtyzN]d?&aq(?:[hkl]?C|G)/g,
  /** "USD 500" */
  code: /CN(?:,N){0,6}(?:\.N)?/g
} as const

/** "I weigh 180 pounds", "lost ten pounds": mass, not money. */
const isMass = (reader: CallReader, from: number, to: number): boolean => {
  if (!/^pounds?$/.test(reader.word(to - 1))) return false
  for (let at = Math.max(0, from - 6); at < from; at++)
    if (/^(weigh|weighs|weighed|weight|lost|gained|lose|gain|lift|heavy)$/.test(reader.word(at))) return true
  return /^(heavy|overweight|of|heavier|lighter|weight)$/.test(reader.word(to))
}

/** "my balance is 500": a bare number that a cue announces. */
const amountsByCue = (reader: CallReader): ReadonlyArray<Candidate> =>
  reader.runs.flatMap((run) => {
    if (run.digits !== run.chars.length || run.digits < 2 || run.digits > 9) return []
    const weighed = reader.nearestCue(run.from, run.to, (cue) => cue.strength > 0)
    if (weighed?.cue.field !== "money" || weighed.side !== "before" || weighed.distance > 5) return []
    if (/^[uA%]$/.test(reader.cls(run.to))) return []
    const isCount =
      reader.cls(run.to) === "w" &&
      /^(percent|times|items|people|miles|units|points|tickets|calls|kids|guests)$/.test(reader.word(run.to))
    return isCount
      ? []
      : [
          {
            ...reader.candidate(
              "money",
              run.from,
              /^(k|mil|large|bucks)$/.test(reader.word(run.to)) ? run.to + 1 : run.to,
              weighed.weight * 0.9,
              `cue "${weighed.cue.phrase}"`
            ),
            byCue: true
          }
        ]
  })

const people = wordSet("people users voters customers members subscribers followers views times copies units")

/** Where a number of an amount begins that ends before a token. */
const numberStart = (reader: CallReader, to: number): number => {
  let from = to
  while (from > 0 && to - from < MAX_NUMBER && /^[dtyzNhkl]$/.test(reader.cls(from - 1))) from--
  return from
}
const MAX_NUMBER = 8

/** "three crore fifty lakh": an amount of rupees without their name. */
const rupees = atWords("lakh lakhs lac lacs crore crores", (reader, at, found) => {
  const from = numberStart(reader, at)
  const isEnd = !/^[dtyzNhkl]$/.test(reader.cls(at + 1))
  if (from < at && isEnd && !people.has(reader.word(at + 1)))
    found.push(reader.candidate("money", from, at + 1, 0.8, "Indian unit of amounts"))
  return undefined
})

/** "ninety nine p" */
const pence = atWords("p", (reader, at, found) => {
  const run = reader.runTo(at) ?? reader.runTo(at + 1)
  const from = numberStart(reader, at)
  const isAlone = run === undefined || run.pieces.every(({ chars }) => /^\d+$/.test(chars) || chars === "P")
  const ends =
    reader.endsAt(at + 1, /^[.,?!;n&a]$/) ||
    functionWords.has(reader.word(at + 1)) ||
    /^(each|a|per)$/.test(reader.word(at + 1))
  if (from < at && at - from <= 2 && isAlone && ends) found.push(reader.candidate("money", from, at + 1, 0.7, "pence"))
  return undefined
})

const inWords = byToken([rupees, pence])

/** Amounts of money: with a currency, or a bare number that a word such as "balance" or "salary" announces. */
export const money: Recognizer = (reader) => {
  const matches = (pattern: RegExp) => matchClasses(reader.call.tokens, pattern)
  return [
    ...matches(classPatterns.signed).map(({ from, to }) => reader.candidate("money", from, to, 0.95, "currency sign")),
    ...matches(classPatterns.signedAfter).map(({ from, to }) =>
      reader.candidate("money", from, to, 0.94, "currency sign")
    ),
    ...matches(classPatterns.named)
      .filter(({ from, to }) => !isMass(reader, from, to))
      .map(({ from, to }) => reader.candidate("money", from, to, 0.93, "currency word")),
    ...matches(classPatterns.code)
      .filter(({ from }) => /^(USD|EUR|GBP)$/.test(reader.written(from)))
      .map(({ from, to }) => reader.candidate("money", from, to, 0.93, "currency code")),
    ...matches(classPatterns.halves).map(({ from, to }) => reader.candidate("money", from, to, 0.93, "currency word")),
    ...inWords(reader),
    ...amountsByCue(reader)
  ]
}
