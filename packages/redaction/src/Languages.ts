import * as Schema from "effect/Schema"
import data from "./data/languages.json" with { type: "json" }
import { classes, type TokenClass } from "./Lexicon.js"

/**
 * Numbers and months of languages other than English, as classes of tokens (see Lexicon.ts). They are read only in a call
 * that is in the language: "once" is eleven in Spanish, "um" is one in Portuguese.
 */
export type Overlay = ReadonlyMap<string, readonly [TokenClass, number]>

const Words = Schema.Array(Schema.String)
const Numbers = Schema.Record({ key: Schema.String, value: Schema.Number })
const Language = Schema.Struct({
  /** Frequent words by which the language is told, separated by spaces. */
  markers: Schema.String,
  digits: Words,
  teens: Words,
  tens: Words,
  more: Numbers,
  hundred: Words,
  hundreds: Numbers,
  thousand: Words,
  months: Words,
  /** From the first on. */
  ordinals: Words,
  of: Words,
  and: Words
})
type Language = typeof Language.Type

/** With and without accents: recognizers of speech leave them out. */
const bothWays = (word: string): ReadonlyArray<string> =>
  /^\p{Script=Latin}+$/u.test(word) ? [word, word.normalize("NFD").replace(/\p{M}/gu, "")] : [word]

const classOfNumber = (value: number): TokenClass => {
  if (value < 10) return "d"
  if (value < 20) return "t"
  if (value < 100) return value % 10 === 0 ? "y" : "z"
  return "z"
}

const overlayOf = (language: Language): Overlay => {
  const map = new Map<string, readonly [TokenClass, number]>()
  const add = (word: string, cls: TokenClass, value: number): void => {
    for (const one of bothWays(word)) map.set(one, [cls, value])
  }
  language.months.forEach((word, at) => {
    add(word, "M", at + 1)
  })
  language.digits.forEach((word, at) => {
    add(word, "d", at)
  })
  language.teens.forEach((word, at) => {
    add(word, "t", 10 + at)
  })
  language.tens.forEach((word, at) => {
    add(word, "y", 20 + at * 10)
  })
  language.ordinals.forEach((word, at) => {
    add(word, "F", at + 1)
  })
  for (const [word, value] of Object.entries({ ...language.more, ...language.hundreds }))
    add(word, classOfNumber(value), value)
  for (const word of language.hundred) add(word, "h", 100)
  for (const word of language.thousand) add(word, "k", 1000)
  for (const word of language.of) add(word, "f", 0)
  for (const word of language.and) add(word, "&", 0)
  return map
}

const decoded = Schema.decodeUnknownSync(Schema.Record({ key: Schema.String, value: Language }))(data)
const overlays = new Map(Object.entries(decoded).map(([code, language]) => [code, overlayOf(language)]))

const markers: ReadonlyMap<string, ReadonlyArray<string>> = (() => {
  const map = new Map<string, Array<string>>()
  for (const [code, { markers: words }] of Object.entries(decoded))
    for (const word of words.split(" ").flatMap(bothWays)) {
      const codes = map.get(word)
      if (codes === undefined) map.set(word, [code])
      else if (!codes.includes(code)) codes.push(code)
    }
  return map
})()

/** Frequent English words that are none in the other languages. */
const english = new Set(
  "the is and my your what you of for it that this with have can please i'm it's are was not".split(" ")
)

/** Number words of the languages that are words of English too. */
const englishNumbers = new Set(
  "six once do das bees tees teen sat saath ath che char sau me million mil cent cents cem".split(" ")
)

/** The numbers and months of all languages that English has not, by word: the languages that have it, and what it is there. */
const numberWords: ReadonlyMap<
  string,
  ReadonlyArray<readonly [code: string, entry: readonly [TokenClass, number]]>
> = (() => {
  const map = new Map<string, Array<readonly [string, readonly [TokenClass, number]]>>()
  for (const [code, overlay] of overlays)
    for (const [word, entry] of overlay) {
      if (!/^[dtyzMF]$/.test(entry[0]) || classes.has(word)) continue
      const known = map.get(word)
      if (known === undefined) map.set(word, [[code, entry]])
      else known.push([code, entry])
    }
  return map
})()

/** Fewest number words in a row that are read in a call of another language, and fewest of them that are no English words. */
const MIN_NUMBERS = 3

/**
 * Numbers of another language within a call that is not in it: "cinco cinco cinco dos cero uno nueve" as an answer. At a
 * token, how many words in a row are numbers of one language, and of which; undefined where there are too few.
 */
export const numbersOfLanguage = (
  words: ReadonlyArray<{ readonly lower: string }>,
  at: number
): { readonly to: number; readonly overlay: Overlay } | undefined => {
  let best: { readonly to: number; readonly overlay: Overlay } | undefined
  const known = numberWords.get(words[at]?.lower ?? "")
  if (known === undefined) return undefined
  for (const [code] of known) {
    const overlay = overlays.get(code)
    if (overlay === undefined) continue
    let to = at
    let certain = 0
    for (let word = words[to]?.lower ?? ""; isNumberIn(overlay, word); word = words[++to]?.lower ?? "")
      if (!englishNumbers.has(word)) certain++
    if (certain >= MIN_NUMBERS && to > (best?.to ?? 0)) best = { to, overlay }
  }
  return best
}

const isNumberIn = (overlay: Overlay, word: string): boolean => /^[dtyz]$/.test(overlay.get(word)?.[0] ?? "")

/** Fewest marker words, and how many tokens there may be to each. */
const MIN_MARKERS = 2
const TOKENS_PER_MARKER = 12

/** Tokens that are looked at; a call is in one language from its beginning. */
const SAMPLE = 2000

/** Words by which languages are told, which name nothing. */
export const isMarker = (word: string): boolean => markers.has(word)

/** The numbers and months of the language that a text is in; undefined where it is English or none that is known. */
export const overlayFor = (words: ReadonlyArray<{ readonly lower: string }>): Overlay | undefined => {
  const counts = new Map<string, number>()
  let inEnglish = 0
  const length = Math.min(words.length, SAMPLE)
  for (let at = 0; at < length; at++) {
    const lower = words[at]?.lower ?? ""
    if (english.has(lower)) inEnglish++
    for (const code of markers.get(lower) ?? []) counts.set(code, (counts.get(code) ?? 0) + 1)
    // Each number or month of a language is half a sign of it.
    if (!englishNumbers.has(lower))
      for (const [code] of numberWords.get(lower) ?? []) counts.set(code, (counts.get(code) ?? 0) + 0.5)
  }
  const [best] = [...counts].sort((a, b) => b[1] - a[1])
  if (best === undefined || best[1] < MIN_MARKERS || best[1] <= inEnglish || best[1] * TOKENS_PER_MARKER < length)
    return undefined
  return overlays.get(best[0])
}

const GERMAN =
  /^(?:(?:ein|zwei|drei|vier|fünf|fuenf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwoelf|hundert|tausend|und|sech|sieb|zwanzig|drei(?:ß|ss)ig|(?:vier|fünf|sech|sieb|acht|neun)zig)){2,12}$/

/** Whether a word is a German number in one: "vierundachtzig", "neunzehnhundertvierundachtzig". */
export const isGermanNumber = (lower: string): boolean => lower.length < 60 && GERMAN.test(lower)

/** The overlay that reads German numbers in one word too. */
export const germanOverlay = overlays.get("de")
