import { classes, type TokenClass } from "./Lexicon.js"
import { germanOverlay, isGermanNumber, numbersOfLanguage, type Overlay, overlayFor } from "./Languages.js"
import { OPAQUE } from "./SensitiveField.js"

/** A word, number or mark of a text, with its place in UTF-16 code units. */
export interface Token {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly lower: string
  readonly cls: TokenClass
  /** The number it says, where it says one. */
  readonly value: number
}

/** A text cut into tokens; `classes` has one letter a token, so that patterns over it map back by position. */
export interface Tokens {
  readonly text: string
  readonly all: ReadonlyArray<Token>
  readonly classes: string
  /** Whether it is in a language other than English, as far as that can be told. */
  readonly isForeign?: boolean
  /** The tokens as they are in English. */
  readonly english: ReadonlyArray<Token>
}

// One alternative a kind: opaque placeholders, digits with a telling ending, words with inner apostrophes and hyphens
// ("twenty-five", "o'clock", "mm-hmm"), anything else alone. No alternative can start where another could go on.
export const TOKEN = new RegExp(
  `(${OPAQUE}+)|(\\d+)((?:am|pm|st|nd|rd|th)(?![\\p{L}\\d]))?(?![\\p{L}\\p{M}\\d])|([\\p{L}\\p{M}\\d]+(?:['’][\\p{L}\\p{M}]+)*)|(\\n)|([^\\s])`,
  "giu"
)

const NUMBER_TENS = /^(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)$/
const APOSTROPHE = /’/g
const HAS_DIGIT = /\d/
const HAS_LETTER = /\p{L}/u

const lowerOf = (text: string): string => {
  const lower = text.toLowerCase()
  return lower.includes("’") ? lower.replace(APOSTROPHE, "'") : lower
}

const make = (start: number, text: string, cls: TokenClass, value = Number.NaN): Token => ({
  start,
  end: start + text.length,
  text,
  lower: lowerOf(text),
  cls,
  value
})

const wordToken = (start: number, text: string): Token => {
  const lower = lowerOf(text)
  const known = classes.get(lower) ?? ownerOf(lower)
  if (known !== undefined) return { start, end: start + text.length, text, lower, cls: known[0], value: known[1] }
  const cls =
    lower.length === 1 && HAS_LETTER.test(lower)
      ? "L"
      : HAS_DIGIT.test(lower)
        ? HAS_LETTER.test(lower)
          ? "X"
          : "N"
        : "w"
  return { start, end: start + text.length, text, lower, cls, value: Number.NaN }
}

/** "tomorrow's", "Friday's" */
const ownerOf = (lower: string): readonly [TokenClass, number] | undefined => {
  if (!lower.endsWith("'s")) return undefined
  const owner = classes.get(lower.slice(0, -2))
  return owner !== undefined && (owner[0] === "R" || owner[0] === "W") ? owner : undefined
}

/** Whether a word continues the two tokens before it: "twenty-five". */
const continuesTens = (token: Token, hyphen: Token | undefined, tens: Token): boolean =>
  hyphen?.text === "-" &&
  hyphen.end === token.start &&
  tens.end === hyphen.start &&
  ((token.cls === "d" && token.value > 0) || token.cls === "F" || token.cls === "s") &&
  NUMBER_TENS.test(tens.lower)

/** Adds a word; it replaces the two tokens before it if it forms one with them. */
const pushWord = (all: Array<Token>, text: string, token: Token): void => {
  const first = all[all.length - 2]
  if (first === undefined) all.push(token)
  else if (continuesTens(token, all[all.length - 1], first)) {
    all.length -= 2
    const cls = token.cls === "d" ? "z" : "F"
    all.push(make(first.start, text.slice(first.start, token.end), cls, first.value + token.value))
  } else if (token.lower === "m" && isDayHalf(all, text, token.start)) {
    // "p.m." arrives as p . m
    all.length -= 2
    all.push(make(first.start, text.slice(first.start, token.end), "A"))
  } else all.push(token)
}

const pushDigits = (all: Array<Token>, at: number, digits: string, ending: string | undefined): void => {
  if (ending === undefined) all.push(make(at, digits, "N", digits.length < 16 ? Number(digits) : Number.NaN))
  else if (/^[ap]m$/i.test(ending)) {
    all.push(make(at, digits, "N", Number(digits)))
    all.push(make(at + digits.length, ending, "A"))
  } else all.push(make(at, digits + ending, "F", Number(digits)))
}

