import { belowHundred, readCardinal } from "./Cardinals.js"
import {
  acknowledgements,
  explainers,
  fillers,
  functionWords,
  numberNames,
  spellingWords,
  type TokenClass,
  wordSet
} from "./Lexicon.js"
import type { Token } from "./Tokens.js"

/** What one piece says, and the token after it. */
export interface ReadPiece {
  readonly chars: string
  readonly to: number
  /** Words rather than figures. */
  readonly spoken: boolean
}

/** Where a piece is read. */
interface Position {
  readonly all: ReadonlyArray<Token>
  readonly at: number
  readonly token: Token
  /** A piece of the same run stands before. */
  readonly inside: boolean
  /** What that piece says; empty at the start of a run. */
  readonly before: string
}

type PieceReader = (position: Position) => ReadPiece | undefined

const CAPITALS = /^[A-Z]{1,4}$/
const dashWords = new Set(["dash", "hyphen", "minus"])
const dotWords = new Set(["dot", "point", "period"])
const slashWords = new Set(["slash", "stroke", "over"])

const spoken = (chars: string, to: number): ReadPiece => ({ chars, to, spoken: true })

/** Whether a word in capitals is a word rather than a part of a code. */
const isWord = (word: string): boolean => numberNames.has(word) || functionWords.has(word) || acknowledgements.has(word)

const elementClasses: ReadonlySet<TokenClass> = new Set("dtyzNXxo")

const isElementClass = (cls: TokenClass): boolean => elementClasses.has(cls)

const classAt = (all: ReadonlyArray<Token>, at: number): TokenClass => {
  const token = all[at]
  return token === undefined ? "" : token.cls
}
const wordAt = (all: ReadonlyArray<Token>, at: number): string => {
  const token = all[at]
  return token === undefined ? "" : token.lower
}

/** The joint that a token stands for; "," for what only fills a pause; undefined where it is no joint. */
const jointOf = (token: Token): string | undefined => {
  const { lower, text } = token
  if (/^[-–‑]$/.test(text) || dashWords.has(lower)) return "-"
  if (text === "." || dotWords.has(lower)) return "."
  if (text === "/" || slashWords.has(lower)) return "/"
  if (text === "+") return "+"
  if (text === "(" || text === ")") return "("
  return text === "," || text === "…" || lower === "space" || fillers.has(lower) ? "," : undefined
}

/** Most tokens between two pieces. */
const MAX_JOINT = 3

/** What may stand between two pieces; answers the joint and where the next piece would start. */
export const readJoint = (all: ReadonlyArray<Token>, at: number): { readonly joint: string; readonly to: number } => {
  let joint = ""
  let to = at
  for (let token = all[to]; token !== undefined && to - at < MAX_JOINT; token = all[to]) {
    const here = jointOf(token)
    if (here === undefined) break
    if (joint === "" || (here !== "," && here !== "(")) joint = here
    to++
  }
  return { joint, to }
}

const nextIsFigure = (all: ReadonlyArray<Token>, at: number): boolean =>
  /^[NX]$/.test(classAt(all, classAt(all, at) === "-" ? at + 1 : at))

const nextIsSpelled = (all: ReadonlyArray<Token>, at: number): boolean => {
  const { to } = readJoint(all, at)
  const cls = classAt(all, to)
  return cls === "L" || isElementClass(cls) || spellingWords.has(wordAt(all, to))
}

const nextIsElement = (all: ReadonlyArray<Token>, at: number): boolean => {
  const { to } = readJoint(all, at)
  const cls = classAt(all, to)
  return cls === "L" || isElementClass(cls) || (cls === "a" && wordAt(all, to) === "a")
}

/** "a k s ...", "a dash one six": an "a" that opens a spelled code. */
const startsSpelling = (all: ReadonlyArray<Token>, at: number): boolean => {
  const { joint, to } = readJoint(all, at)
  return classAt(all, to) === "L"
    ? wordAt(all, to) !== "i" && nextIsElement(all, to + 1)
    : joint === "-" && isElementClass(classAt(all, to))
}

const isXray = (all: ReadonlyArray<Token>, at: number): boolean => wordAt(all, at) === "x" && all[at + 1]?.text === "-"

/** Where the word ends that explains a letter: "b as in boy", "b for bravo", "b like boy"; undefined without one. */
const explanationEnd = (all: ReadonlyArray<Token>, at: number): number | undefined => {
  const explainer = all[at + 1]?.text === "," ? at + 2 : at + 1
  if (!explainers.has(wordAt(all, explainer))) return undefined
  const isLinked = classAt(all, explainer + 1) === "i" || /^(for|a)$/.test(wordAt(all, explainer + 1))
  const word = isLinked ? explainer + 2 : explainer + 1
  const example = all[word]
  if (example?.lower.startsWith(wordAt(all, at)) !== true) return undefined
  if (isXray(all, word)) return word + 3
  return example.text.length > 1 ? word + 1 : undefined
}

/** A letter and its explanation. */
const readLetter = (all: ReadonlyArray<Token>, at: number, token: Token): ReadPiece =>
  spoken(token.text.toUpperCase(), explanationEnd(all, at) ?? at + 1)

const written: PieceReader = ({ at, token }) => ({ chars: token.text.toUpperCase(), to: at + 1, spoken: false })

/** "oh" is a figure only beside one. */
const oh: PieceReader = ({ all, at, inside }) =>
  inside || isElementClass(classAt(all, at + 1)) ? spoken("0", at + 1) : undefined

/** What is doubled by "double seven", "triple o", "double u". */
const repeated = (next: Token): string | undefined => {
  if (next.cls === "d") return String(next.value)
  if (next.cls === "o" || next.lower === "o") return "0"
  if (next.cls === "L") return next.text.toUpperCase()
  return next.cls === "N" && next.text.length === 1 ? next.text : undefined
}

const multiple: PieceReader = ({ all, at, token }) => {
  const next = all[at + 1]
  const unit = next === undefined ? undefined : repeated(next)
  if (next === undefined || unit === undefined) return undefined
  // "double u" is the letter; so, to transcribers, is "double w".
  const isW = next.cls === "L" && /^[uw]$/.test(next.lower)
  return spoken(isW ? "W" : unit.repeat(token.value), at + 2)
}

const moments = wordSet("second sec moment minute min tick more")

/** "oh eight seven, one second, two three four": no figure. */
export const saysMoment = (all: ReadonlyArray<Token>, at: number): boolean =>
  all[at]?.value === 1 && moments.has(wordAt(all, at + 1))

const numberWord: PieceReader = ({ all, at }) => {
  if (saysMoment(all, at)) return undefined
  const small = belowHundred(all, at)
  if (small === undefined) return undefined
  const cardinal = /^[hkl]$/.test(classAt(all, small.to)) ? readCardinal(all, at) : undefined
  return cardinal === undefined ? spoken(String(small.value), small.to) : spoken(String(cardinal.value), cardinal.to)
}

/** Whether an "o" is the letter among letters rather than a zero: "d u b o i s". */
const isLetterO = (all: ReadonlyArray<Token>, at: number, before: string): boolean =>
  /[A-Z]$/.test(before) && !isElementClass(classAt(all, readJoint(all, at + 1).to))

/** "k a t a r z y n a", "d l a m i n i": an "a" or "i" behind a letter is the last letter where nothing follows it. */
const endsSpelling = (all: ReadonlyArray<Token>, at: number, before: string): boolean =>
  /[A-Z]$/.test(before) && (at + 1 >= all.length || /^[n.,?!;]$/.test(classAt(all, at + 1)))