const markClass = (mark: string): TokenClass => {
  const known = classes.get(mark)
  if (known !== undefined) return known[0]
  if (mark === "&") return "+"
  return /[,.\-/:%()'"?!@#_]/.test(mark) ? mark : "~"
}

const spokenIn = (token: Token, overlay: Overlay): Token => {
  // "am elften Mai": no half of a day
  if (overlay === germanOverlay && token.lower === "am") return { ...token, cls: "w" }
  const known = /^[wLdtyCaTfMm]$/.test(token.cls) ? overlay.get(token.lower) : undefined
  if (known !== undefined) return { ...token, cls: known[0], value: known[1] }
  return overlay === germanOverlay && token.cls === "w" && isGermanNumber(token.lower)
    ? { ...token, cls: "z", value: 99 }
    : token
}

const inItsLanguage = (text: string, english: ReadonlyArray<Token>): Tokens => {
  const overlay = overlayFor(english)
  const all = overlay === undefined ? withForeignNumbers(english) : english.map((token) => spokenIn(token, overlay))
  let joined = ""
  for (const { cls } of all) joined += cls
  const tokens = { text, all, classes: joined, english }
  return overlay === undefined ? tokens : { ...tokens, isForeign: true }
}

/** Cuts a text into tokens. Placeholders must be hidden first (`hidePlaceholders`). Linear in the text's length. */
export const tokenize = (text: string): Tokens => {
  const all: Array<Token> = []
  pushTokens(all, text, 0, text.length)
  return inItsLanguage(text, all)
}

/**
 * The tokens of a text that differs from one of the same length in some of its lines. Those of the other lines are taken
 * as they are: no token, and nothing that joins tokens, goes over the end of a line.
 */
export const tokenizeAgain = (text: string, before: Tokens): Tokens => {
  const all: Array<Token> = []
  let next = 0
  for (let from = 0; from < text.length;) {
    const line = text.indexOf("\n", from)
    const to = line < 0 ? text.length : line + 1
    const isSame = text.slice(from, to) === before.text.slice(from, to)
    if (!isSame) pushTokens(all, text, from, to)
    for (let token = before.english[next]; token !== undefined && token.start < to; token = before.english[++next])
      if (isSame) all.push(token)
    from = to
  }
  return inItsLanguage(text, all)
}

/** An English text with the numbers of other languages in it read as numbers. */
const withForeignNumbers = (english: ReadonlyArray<Token>): ReadonlyArray<Token> => {
  let all: Array<Token> | undefined
  for (let at = 0; at < english.length; at++) {
    if (english[at]?.cls !== "w") continue
    const found = numbersOfLanguage(english, at)
    if (found === undefined) continue
    all ??= [...english]
    for (; at < found.to; at++) {
      const token = english[at]
      const known = found.overlay.get(token?.lower ?? "")
      if (token !== undefined && known !== undefined) all[at] = { ...token, cls: known[0], value: known[1] }
    }
  }
  return all ?? english
}

/** Adds the tokens of the lines from `from` to `to`. */
const pushTokens = (all: Array<Token>, text: string, from: number, to: number): void => {
  TOKEN.lastIndex = from
  for (let match = TOKEN.exec(text); match !== null && match.index < to; match = TOKEN.exec(text)) {
    const at = match.index
    // Named groups would cost an object a token.
    const [, opaque, digits, ending, word, line, mark] = match
    if (word !== undefined) pushWord(all, text, wordToken(at, word))
    else if (digits !== undefined) pushDigits(all, at, digits, ending)
    else if (opaque !== undefined) all.push(make(at, opaque, "P"))
    else if (line !== undefined) all.push(make(at, "\n", "n"))
    else if (mark !== undefined) all.push(make(at, mark, markClass(mark)))
    // A match beyond the line costs as much as one in it.
    if (TOKEN.lastIndex >= to) break
  }
}

const isDayHalf = (all: ReadonlyArray<Token>, text: string, at: number): boolean => {
  const dot = all[all.length - 1]
  const p = all[all.length - 2]
  return (
    dot?.text === "." &&
    dot.end === at &&
    p?.end === dot.start &&
    (p.lower === "a" || p.lower === "p") &&
    text[p.start - 1] !== "."
  )
}

/** The token that covers or follows a character, by binary search. */
export const tokenAt = (tokens: Tokens, offset: number): number => {
  let low = 0
  let high = tokens.all.length
  while (low < high) {
    const middle = (low + high) >> 1
    const token = tokens.all[middle]
    if (token !== undefined && token.end <= offset) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Runs a pattern over the class string; answers the positions of matched tokens, `to` exclusive. A letter in the
 * pattern stands for one token of that class.
 */
export const matchClasses = (
  tokens: Tokens,
  pattern: RegExp
): ReadonlyArray<{ readonly from: number; readonly to: number }> => {
  const found: Array<{ from: number; to: number }> = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(tokens.classes); match !== null; match = pattern.exec(tokens.classes)) {
    if (match[0].length === 0) pattern.lastIndex++
    else found.push({ from: match.index, to: match.index + match[0].length })
  }
  return found
}