const letter: PieceReader = ({ all, at, before, inside, token }) => {
  if (isXray(all, at) && wordAt(all, at + 2) === "ray")
    return inside || nextIsSpelled(all, at + 3) ? spoken("X", at + 3) : undefined
  if (token.lower === "o" && (inside || isElementClass(classAt(all, at + 1))) && !isLetterO(all, at, before))
    return spoken("0", at + 1)
  const read = readLetter(all, at, token)
  // A lone "i" is a pronoun unless it stands among letters or figures.
  const isPronoun =
    token.lower === "i" &&
    read.to === at + 1 &&
    !(inside && (nextIsElement(all, read.to) || endsSpelling(all, at, before)))
  return isPronoun ? undefined : read
}

const article: PieceReader = ({ all, at, before, inside, token }) => {
  if (token.lower !== "a") return undefined
  // "five five five a hundred and seven"
  const count = inside && classAt(all, at + 1) === "h" ? readCardinal(all, at) : undefined
  if (count !== undefined) return spoken(String(count.value), count.to)
  const read = readLetter(all, at, token)
  return read.to > at + 1 ||
    (inside && (nextIsElement(all, at + 1) || endsSpelling(all, at, before))) ||
    startsSpelling(all, at + 1)
    ? read
    : undefined
}

/** What recognizers of speech write for a digit. */
const homophones: ReadonlyMap<string, string> = new Map([
  ["to", "2"],
  ["too", "2"],
  ["for", "4"],
  ["fore", "4"],
  ["ate", "8"],
  ["won", "1"],
  ["tree", "3"]
])

/** Fewest digits in a row among which such a word is one. */
const MIN_DIGITS = 6

/** How many digits stand in a row on one side of a token, such words between them left out. */
const digitsNextTo = (all: ReadonlyArray<Token>, at: number, step: 1 | -1): number => {
  let digits = 0
  for (let to = at + step; digits < MIN_DIGITS; to += step) {
    const cls = classAt(all, to)
    if (cls === "d" || cls === "o" || cls === "x") digits++
    else if (!homophones.has(wordAt(all, to))) break
  }
  return digits
}

/** "six one nine for for two one eight eight oh": the words for a digit among digits that are said one by one. */
const homophone = ({ all, at }: Position): string | undefined => {
  const digit = homophones.get(wordAt(all, at))
  if (digit === undefined) return undefined
  const after = digitsNextTo(all, at, 1)
  const isInside = after > 0 && digitsNextTo(all, at, -1) + after >= MIN_DIGITS
  return isInside ? digit : undefined
}

const word: PieceReader = (position) => {
  const { all, at, inside, token } = position
  const digit = inside ? homophone(position) : undefined
  if (digit !== undefined) return spoken(digit, at + 1)
  if (token.lower === "zee" || token.lower === "zed") return inside ? spoken("Z", at + 1) : undefined
  const spelled = spellingWords.get(token.lower)
  if (spelled !== undefined && (inside || nextIsSpelled(all, at + 1))) return spoken(spelled.toUpperCase(), at + 1)
  // "SSN 308630237", "IS 415-555-2671 OK": a word in capitals that says something is no part of the code beside it.
  return CAPITALS.test(token.text) && !isWord(token.lower) && (inside || nextIsFigure(all, at + 1))
    ? { chars: token.text, to: at + 1, spoken: false }
    : undefined
}

const november: PieceReader = (position) => (position.token.lower === "november" ? word(position) : undefined)

/** How a piece is read, by the class of its first token. */
const readers: ReadonlyMap<TokenClass, PieceReader> = new Map([
  ["N", written],
  ["X", written],
  ["o", oh],
  ["x", multiple],
  ["d", numberWord],
  ["t", numberWord],
  ["y", numberWord],
  ["z", numberWord],
  ["L", letter],
  ["a", article],
  ["M", november],
  ["w", word]
])

/** Whether a token may begin a number or code. */
export const mayBegin = (cls: TokenClass): boolean => readers.has(cls)

/** Reads one piece of a number or code at a token. */
export const readPiece = (
  all: ReadonlyArray<Token>,
  at: number,
  inside: boolean,
  before: string
): ReadPiece | undefined => {
  const token = all[at]
  return token === undefined ? undefined : readers.get(token.cls)?.({ all, at, token, inside, before })
}
